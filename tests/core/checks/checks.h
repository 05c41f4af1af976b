// Checks of parts of the core that Python does not see, against slow and plain versions of them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

// Stops with the place if something is not so.
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

namespace checks {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // From 0 up to, and without, the limit.
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

 private:
  std::mt19937_64 engine_;
};

void check_key_numbers(unsigned seed);
void check_intake(unsigned seed);
void check_interval_intake(unsigned seed);
void check_row_conditions(unsigned seed);
// Of how many rows nothing was known in advance, out of kRowsEach for each seed.
extern std::size_t unknown_rows;
inline constexpr std::size_t kRowsEach = 60;

}  // namespace checks
