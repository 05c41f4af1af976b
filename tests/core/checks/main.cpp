#include <cstdlib>

#include "checks.h"

// Arguments: the first seed, and how many.
int main(int count, char** arguments) {
  const auto first = static_cast<unsigned>(count > 1 ? std::atoi(arguments[1]) : 0);
  const auto many = static_cast<unsigned>(count > 2 ? std::atoi(arguments[2]) : 300);
  for (unsigned seed = first; seed < first + many; ++seed) {
    checks::check_key_numbers(seed);
    checks::check_intake(seed);
    checks::check_interval_intake(seed);
    checks::check_row_conditions(seed);
  }
  CHECK(checks::unknown_rows < many * checks::kRowsEach / 2);
  return 0;
}
