// The sum of numbers, rounded once: independent of their order. Numbers that were added can be subtracted again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "terms.h"
#include "wide.h"

namespace holdsfor {

class ExactSum {
 public:
  void add(Value number, const TermTable& terms) { change(number, terms, 1); }
  void take_away(Value number, const TermTable& terms) { change(number, terms, -1); }
  void clear() { *this = ExactSum{}; }
  // The sum as one number. Nothing if this class cannot represent it: large integers together with floats, or infinite
  // numbers.
  [[nodiscard]] std::optional<Value> value(TermTable& terms) const;

 private:
  void change(Value number, const TermTable& terms, int sign);
  void add_real(double number);

  Wide whole_ = 0;
  // Floats that do not overlap, smallest first. Their exact sum is the sum of all floats (Shewchuk 1997).
  std::vector<double> parts_;
  std::int64_t reals_ = 0;
  std::int64_t large_ = 0;   // integers without an exact float
  std::int64_t others_ = 0;  // numbers that do not fit into a word, and infinite numbers
  bool is_lost_ = false;     // a part overflowed a float
};

}  // namespace holdsfor
