#include "time_order.h"

#include <algorithm>
#include <array>
#include <bit>

namespace holdsfor {
namespace {

// Minimum length of a run, in words.
constexpr std::size_t kShortRun = 8;
// Block size of comparisons, and width of the compared numbers in bits.
constexpr std::size_t kAtOnce = 16;
constexpr unsigned kBits = 15;

}  // namespace

std::span<const std::uint64_t> TimeOrder::of(std::span<const TimedRow> rows) {
  const std::size_t count = rows.size();
  Time first = kForever;
  Time last = kNever;
  bool is_sorted = true;
  may_have_ties_ = false;
  for (const TimedRow& row : rows) {
    is_sorted = is_sorted && row.time >= last;
    may_have_ties_ = may_have_ties_ || row.time == last;
    first = std::min(first, row.time);
    last = std::max(last, row.time);
  }
  if (is_sorted) return {};
  order_.resize(count);
  if (count <= kFewRows) {
    sort_few(rows, first, last);
    return order_;
  }
  may_have_ties_ = true;
  // Time and position in one word, if both fit.
  const auto range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const auto needed = static_cast<unsigned>(std::bit_width(range)) + bits;
  const auto word = [&](std::size_t i) {
    const auto time = static_cast<std::uint64_t>(rows[i].time) - static_cast<std::uint64_t>(first);
    return time << bits | i;
  };
  if (needed <= 64) {
    for (std::size_t i = 0; i < count; ++i) order_[i] = word(i);
    sort_words();
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t& one : order_) one &= mask;
  } else {
    for (std::size_t i = 0; i < count; ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return rows[a].time < rows[b].time; });
  }
  return order_;
}

// Sorts a few rows by rank: the position of a row is the number of rows before it. Compares only some bits of the
// times, without branches, several rows at once. Then sorts rows that these bits do not distinguish.
void TimeOrder::sort_few(std::span<const TimedRow> rows, Time first, Time last) {
  const std::size_t count = rows.size();
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const auto since_first = [&](Time time) {
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(first);
  };
  const auto range = static_cast<unsigned>(std::bit_width(since_first(last)));
  const unsigned left_out = range + bits > kBits ? range + bits - kBits : 0;
  std::array<std::int16_t, kFewRows> words;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are read
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = static_cast<std::int16_t>(since_first(rows[i].time) >> left_out << bits | i);
  }
  const std::size_t padded = (count + kAtOnce - 1) / kAtOnce * kAtOnce;
  for (std::size_t i = count; i < padded; ++i) words[i] = INT16_MAX;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int16_t own = words[i];
    std::int16_t before = 0;
    for (std::size_t j = 0; j < padded; ++j) {
      before = static_cast<std::int16_t>(before + static_cast<std::int16_t>(words[j] < own));
    }
    order_[static_cast<std::size_t>(before)] = i;
  }
  may_have_ties_ = false;
  Time latest = rows[order_[0]].time;
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t own = order_[i];
    const Time time = rows[own].time;
    if (time > latest) {
      latest = time;
      continue;
    }
    std::size_t to = i;
    for (; to > 0 && rows[order_[to - 1]].time > time; --to) order_[to] = order_[to - 1];
    order_[to] = own;
    may_have_ties_ = may_have_ties_ || (to > 0 && rows[order_[to - 1]].time == time);
  }
}

// Sorts words: merges runs that are already in order.
void TimeOrder::sort_words() {
  std::vector<std::uint64_t>& words = order_;
  std::vector<std::uint64_t>& spare = spare_;
  std::vector<std::size_t>& runs = runs_;
  const std::size_t count = words.size();
  runs.clear();  // ends of runs
  for (std::size_t at = 0; at < count;) {
    std::size_t end = at + 1;
    while (end < count && words[end - 1] <= words[end]) ++end;
    // Extend short runs by insertion sort.
    for (; end < count && end - at < kShortRun; ++end) {
      const std::uint64_t word = words[end];
      std::size_t to = end;
      for (; to > at && words[to - 1] > word; --to) words[to] = words[to - 1];
      words[to] = word;
    }
    runs.push_back(end);
    at = end;
  }
  spare.resize(count);
  while (runs.size() > 1) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < runs.size(); run += 2) {
      const bool is_alone = run + 1 == runs.size();
      const std::size_t end = is_alone ? runs[run] : runs[run + 1];
      const std::uint64_t* left = words.data() + begin;
      const std::uint64_t* const left_end = words.data() + runs[run];
      const std::uint64_t* right = left_end;
      const std::uint64_t* const right_end = words.data() + end;
      std::uint64_t* out = spare.data() + begin;
      while (left != left_end && right != right_end) {
        const bool takes_right = *right < *left;
        *out++ = takes_right ? *right : *left;
        right += static_cast<std::ptrdiff_t>(takes_right);
        left += static_cast<std::ptrdiff_t>(!takes_right);
      }
      out = std::copy(left, left_end, out);
      std::copy(right, right_end, out);
      runs[kept++] = end;
      begin = end;
    }
    runs.resize(kept);
    words.swap(spare);
  }
}

}  // namespace holdsfor
