#include "intervals.h"

#include <algorithm>
#include <array>

namespace holdsfor {

void make_maximal(Intervals& list) {
  // Most lists are already maximal.
  std::size_t known = 0;
  for (Time end = kNever; known < list.size(); end = list[known++].end) {
    const Interval& one = list[known];
    if (one.start >= one.end || (known > 0 && one.start <= end)) break;
  }
  if (known == list.size()) return;
  const auto by_start = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  if (!std::is_sorted(list.begin(), list.end(), by_start)) std::sort(list.begin(), list.end(), by_start);
  std::size_t kept = 0;
  for (const Interval one : list) {
    if (one.start >= one.end) continue;
    if (kept > 0 && one.start <= list[kept - 1].end) {
      list[kept - 1].end = std::max(list[kept - 1].end, one.end);
    } else {
      list[kept++] = one;
    }
  }
  list.resize(kept);
}

bool contains(const Intervals& list, Time time) {
  const auto after = std::upper_bound(list.begin(), list.end(), time,
                                      [](Time wanted, const Interval& one) { return wanted < one.start; });
  return after != list.begin() && time < std::prev(after)->end;
}

namespace {

// The union of two lists. Which list comes next is practically random, so the loop avoids branches on it.
void unite_two(const Intervals& one, const Intervals& other, Intervals& into) {
  into.resize(one.size() + other.size());
  if (into.empty()) return;
  const Interval* a = one.data();
  const Interval* b = other.data();
  const Interval* const a_end = a + one.size();
  const Interval* const b_end = b + other.size();
  Interval last = a == a_end || (b != b_end && b->start < a->start) ? *b : *a;
  Interval* out = into.data();
  const auto add = [&](const Interval& next) {
    *out = last;
    const bool is_apart = next.start > last.end;
    out += static_cast<std::ptrdiff_t>(is_apart);
    last.start = is_apart ? next.start : last.start;
    last.end = is_apart ? next.end : std::max(last.end, next.end);
  };
  while (a != a_end && b != b_end) {
    const bool takes_b = b->start < a->start;
    add(takes_b ? *b : *a);
    b += static_cast<std::ptrdiff_t>(takes_b);
    a += static_cast<std::ptrdiff_t>(!takes_b);
  }
  for (; a != a_end; ++a) add(*a);
  for (; b != b_end; ++b) add(*b);
  *out++ = last;
  into.resize(static_cast<std::size_t>(out - into.data()));
}

}  // namespace

void unite(std::span<const Intervals* const> inputs, Intervals& out) {
  constexpr std::size_t kFew = 8;
  out.clear();
  if (inputs.size() > kFew) {
    for (const Intervals* input : inputs) out.insert(out.end(), input->begin(), input->end());
    make_maximal(out);
    return;
  }
  const Intervals* known = nullptr;  // an input, or `out` after the second input
  Intervals joined;
  for (const Intervals* input : inputs) {
    if (input->empty()) continue;
    if (known == nullptr) {
      known = input;
    } else if (known != &out) {
      unite_two(*known, *input, out);
      known = &out;
    } else {
      unite_two(out, *input, joined);
      out.swap(joined);
    }
  }
  if (known == nullptr || known == &out) return;
  // Intervals of a single list may touch, for example in the result of `seq`.
  out.assign(known->begin(), known->end());
  make_maximal(out);
}

namespace {

void intersect_two(const Intervals& one, const Intervals& other, Intervals& into) {
  into.clear();
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const Time start = std::max(one[i].start, other[j].start);
    const Time end = std::min(one[i].end, other[j].end);
    if (start < end) into.push_back({start, end});
    if (one[i].end < other[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

void intersect(std::span<const Intervals* const> inputs, Intervals& out) {
  out.clear();
  if (inputs.size() < 2) {
    if (!inputs.empty()) out = *inputs[0];
  } else {
    intersect_two(*inputs[0], *inputs[1], out);
  }
  Intervals found;
  for (std::size_t i = 2; i < inputs.size(); ++i) {
    intersect_two(out, *inputs[i], found);
    out.swap(found);
  }
  make_maximal(out);
}

void complement(std::span<const Intervals* const> inputs, Intervals& out) {
  unite(inputs, out);
  // Each interval is replaced by the gap before it, if there is one.
  Time start = kNever;
  std::size_t gaps = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Interval one = out[i];
    if (start < one.start) out[gaps++] = {start, one.start};
    start = one.end;
  }
  out.resize(gaps);
  if (start < kForever) out.push_back({start, kForever});
}

void subtract(const Intervals& base, std::span<const Intervals* const> others, Intervals& out) {
  Intervals rest;
  complement(others, rest);
  const Intervals* both[] = {&base, &rest};
  intersect(both, out);
}

}  // namespace holdsfor
