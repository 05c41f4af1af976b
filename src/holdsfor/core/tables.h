// The tables of one key during evaluation: events in time order, and fluents with instances and pairs.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "intervals.h"
#include "prepared.h"
#include "value.h"

namespace holdsfor {

// Finds rows of values by their contents. Searches small tables linearly.
class TupleIndex {
 public:
  // The number of a row equal to `wanted` among `rows`; kNone if there is none.
  [[nodiscard]] Index find(std::span<const Value> wanted, const std::vector<Value>& rows, std::size_t count) const;
  // Indexes the last of `count` rows, which was just added.
  void added(const std::vector<Value>& rows, std::size_t width, std::size_t count);
  void clear() { slots_.clear(); }

 private:
  // Rows up to which the search is linear.
  static constexpr std::size_t kFew = 8;
  void insert(std::uint64_t hash, Index row);
  void rebuild(const std::vector<Value>& rows, std::size_t width, std::size_t count);

  std::vector<Index> slots_;
};

// Events of one kind, sorted by time; a row is a time and its arguments. Rows are borrowed or owned.
class EventTable {
 public:
  std::size_t width = 0;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] Time time(std::size_t row) const { return static_cast<Time>(rows_[row * (width + 1)].word()); }
  [[nodiscard]] std::span<const Value> row(std::size_t number) const {
    return {rows_ + number * (width + 1) + 1, width};
  }
  // The rows between two times, both included. `near` has the last result; queries in time order are fastest.
  [[nodiscard]] std::pair<std::size_t, std::size_t> between(Time first, Time last, std::size_t& near) const;
  // Borrows rows.
  void show(const Value* rows, std::size_t count);
  void add(Time when, std::span<const Value> args);
  // Copies the rows of another table.
  void copy(const EventTable& other);
  void clear() {
    if (count_ > 0) drop();
  }
  // A version that changes unless rows were only appended.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  [[nodiscard]] std::size_t first_from(Time time, std::size_t near) const;
  void drop();

  const Value* rows_ = nullptr;
  std::size_t count_ = 0;
  std::vector<Value> own_;
  std::uint64_t version_ = 0;
};

// F=V for one instance of F: its intervals so far, and the start of the open interval if it holds.
struct Pair {
  static constexpr std::int8_t kNoBit = -1;
  static constexpr std::int8_t kNotLookedUp = -2;

  Index instance = 0;
  Index next = kNone;  // of the same instance
  Value value;
  Time since = kForever;
  bool is_declared = true;
  bool starts_initially = false;
  bool holds_next = false;         // for statically determined fluents in a cycle, at the present time-point
  std::int8_t postponable = -1;    // whether its delayed effects are postponed; -1: not known yet
  std::int8_t bit = kNotLookedUp;  // its bit among packed pairs, or kNoBit
  Index defined_by = kNone;        // the rule of a statically determined fluent
  Time last_initiated = kNever;    // effective or not
  Time last_effective = kNever;
  Intervals list;

  [[nodiscard]] bool has(Time time) const { return since <= time || contains(list, time); }
  [[nodiscard]] bool holds(Time time) const { return is_declared && has(time); }
  [[nodiscard]] bool holds(Time time, std::uint32_t& near) const {
    return is_declared && (since <= time || contains(list, time, near));
  }
};

// One instance of a fluent, with the marks of the present time-point.
struct Instance {
  Index first_pair = kNone;
  Index last_pair = kNone;
  Index values = 0;  // number of its pairs
  Index current = kNone;
  Time stamp = kNever;        // the time-point of the marks below
  Index initiated = kNone;    // the first initiated pair
  bool is_contested = false;  // other pairs are initiated, too
  bool is_ended = false;      // ended, whatever its value
  Index ended = kNone;        // further ended values, in FluentTable::ended
  Value ended_value;          // an ended value, or nothing
};

struct Edge {
  Time time = 0;
  Index pair = 0;
  friend bool operator<(const Edge& a, const Edge& b) { return a.time < b.time; }
};

// The intervals of all pairs of each instance, sorted by start. Finds what holds at a time-point without a search of
// every pair.
class Timelines {
 public:
  [[nodiscard]] bool empty() const { return begin_.empty(); }
  void clear() {
    entries_.clear();
    begin_.clear();
  }
  void build(std::span<const Pair> pairs, std::size_t instances);
  // The pairs of an instance that hold, in order. Valid until the next call with the same memory.
  std::span<const Index> holding(Index instance, Time time, std::vector<Index>& found, Nearby& nearby) const;

