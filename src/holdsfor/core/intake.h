// Takes in rows of events: finds the keys that they reach, and puts them into the logs of these keys.
//
// First all rows are grouped by key. Then each key, on any thread, gets its own into its log.
#pragma once

#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

#include "cell_buffer.h"
#include "edits.h"
#include "key_log.h"
#include "key_numbers.h"
#include "row_conditions.h"

namespace holdsfor {

// Rows of one table that count from now on, or cease to count, in the order in which they came. Each is its time and
// its arguments.
struct Arrivals {
  Index table = 0;
  RowSet rows;
  std::vector<bool> is_retraction;  // empty: none is
  std::vector<Cause> causes;        // empty: they have none
  bool is_counted = true;           // retractions of rows that are not there are counted
};

// A row on its way to a key: its time, this, its arguments, and its cause if rows have causes.
struct ArrivalHead {
  std::uint16_t table = 0;
  bool is_counted = false;  // if it is a retraction of what is not there
  bool is_retraction = false;
  std::uint32_t group = 0;  // in its bucket

  [[nodiscard]] Value word() const { return Value::from_word(std::bit_cast<std::uint64_t>(*this)); }
  static ArrivalHead from(Value word) { return std::bit_cast<ArrivalHead>(word.word()); }
};

// The rows of one stage by key. Those of a few keys that follow one another, of a bucket, stand together in the order
// in which they came: few enough to be sorted in the cache.
class Intake {
 public:
  explicit Intake(const Stage& stage) : stage_(&stage) {}

  // Groups rows by key. Tables without a route into the stage, and those that all keys share, are left out. The
  // arrivals are in the order of their tables; they are not needed any more afterwards.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys);
  // Gives all rows of tables that all keys share to one group, whose key is kNone.
  void group_shared(std::span<const Arrivals> arrivals);

  // Keys that rows reach, in the order in which they were met.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Index key(std::size_t group) const { return keys_[group]; }
  [[nodiscard]] bool has_causes() const { return has_causes_; }

  // Groups have buckets in order, each of as many groups.
  [[nodiscard]] std::size_t bucket_size() const { return std::size_t{1} << bucket_bits_; }
  [[nodiscard]] std::span<const Value> bucket(std::size_t number) const {
    return {cells_.data() + begin_[number], begin_[number + 1] - begin_[number]};
  }
  // How often rows have been grouped.
  [[nodiscard]] std::uint64_t grouping() const { return grouping_; }

 private:
  [[nodiscard]] const Route* route_of(Index table) const;
  void begin(std::span<const Arrivals> arrivals);
  void find_groups(const Arrivals& arrivals, const Route& route, KeyNumbers& keys);
  [[nodiscard]] std::size_t cells_of(const Arrivals& arrivals) const;
  void place(const Arrivals& arrivals, const Route& route, std::size_t at);
  void place_plain(const Arrivals& arrivals, std::span<const Index> groups, Index mask);
  Value* put(const Arrivals& arrivals, std::size_t row, bool is_home, Index group, Value* into) const;

  const Stage* stage_;
  std::vector<Index> keys_;
  CellBuffer cells_;
  unsigned bucket_bits_ = 0;
  std::vector<std::size_t> begin_;  // of buckets; one more than there are
  std::vector<std::size_t> next_;   // where the next row of a bucket goes
  std::vector<Index> group_of_;     // by key; kNone between two calls
  std::vector<Index> found_;        // of each arrival, place and row: its group, or kNone
  bool has_causes_ = false;
  std::uint64_t grouping_ = 0;
};

// What a key's log has got.
struct Taken {
  Time first = kForever;      // the first time-point at which rows came or went
  std::size_t unmatched = 0;  // retractions of rows that were not there, counted where they are at home
};

// Puts rows into logs, one key after the other. One for each thread.
class LogWriter {
 public:
  LogWriter(const LogWidths& widths, const RowConditions& conditions, TermTable& terms)
      : widths_(widths), tester_(conditions, terms) {}

  // Takes the rows of a group into the log of its key. With `causes`, notes those that made a difference.
  Taken take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes);

 private:
  static constexpr std::size_t kNoRow = SIZE_MAX;
  static constexpr std::size_t kFewEntries = 96;

  // A row that comes.
  struct Entry {
    Time time = 0;
    const Value* row = nullptr;
  };

  // Rows of one time and table at the end of what is written. Many are found by their hash.
  struct Run {
    static constexpr std::size_t kFewRows = 16;

    std::size_t from = 0;
    std::size_t width = 0;
    bool has_gaps = false;  // some were taken back

    void begin(std::size_t at, std::size_t row_width);
    std::size_t find(std::span<const Value> args, const Value* cells, std::size_t end);
    void added(std::span<const Value> args, std::size_t at);

   private:
    std::unordered_multimap<std::uint64_t, std::size_t> rows_;
  };

  void open_bucket(const Intake& intake, std::size_t number);
  void sort();
  template <typename Word>
  void sort_few(const Word& word);
  void merge(Log& log, std::vector<Cause>* causes);
  void apply(const Value* entry, std::vector<Cause>* causes);
  void insert(const Value* entry, std::vector<Cause>* causes);
  void note_cause(const Value* entry, std::vector<Cause>* causes) const;
  void drop_gaps();
  Value* add(std::size_t width);

  const LogWidths& widths_;
  RowTester tester_;
  // The rows of the bucket that was opened last, by group.
  struct Opened {
    const Intake* intake = nullptr;
    std::uint64_t grouping = 0;
    std::size_t number = 0;
    friend bool operator==(const Opened&, const Opened&) = default;
  };
  Opened opened_;
  std::vector<Entry> rows_;
  std::vector<std::uint32_t> rows_begin_;

  std::span<const Entry> entries_;  // rows of the group that is taken in
  bool has_causes_ = false;
  std::vector<std::uint64_t> order_;  // of entries; empty if they are in order
  std::vector<std::uint64_t> spare_;
  std::vector<std::size_t> runs_;
  std::vector<Value> out_;  // rows that are written, up to `end_`
  std::size_t end_ = 0;
  Run run_;
  Taken taken_;
};

}  // namespace holdsfor
