#include "key_numbers.h"

#include <algorithm>
#include <array>

#include "prefetch.h"
#include "tables.h"

namespace holdsfor {
namespace {

// Rows whose slots are fetched together, while those before them are resolved.
constexpr std::size_t kAhead = 16;

}  // namespace

bool KeyNumbers::is(Index number, std::span<const Value> key) const {
  const Value* own = keys_.data() + number * width_;
  for (std::size_t i = 0; i < width_; ++i) {
    if (own[i] != key[i]) return false;
  }
  return true;
}

Index KeyNumbers::find(std::span<const Value> key) const {
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t wanted = hash(key);
  for (std::size_t at = wanted & mask; slots_[at].number != kNone; at = (at + 1) & mask) {
    if (slots_[at].hash == wanted && is(slots_[at].number, key)) return slots_[at].number;
  }
  return kNone;
}

Index KeyNumbers::number(std::span<const Value> key) {
  if (count() * 2 >= slots_.size()) grow();
  return resolve(key, hash(key));
}

// There must be room.
Index KeyNumbers::resolve(std::span<const Value> key, std::uint32_t wanted) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = wanted & mask;
  for (; slots_[at].number != kNone; at = (at + 1) & mask) {
    if (slots_[at].hash == wanted && is(slots_[at].number, key)) return slots_[at].number;
  }
  Index number = 0;
  if (free_.empty()) {
    number = static_cast<Index>(used_++);
    keys_.insert(keys_.end(), key.begin(), key.end());
  } else {
    number = free_.back();
    free_.pop_back();
    std::copy(key.begin(), key.end(), keys_.begin() + static_cast<std::ptrdiff_t>(number * width_));
  }
  slots_[at] = {wanted, number};
  return number;
}

void KeyNumbers::numbers(const Value* rows, std::size_t stride, std::span<const Index> places, std::span<Index> found) {
  std::array<std::uint32_t, kAhead> hashes{};
  std::vector<Value> keys(kAhead * width_);
  for (std::size_t first = 0; first < found.size(); first += kAhead) {
    const std::size_t some = std::min(kAhead, found.size() - first);
    while ((count() + some) * 2 > slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < some; ++i) {
      const Value* row = rows + (first + i) * stride;
      Value* key = keys.data() + i * width_;
      for (std::size_t place = 0; place < width_; ++place) key[place] = row[places[place]];
      hashes[i] = hash({key, width_});
      prefetch(&slots_[hashes[i] & mask]);
    }
    for (std::size_t i = 0; i < some; ++i) {
      found[first + i] = resolve({keys.data() + i * width_, width_}, hashes[i]);
    }
  }
}

void KeyNumbers::forget(Index number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(key(number)) & mask;
  while (slots_[at].number != number) at = (at + 1) & mask;
  // What stands behind moves up, as far as it may: no search ends at the hole.
  for (std::size_t next = (at + 1) & mask; slots_[next].number != kNone; next = (next + 1) & mask) {
    const std::size_t home = slots_[next].hash & mask;
    const bool may_move = ((next - home) & mask) >= ((next - at) & mask);
    if (!may_move) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = {};
  free_.push_back(number);
}

void KeyNumbers::grow() {
  std::vector<Slot> before(std::max<std::size_t>(64, slots_.size() * 2));
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace holdsfor
