// The bytes of a plan as words and texts: see holdsfor/physical/encode.py for their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace holdsfor {

// A hash of the meaning of a plan, 32 bytes. Plans with the same meaning have the same fingerprint.
using Fingerprint = std::array<std::uint64_t, 4>;

// Throws std::invalid_argument with a reason.
[[noreturn]] void refuse_plan(const char* reason);

class PlanWords {
 public:
  explicit PlanWords(std::span<const std::byte> bytes);

  [[nodiscard]] const Fingerprint& fingerprint() const { return fingerprint_; }
  [[nodiscard]] bool is_at_end() const { return at_ == words_.size(); }

  std::int64_t word() {
    if (at_ == words_.size()) refuse_plan("it ends too early");
    return words_[at_++];
  }
  // The number of items that follow, each of at least one word, so that a wrong number cannot allocate all memory.
  std::size_t length();
  std::uint32_t index();
  bool flag();
  const std::string& text();

 private:
  Fingerprint fingerprint_{};
  std::vector<std::int64_t> words_;
  std::vector<std::string> texts_;
  std::size_t at_ = 0;
};

}  // namespace holdsfor
