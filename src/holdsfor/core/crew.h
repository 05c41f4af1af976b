// Threads that share a list of work items.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace holdsfor {

// Tells long-running work whether to stop. On the calling thread, `check` also calls `look` every few milliseconds, for
// example to look for signals.
class Watch {
 public:
  Watch() = default;
  // `look` may throw. Null: this thread does not call it. Both must outlive the watch.
  Watch(const std::atomic<bool>& stop, const std::function<void()>* look);

  // Throws if the work is to stop.
  void check();

 private:
  const std::atomic<bool>* stop_ = nullptr;
  const std::function<void()>* look_ = nullptr;
  std::chrono::steady_clock::time_point next_;
};

// Runs `count` work items, each once, on several threads including the calling one, in any assignment. `work(thread,
// number)` is called concurrently; thread 0 is the calling one. The calling thread calls `look` every few milliseconds
// until all items are done. The first exception sets `stop`, so that long-running work can end early, and is rethrown
// after all threads have ended.
void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work,
            const std::function<void()>& look, std::atomic<bool>& stop);

}  // namespace holdsfor
