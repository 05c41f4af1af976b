// What was pushed and taken back, numbered row by row, so that changes can name the inputs that caused them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "edits.h"
#include "state_io.h"

namespace holdsfor {

// How an input made a difference.
enum class InputKind : std::uint8_t { kArrived, kLate, kRetracted, kCorrected, kCorrection };
inline constexpr std::size_t kInputKinds = 5;

// Rows of one table that came together. Row i has the number `first + i`.
struct InputBatch {
  Cause first = 0;
  Index table = 0;
  InputKind kind = InputKind::kArrived;
  Time known_until = kNever;  // the query time when they came: what had arrived and lies before came late
  std::size_t width = 0;      // how many arguments a row has
  std::vector<Time> starts;
  std::vector<Value> args;  // row after row
  // Only of fluents. The end of a point is not known.
  std::vector<Time> ends;
  std::vector<Value> values;
  Time last_event = kNever;  // of events: the last of their times

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

// In the order of their numbers.
using InputBatches = std::vector<std::shared_ptr<const InputBatch>>;

// The batch that a number is of; nothing if it is of none.
const InputBatch* find_batch(const InputBatches& batches, Cause number);

// All inputs that changes may still name.
class Inputs {
 public:
  // What rows have in common.
  struct Head {
    Index table = 0;
    InputKind kind = InputKind::kArrived;
    Time known_until = kNever;
  };

  // Each gives the number of the first row.
  Cause add_events(const Head& head, std::span<const Time> times, std::span<const std::uint64_t> args,
                   std::size_t width);
  Cause add_intervals(const Head& head, std::span<const Time> starts, std::span<const Time> ends,
                      std::span<const std::uint64_t> values, std::span<const std::uint64_t> args,
                      std::span<const bool> is_point, std::size_t width);

  [[nodiscard]] const InputBatches& batches() const { return batches_; }
  [[nodiscard]] const InputBatch* find(Cause number) const { return find_batch(batches_, number); }
  // Whether two inputs say the same.
  [[nodiscard]] bool are_equal(Cause one, Cause other) const;
  // The number of the next row.
  [[nodiscard]] Cause next() const { return next_; }

  // Forgets what can cause no change after a query time: events that lie ahead can, and what is `not_yet_taken_in`,
  // from that number on.
  void forget_until(Time query, Cause not_yet_taken_in);
  void mark_terms(TermMarks& marks) const;

  // See state_io.h.
  void write(StateWriter& into) const;
  void read(StateReader& from, const Plan& plan);
  // Takes over those of another, whose numbers are different or have been made so.
  void absorb(const Inputs& other);
  // The same of an engine with other rules: `table_of` by its tables.
  void succeed(const Inputs& other, std::span<const Index> table_of);
  // Makes room for the numbers of others: all are larger by so much.
  void renumber(Cause more);

 private:
  // The last batch if rows go on with it, or a new one.
  InputBatch& batch_for(const Head& head, std::size_t width);

  InputBatches batches_;
  // The last of them, while nobody else has it.
  std::shared_ptr<InputBatch> last_;
  Cause next_ = 0;
};

}  // namespace holdsfor
