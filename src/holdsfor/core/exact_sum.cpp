#include "exact_sum.h"

#include <cmath>
#include <utility>

namespace holdsfor {
namespace {

// Below this, every integer has an exact float.
constexpr std::int64_t kExact = std::int64_t{1} << 53U;

// Rounds parts that do not overlap, smallest first, to the nearest float, ties to even, as if they were added exactly.
double rounded(const std::vector<double>& parts) {
  if (parts.empty()) return 0.0;
  std::size_t left = parts.size() - 1;
  double high = parts[left];
  double low = 0.0;
  while (left > 0) {
    const double x = high;
    const double y = parts[--left];
    high = x + y;
    low = y - (high - x);
    if (low != 0.0) break;
  }
  // Exactly between two floats, the next smaller part decides.
  if (left > 0 && ((low < 0.0 && parts[left - 1] < 0.0) || (low > 0.0 && parts[left - 1] > 0.0))) {
    const double twice = low * 2.0;
    const double moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

}  // namespace

void ExactSum::change(Value number, const TermTable& terms, int sign) {
  if (number.is_integer()) {
    whole_ += sign * static_cast<Wide>(number.as_integer());
    if (number.as_integer() <= -kExact || number.as_integer() >= kExact) large_ += sign;
    return;
  }
  const bool is_stored = number.is_code();
  const bool is_real = !is_stored || terms[number].kind == TermKind::kReal;
  const double real = !is_stored ? number.as_real() : terms[number].real;
  if (!is_real || !std::isfinite(real)) {
    others_ += sign;
    return;
  }
  reals_ += sign;
  add_real(sign * real);
}

void ExactSum::add_real(double number) {
  std::size_t kept = 0;
  for (double part : parts_) {
    if (std::fabs(number) < std::fabs(part)) std::swap(number, part);
    const double high = number + part;
    const double low = part - (high - number);
    if (low != 0.0) parts_[kept++] = low;
    number = high;
  }
  parts_.resize(kept);
  if (!std::isfinite(number)) {
    is_lost_ = true;
  } else if (number != 0.0) {
    parts_.push_back(number);
  }
}

std::optional<Value> ExactSum::value(TermTable& terms) const {
  if (others_ > 0 || is_lost_) return std::nullopt;
  if (reals_ == 0) {
    if (whole_ >= INT64_MIN && whole_ <= INT64_MAX) return terms.integer(static_cast<std::int64_t>(whole_));
    return std::nullopt;
  }
  if (large_ > 0) return std::nullopt;
  ExactSum all = *this;
  // Integers below 2^53 sum to far less than 2^106, so two floats represent their sum exactly.
  const auto high = static_cast<double>(whole_);
  all.add_real(high);
  all.add_real(static_cast<double>(whole_ - static_cast<Wide>(high)));
  if (all.is_lost_) return std::nullopt;
  const double found = rounded(all.parts_);
  if (!std::isfinite(found)) return std::nullopt;
  return terms.number(found);
}

}  // namespace holdsfor
