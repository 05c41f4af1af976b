// Numbers all inserted and retracted rows, so that changes can name the inputs that caused them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "edits.h"
#include "state_io.h"

namespace holdsfor {

// How an input affected the results.
enum class InputKind : std::uint8_t { kArrived, kLate, kRetracted, kCorrected, kCorrection };
inline constexpr std::size_t kInputKinds = 5;

// Rows of one table from one push. Row i has the number `first + i`.
struct InputBatch {
  Cause first = 0;
  Index table = 0;
  InputKind kind = InputKind::kArrived;
  Time known_until = kNever;  // the query time at the push: inserted rows up to it were late
  std::size_t width = 0;      // number of arguments of a row
  std::vector<Time> starts;
  std::vector<Value> args;  // row after row
  // For fluents only. The end of a point is not known.
  std::vector<Time> ends;
  std::vector<Value> values;
  Time last_event = kNever;  // for events: the largest time

  [[nodiscard]] std::size_t size() const { return starts.size(); }
  [[nodiscard]] Cause end() const { return first + static_cast<Cause>(size()); }
  [[nodiscard]] bool is_event() const { return values.empty(); }
  [[nodiscard]] Time end_of(std::size_t row) const { return is_event() ? kForever : ends[row]; }
  [[nodiscard]] InputKind kind_of(std::size_t row) const {
    return kind == InputKind::kArrived && starts[row] <= known_until ? InputKind::kLate : kind;
  }
  void add_event(Time time) {
    starts.push_back(time);
    last_event = std::max(last_event, time);
  }
};

// Ordered by number.
using InputBatches = std::vector<std::shared_ptr<const InputBatch>>;

// The batch that contains a number; null if no batch does.
const InputBatch* find_batch(const InputBatches& batches, Cause number);

// All inputs that changes may still name.
class Inputs {
 public:
  // The common properties of pushed rows.
  struct Head {
    Index table = 0;
    InputKind kind = InputKind::kArrived;
    Time known_until = kNever;
  };

  // Each returns the number of the first row.
  Cause add_events(const Head& head, std::span<const Time> times, std::span<const std::uint64_t> args,
                   std::size_t width);
  Cause add_intervals(const Head& head, std::span<const Time> starts, std::span<const Time> ends,
                      std::span<const std::uint64_t> values, std::span<const std::uint64_t> args,
                      std::span<const bool> is_point, std::size_t width);

  [[nodiscard]] const InputBatches& batches() const { return batches_; }
  [[nodiscard]] const InputBatch* find(Cause number) const { return find_batch(batches_, number); }
  // Whether two inputs have equal content.
  [[nodiscard]] bool are_equal(Cause one, Cause other) const;
  // The number of the next row.
  [[nodiscard]] Cause next() const { return next_; }

  // Drops inputs that can cause no change after a query time. Keeps events after the query time, and inputs from the
  // number `not_yet_taken_in` on.
  void forget_until(Time query, Cause not_yet_taken_in);
  void mark_terms(TermMarks& marks) const;

  // See state_io.h.
  void write(StateWriter& into) const;
  void read(StateReader& from, const Plan& plan);
  // Adds the inputs of another engine. Their numbers must be disjoint from those here.
  void absorb(const Inputs& other);
  // Adds the inputs of an engine with other rules. `table_of` maps its tables to the tables here.
  void succeed(const Inputs& other, std::span<const Index> table_of);
  // Shifts all numbers by `more`, to make room for the numbers of another engine.
  void renumber(Cause more);

 private:
  // The last batch if it can take the rows, or a new batch.
  InputBatch& batch_for(const Head& head, std::size_t width);

  InputBatches batches_;
  // The last batch, while nobody else refers to it.
  std::shared_ptr<InputBatch> last_;
  Cause next_ = 0;
};

}  // namespace holdsfor
