// Prefetches memory that is read soon. Keys are scattered in memory, and cache misses would cost more than the work on
// a key.
#pragma once

#include <cstddef>

namespace holdsfor {

inline constexpr std::size_t kCacheLine = 64;

inline void prefetch([[maybe_unused]] const void* address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

// Prefetches the first cache lines of a range.
inline void prefetch(const void* address, std::size_t bytes) {
  // Bytes that are prefetched at most.
  constexpr std::size_t kMost = 6 * kCacheLine;
  const auto* from = static_cast<const std::byte*>(address);
  for (std::size_t at = 0; at < bytes && at < kMost; at += kCacheLine) prefetch(from + at);
}

}  // namespace holdsfor
