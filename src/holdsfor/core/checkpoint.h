// The state from which a sweep resumes after a time-point, as plain words that can be compared, stored and written to a
// file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tables.h"
#include "value.h"

namespace holdsfor {

struct Checkpoint {
  Time time = kNever;  // kNever: no checkpoint
  std::vector<std::uint64_t> words;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// Writes a checkpoint. Reusable: keeps its memory between checkpoints.
class CheckpointWriter {
 public:
  // Begins the words of a checkpoint. `into` must not move until `finish`.
  void begin(Checkpoint& into) {
    words_ = &into.words;
    words_->clear();
    terms_.clear();
  }
  [[nodiscard]] std::size_t size() const { return words_->size(); }
  void set(std::size_t at, std::uint64_t word) { (*words_)[at] = word; }
  void put(std::uint64_t word) { words_->push_back(word); }
  void put(Value value) {
    terms_.push_back(words_->size());
    words_->push_back(value.word());
  }
  void put_time(Time time) { words_->push_back(static_cast<std::uint64_t>(time)); }
  void put(std::span<const Value> values) {
    for (const Value value : values) put(value);
  }

  // Ends with the positions of the terms, which saving to a file needs.
  void finish();

 private:
  std::vector<std::uint64_t>* words_ = nullptr;
  std::vector<std::size_t> terms_;
};

// The positions of the terms in a finished checkpoint. Empty without terms, or if the words are damaged.
std::vector<std::size_t> terms_in(const Checkpoint& checkpoint);

// Reads words from an untrusted source. Throws std::invalid_argument if they do not fit.
class CheckpointReader {
 public:
  explicit CheckpointReader(const Checkpoint& from) : words_(from.words) {}

  std::uint64_t get() {
    if (at_ == words_.size()) refuse();
    return words_[at_++];
  }
  Value get_value() { return Value::from_word(get()); }
  Time get_time() { return static_cast<Time>(get()); }
  // An index below `limit`.
  Index get_index(std::size_t limit);
  // The number of items that follow, each of at least `words_each` words.
  std::size_t get_count(std::size_t words_each);
  void get(std::vector<Value>& into, std::size_t count);

 private:
  [[noreturn]] static void refuse();

  const std::vector<std::uint64_t>& words_;
  std::size_t at_ = 0;
};

// Maps pairs and instances to their numbers in the checkpoint; kNone for those that are not saved.
struct SavedNumbers {
  std::vector<Index> pairs;
  std::vector<Index> instances;
  std::vector<Index> order;  // the saved pairs
};

// Saves the pairs of a fluent in their state after `time`: pairs that hold, pairs in `needed` (whose last initiation
// matters), and pairs with an interval that ended at most `keep` before `time`.
void save_fluent(CheckpointWriter& into, const FluentTable& fluent, const std::vector<bool>& needed, Time time,
                 Time keep, SavedNumbers& saved);
// Saves a fluent with finished lists, which continue after `time`.
void save_lists(CheckpointWriter& into, const FluentTable& fluent, Time time, Time keep, SavedNumbers& saved);
// Loads the pairs into an empty table. `columns` is scratch memory.
void load_fluent(CheckpointReader& from, FluentTable& fluent, std::vector<Value>& columns);

// Saves rows with a time, such as derived events.
void save_rows(CheckpointWriter& into, const EventTable& rows, Time time, Time keep);
// Replaces the existing rows up to `time`.
void load_rows(CheckpointReader& from, EventTable& rows, Time time);

}  // namespace holdsfor
