// Rows of events outside any key: a column of times, and the argument words row after row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

// Either borrowed columns, which the lender keeps unchanged, or owned rows.
class EventRows {
 public:
  explicit EventRows(std::size_t width = 0) : width_(width) {}
  static EventRows borrowed(std::span<const Time> times, std::span<const std::uint64_t> words, std::size_t width);

  EventRows(EventRows&&) noexcept = default;
  EventRows& operator=(EventRows&&) noexcept = default;
  EventRows(const EventRows&) = delete;
  EventRows& operator=(const EventRows&) = delete;
  ~EventRows() = default;

  // The number of arguments of a row.
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] bool is_borrowed() const { return is_borrowed_; }
  [[nodiscard]] std::span<const Time> times() const { return times_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }
  [[nodiscard]] Time time(std::size_t row) const { return times_[row]; }
  [[nodiscard]] const std::uint64_t* args(std::size_t row) const { return words_.data() + row * width_; }

  // Adds an owned row. Borrowed rows cannot grow.
  void add(Time time, const std::uint64_t* args);
  void add(Time time, std::span<const Value> args);

 private:
  void show();

  std::size_t width_;
  bool is_borrowed_ = false;
  std::vector<Time> own_times_;
  std::vector<std::uint64_t> own_words_;
  // Spans into the vectors above, or borrowed. They stay valid on a move, because moved vectors keep their memory.
  std::span<const Time> times_;
  std::span<const std::uint64_t> words_;
};

}  // namespace holdsfor
