// Threads that share a list of things to do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace holdsfor {

// Tells what takes long whether to stop. The thread that called for it also looks, every few milliseconds, whether
// somebody wants it to.
class Watch {
 public:
  Watch() = default;
  // `look` may throw. Null: this thread has nothing to look at. Both must outlive the watch.
  Watch(const std::atomic<bool>& stop, const std::function<void()>* look);

  // Throws if it is time to stop.
  void check();

 private:
  const std::atomic<bool>* stop_ = nullptr;
  const std::function<void()>* look_ = nullptr;
  std::chrono::steady_clock::time_point next_;
};

// Does `count` things, each once, on some threads, the calling one among them; which of them does what is left open.
// `work(thread, number)` is called from several threads at once; 0 is the calling one. That calls `look` every few
// milliseconds until all is done. The first exception sets `stop`, so that things that take long can end early, and is
// thrown again when all threads have ended.
void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work,
            const std::function<void()>& look, std::atomic<bool>& stop);

}  // namespace holdsfor
