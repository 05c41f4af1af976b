// Threads that share a list of things to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace holdsfor {

// Does `count` things, each once, on some threads; which of them does what is left open. `work(thread, number)` is
// called from several threads at once. The calling thread calls `watch` every few milliseconds until they are done. The
// first exception sets `stop`, so that things that take long can end early, and is thrown again when all threads have
// ended.
void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work,
            const std::function<void()>& watch, std::atomic<bool>& stop);

}  // namespace holdsfor
