// What a sweep needs to go on after a time-point: plain words, which can be compared, kept and written to a file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tables.h"
#include "value.h"

namespace holdsfor {

struct Checkpoint {
  Time time = kNever;  // kNever: there is none
  std::vector<std::uint64_t> words;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// It may be used again and again: its memory stays.
class CheckpointWriter {
 public:
  // Begins the words of a checkpoint, which stays where it is until `finish`.
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

  // Ends with where the terms stand: whoever writes the checkpoint to a file has to know.
  void finish();

 private:
  std::vector<std::uint64_t>* words_ = nullptr;
  std::vector<std::size_t> terms_;
};

// The words of a finished checkpoint that are terms; empty if there are none, or if the words are damaged.
std::vector<std::size_t> terms_in(const Checkpoint& checkpoint);

// Reads words that may come from anywhere: throws std::invalid_argument if they do not fit.
class CheckpointReader {
 public:
  explicit CheckpointReader(const Checkpoint& from) : words_(from.words) {}

  std::uint64_t get() {
    if (at_ == words_.size()) refuse();
    return words_[at_++];
  }
  Value get_value() { return Value::from_word(get()); }
  Time get_time() { return static_cast<Time>(get()); }
  // A number less than a limit.
  Index get_index(std::size_t limit);
  // The number of things of at least so many words each that follow.
  std::size_t get_count(std::size_t words_each);
  void get(std::vector<Value>& into, std::size_t count);

 private:
  [[noreturn]] static void refuse();

  const std::vector<std::uint64_t>& words_;
  std::size_t at_ = 0;
};

// The numbers that saved pairs have among those saved, and their instances; kNone for the others.
struct SavedNumbers {
  std::vector<Index> pairs;
  std::vector<Index> instances;
  std::vector<Index> order;  // the saved pairs
};

// Saves the pairs of a fluent as they are after `time`: those that hold, those in `needed` (pairs whose last initiation
// counts), and those with an interval that ended up to `keep` before.
void save_fluent(CheckpointWriter& into, const FluentTable& fluent, const std::vector<bool>& needed, Time time,
                 Time keep, SavedNumbers& saved);
// The same of a fluent with finished lists, which go on after `time`.
void save_lists(CheckpointWriter& into, const FluentTable& fluent, Time time, Time keep, SavedNumbers& saved);
// Puts them into an empty table. `columns` is memory that can be used again.
void load_fluent(CheckpointReader& from, FluentTable& fluent, std::vector<Value>& columns);

// The same for rows with a time, such as derived events.
void save_rows(CheckpointWriter& into, const EventTable& rows, Time time, Time keep);
// Rows up to `time` that are there already give way.
void load_rows(CheckpointReader& from, EventTable& rows, Time time);

}  // namespace holdsfor
