#include "interval_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace holdsfor {
namespace {

constexpr Time kFar = Time{1} << 62U;

Value moment(Time time, const Arithmetic& arithmetic, TermTable& terms) {
  if (time != kForever && time != kNever) return terms.integer(time);
  const double infinite = std::numeric_limits<double>::infinity();
  return arithmetic.term(terms.real(time == kForever ? infinite : -infinite));
}

std::optional<Time> read_moment(Value term, const Arithmetic& arithmetic, const TermTable& terms) {
  const auto number = arithmetic.number_of(term);
  if (!number) return std::nullopt;
  if (const auto time = terms.time(*number)) return *time >= kFar ? kForever : *time <= -kFar ? kNever : *time;
  const bool is_big = number->is_code() && terms[*number].kind == TermKind::kBigInteger;
  if (is_big) return terms[*number].text.front() == '-' ? kNever : kForever;
  const double real = number->is_code() ? terms[*number].real : number->as_real();
  if (std::fabs(real) >= static_cast<double>(kFar)) return real > 0 ? kForever : kNever;
  return real == std::trunc(real) ? std::optional(static_cast<Time>(real)) : std::nullopt;
}

}  // namespace

Value spell(const Intervals& list, const Arithmetic& arithmetic, TermTable& terms) {
  std::vector<Value> items;
  const Value comma = terms.name(",");
  for (const Interval& one : list) {
    items.push_back(
        terms.compound(comma, std::array{moment(one.start, arithmetic, terms), moment(one.end, arithmetic, terms)}));
  }
  return terms.list(items);
}

std::optional<Intervals> read_intervals(Value term, const Arithmetic& arithmetic, const TermTable& terms) {
  if (!terms.is_list(term)) return std::nullopt;
  std::vector<Interval> found;
  for (const Value item : terms[term].items) {
    if (!terms.is_compound(item)) return std::nullopt;
    const Term& pair = terms[item];
    if (pair.items.size() != 2 || terms[pair.functor].text != ",") return std::nullopt;
    const auto start = read_moment(pair.items[0], arithmetic, terms);
    const auto end = start ? read_moment(pair.items[1], arithmetic, terms) : std::nullopt;
    if (!end) return std::nullopt;
    if (*start < *end) found.push_back({*start, *end});
  }
  std::sort(found.begin(), found.end(), [](const Interval& a, const Interval& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  Intervals joined;
  for (const Interval& one : found) {
    if (!joined.empty() && one.start < joined.back().end) {
      joined.back().end = std::max(joined.back().end, one.end);
    } else {
      joined.push_back(one);
    }
  }
  return joined;
}

}  // namespace holdsfor
