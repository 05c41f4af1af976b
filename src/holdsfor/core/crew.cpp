#include "crew.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace holdsfor {

void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work) {
  const auto wanted = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  if (wanted <= 1) {
    for (std::size_t number = 0; number < count; ++number) work(0, number);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::exception_ptr problem;
  std::mutex mutex;
  {
    std::vector<std::jthread> crew;
    for (unsigned thread = 0; thread < wanted; ++thread) {
      crew.emplace_back([&, thread] {
        try {
          for (std::size_t number = next++; number < count; number = next++) work(thread, number);
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!problem) problem = std::current_exception();
          next = count;
        }
      });
    }
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace holdsfor
