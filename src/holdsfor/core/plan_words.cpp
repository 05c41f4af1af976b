#include "plan_words.h"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace holdsfor {
namespace {

// The first bytes of a plan. The last of these bytes is the version of the format.
constexpr char kMark[8] = {'h', 'f', 'p', 'l', 'a', 'n', 0, 7};

// Takes bytes from the front.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) refuse_plan("it ends too early");
    const auto found = rest_.first(count);
    rest_ = rest_.subspan(count);
    return found;
  }
  template <typename T>
  void take_all(T* into, std::size_t count) {
    if (count > rest_.size() / sizeof(T)) refuse_plan("it ends too early");
    if (count > 0) std::memcpy(into, take(count * sizeof(T)).data(), count * sizeof(T));
  }
  // The number of items that follow, each of eight bytes.
  std::size_t take_count() {
    std::int64_t found = 0;
    take_all(&found, 1);
    if (found < 0 || static_cast<std::size_t>(found) > rest_.size() / sizeof(std::int64_t)) {
      refuse_plan("a length is too large");
    }
    return static_cast<std::size_t>(found);
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

void refuse_plan(const char* reason) { throw std::invalid_argument(std::string("this is no plan: ") + reason); }

PlanWords::PlanWords(std::span<const std::byte> bytes) {
  Bytes from(bytes);
  if (bytes.size() < sizeof kMark || std::memcmp(from.take(sizeof kMark).data(), kMark, sizeof kMark) != 0) {
    refuse_plan("it is something else, or of another version of holdsfor");
  }
  from.take_all(fingerprint_.data(), fingerprint_.size());
  words_.resize(from.take_count());
  std::vector<std::int64_t> lengths(from.take_count());
  from.take_all(words_.data(), words_.size());
  from.take_all(lengths.data(), lengths.size());
  texts_.reserve(lengths.size());
  for (const std::int64_t length : lengths) {
    if (length < 0) refuse_plan("a length is negative");
    const auto text = from.take(static_cast<std::size_t>(length));
    const void* data = text.data();
    texts_.emplace_back(static_cast<const char*>(data), text.size());
  }
  if (!from.is_empty()) refuse_plan("something follows it");
}

std::size_t PlanWords::length() {
  const std::int64_t found = word();
  if (found < 0 || static_cast<std::size_t>(found) > words_.size() - at_) refuse_plan("a length is too large");
  return static_cast<std::size_t>(found);
}

std::uint32_t PlanWords::index() {
  const std::int64_t found = word();
  if (found < 0 || std::cmp_greater_equal(found, std::numeric_limits<std::uint32_t>::max()))
    refuse_plan("a number is out of range");
  return static_cast<std::uint32_t>(found);
}

bool PlanWords::flag() {
  const std::int64_t found = word();
  if (found != 0 && found != 1) refuse_plan("a flag is neither 0 nor 1");
  return found == 1;
}

const std::string& PlanWords::text() {
  const std::int64_t found = word();
  if (found < 0 || static_cast<std::size_t>(found) >= texts_.size()) refuse_plan("a text is missing");
  return texts_[static_cast<std::size_t>(found)];
}

}  // namespace holdsfor
