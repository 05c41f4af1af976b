// Threads that share a list of things to do.
#pragma once

#include <cstddef>
#include <functional>

namespace holdsfor {

// Does `count` things, each once, on some threads; which of them does what is left open. `work(thread, number)` is
// called from several threads at once. The first exception stops all of them, and is thrown again.
void do_all(std::size_t count, unsigned threads, const std::function<void(unsigned, std::size_t)>& work);

}  // namespace holdsfor
