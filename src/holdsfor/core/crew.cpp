#include "crew.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace holdsfor {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

// The shared state of the threads. Keeps the first exception.
class Progress {
 public:
  Progress(unsigned threads, std::atomic<bool>& stop) : running_(threads), stop_(stop) {}

  void fail(std::exception_ptr problem) {
    const std::scoped_lock lock(mutex_);
    if (!problem_) problem_ = std::move(problem);
    stop_ = true;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }
  // Waits for a while. False if threads are still running.
  bool wait() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kBetweenLooks, [&] { return running_ == 0; });
  }
  void rethrow() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  unsigned running_;
  std::atomic<bool>& stop_;
  std::exception_ptr problem_;
};

}  // namespace

Watch::Watch(const std::atomic<bool>& stop, const std::function<void()>* look)
    : stop_(&stop), look_(look), next_(std::chrono::steady_clock::now() + kBetweenLooks) {}

void Watch::check() {
  if (stop_ == nullptr) return;
  if (stop_->load(std::memory_order_relaxed)) throw std::runtime_error("stopped");
  if (look_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kBetweenLooks;
  (*look_)();
}

void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work,
            const std::function<void()>& look, std::atomic<bool>& stop) {
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1)));
  std::atomic<std::size_t> next = 0;
  Progress progress(wanted, stop);
  const auto work_on = [&](unsigned thread) {
    try {
      Watch watch(stop, thread == 0 ? &look : nullptr);
      for (std::size_t number = next++; number < count && !stop; number = next++) {
        work(thread, number);
        watch.check();
      }
    } catch (...) {
      progress.fail(std::current_exception());
    }
    progress.end();
  };
  {
    std::vector<std::jthread> crew;
    for (unsigned thread = 1; thread < wanted; ++thread) crew.emplace_back([&, thread] { work_on(thread); });
    work_on(0);
    while (!progress.wait()) {
      try {
        if (!stop) look();
      } catch (...) {
        progress.fail(std::current_exception());
      }
    }
  }
  progress.rethrow();
}

}  // namespace holdsfor