 private:
  struct Entry {
    Time start = 0;
    Time end = 0;
    Time latest_end = 0;  // of this entry and the entries before it
    Index pair = 0;
  };

  void sort(std::span<Entry> own);

  std::vector<Entry> entries_;
  std::vector<std::size_t> begin_;  // by instance, plus an end
  // During `build`: the position of the next entry of an instance, and scratch memory for sorting.
  std::vector<std::size_t> next_;
  std::vector<std::size_t> places_;
  std::vector<Entry> spread_;
};

class FluentTable {
 public:
  std::size_t width = 0;
  const TermTable* terms = nullptr;  // for terms with wildcards inside
  std::vector<Value> args;
  std::vector<Instance> instances;
  std::vector<Pair> pairs;
  std::size_t pair_count = 0;  // further entries of `pairs` keep their memory
  std::vector<std::pair<Value, Index>> ended;
  std::vector<Edge> starts;
  std::vector<Edge> ends;
  std::vector<Edge> cuts;  // input intervals that were cut at the border of a window
  // Initiations and terminations, for conditions that read them: columns, then the value. Open variables of
  // terminations are wildcards.
  EventTable initiations;
  EventTable terminations;
  // Terminations with open variables at the present time-point: columns, then the value. Wildcards represent the
  // variables. Each termination ends every pair that matches.
  std::vector<Value> open_ends;

  [[nodiscard]] std::span<const Value> columns(Index instance) const { return {args.data() + instance * width, width}; }
  [[nodiscard]] Index find(std::span<const Value> wanted) const {
    if (width == 1 && instances.size() == 1) return args[0] == wanted[0] ? 0 : kNone;
    return index_.find(wanted, args, instances.size());
  }
  Index add(std::span<const Value> columns);
  // Adds columns that the table does not have yet.
  Index append(std::span<const Value> columns);
  [[nodiscard]] Index find_pair(Index instance, Value value) const;
  // The pair, and whether it is new.
  std::pair<Index, bool> add_pair(Index instance, Value value);
  Index append_pair(Index instance, Value value);
  // Whether a pair is initiated at the present time-point.
  [[nodiscard]] bool is_initiated(Index pair, Time now) const;
  [[nodiscard]] bool has_held(Index pair) const {
    const Pair& one = pairs[pair];
    return one.is_declared && (!one.list.empty() || one.since != kForever);
  }
  // Whether a pair has held at some time, is being initiated, or will hold next.
  [[nodiscard]] bool is_known(Index pair, Time now) const;
  // The marks of an instance at a time-point. Resets marks of an earlier one.
  Instance& marked(Index instance, Time now) {
    Instance& one = instances[instance];
    if (one.stamp != now) {
      one.stamp = now;
      one.initiated = one.ended = kNone;
      one.is_contested = one.is_ended = false;
      one.ended_value = Value::nothing();
    }
    return one;
  }
  // Whether something breaks a pair at the present time-point: a termination, or another value.
  [[nodiscard]] bool is_broken(Index pair, Time now) const {
    const Instance& instance = instances[pairs[pair].instance];
    if (instance.stamp == now) {
      if (instance.is_contested || instance.is_ended) return true;
      if (instance.initiated != kNone && instance.initiated != pair) return true;
      if (instance.ended_value == pairs[pair].value) return true;
      for (Index at = instance.ended; at != kNone; at = ended[at].second) {
        if (ended[at].first == pairs[pair].value) return true;
      }
    }
    return !open_ends.empty() && is_ended_openly(pair);
  }
  // Whether a pair holds just after the present time-point, as decided so far.
  [[nodiscard]] bool holds_next(Index pair, Time now) const;
  // Sorts starts and ends by time. Call when all lists are finished.
  void index_edges();
  // Builds the timelines if instances have many values. Call when all lists are finished.
  void index_times();
  [[nodiscard]] const Timelines& timelines() const { return timelines_; }
  void clear() {
    initiations.clear();
    terminations.clear();
    if (!instances.empty() || !open_ends.empty()) drop();
  }

 private:
  void drop();
  [[nodiscard]] bool is_ended_openly(Index pair) const;

  void index_pair(Index pair);

  TupleIndex index_;
  // Hash index of pairs of instances with many values, by instance and value.
  std::vector<Index> pair_slots_;
  std::size_t indexed_pairs_ = 0;
  Timelines timelines_;
};

}  // namespace holdsfor
