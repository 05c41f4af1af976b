#include "cell_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace holdsfor {
namespace {

// Minimum size for large pages, in bytes. Writes go to scattered positions of the buffer, which is slow on small pages.
constexpr std::size_t kLargePage = std::size_t{2} << 20U;
constexpr std::size_t kSmall = std::size_t{1} << 16U;

static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

}  // namespace

// Large pages need aligned memory from the system allocator.
// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
void CellBuffer::Free::operator()(Value* cells) const noexcept { std::free(cells); }

void CellBuffer::reset(std::size_t size) {
  // Free the memory of a large batch.
  const bool is_far_too_large = capacity_ > kSmall && size < capacity_ / 4;
  if (size > capacity_ || is_far_too_large) {
    cells_.reset();
    capacity_ = 0;
    if (size > 0) {
      const std::size_t bytes = size * sizeof(Value);
      const bool is_large = bytes >= kLargePage;
      const std::size_t rounded = is_large ? (bytes + kLargePage - 1) / kLargePage * kLargePage : bytes;
      void* memory = is_large ? std::aligned_alloc(kLargePage, rounded) : std::malloc(rounded);
      if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
      if (is_large) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
      cells_.reset(static_cast<Value*>(memory));
      capacity_ = rounded / sizeof(Value);
    }
  }
  size_ = size;
}
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)

}  // namespace holdsfor
