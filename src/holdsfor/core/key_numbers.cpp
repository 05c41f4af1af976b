#include "key_numbers.h"

#include <algorithm>
#include <array>
#include <bit>

#include "prefetch.h"
#include "tables.h"

namespace holdsfor {
namespace {

// Rows whose slots are fetched together, while those before them are resolved.
constexpr std::size_t kAhead = 32;
constexpr std::size_t kFewestSlots = 64;

}  // namespace

bool KeyNumbers::is(const Slot& slot, std::uint64_t tag, std::span<const Value> key) const {
  if (slot.tag != tag) return false;
  return width_ == 1 || std::equal(key.begin(), key.end(), keys_.data() + slot.number * width_);
}

Index KeyNumbers::find(std::span<const Value> key) const {
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t tag = tag_of(key);
  for (std::size_t at = home(tag); slots_[at].number != kNone; at = (at + 1) & mask) {
    if (is(slots_[at], tag, key)) return slots_[at].number;
  }
  return kNone;
}

Index KeyNumbers::number(std::span<const Value> key) {
  make_room(1);
  const std::uint64_t tag = tag_of(key);
  return resolve(key, tag, home(tag));
}

// There must be room.
inline Index KeyNumbers::resolve(std::span<const Value> key, std::uint64_t tag, std::size_t home) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home;
  for (; slots_[at].number != kNone; at = (at + 1) & mask) {
    if (is(slots_[at], tag, key)) return slots_[at].number;
  }
  return add(key, tag, at);
}

Index KeyNumbers::add(std::span<const Value> key, std::uint64_t tag, std::size_t at) {
  Index number = 0;
  if (free_.empty()) {
    number = static_cast<Index>(used_++);
    keys_.insert(keys_.end(), key.begin(), key.end());
  } else {
    number = free_.back();
    free_.pop_back();
    std::copy(key.begin(), key.end(), keys_.begin() + static_cast<std::ptrdiff_t>(number * width_));
  }
  slots_[at] = {tag, number};
  return number;
}

void KeyNumbers::numbers(const std::uint64_t* rows, std::size_t stride, std::span<const Index> places,
                         std::span<Index> found) {
  std::array<std::uint64_t, kAhead> tags{};
  std::array<std::size_t, kAhead> homes{};
  std::vector<Value> keys(kAhead * width_);
  for (std::size_t first = 0; first < found.size(); first += kAhead) {
    const std::size_t some = std::min(kAhead, found.size() - first);
    make_room(some);
    for (std::size_t i = 0; i < some; ++i) {
      const std::uint64_t* row = rows + (first + i) * stride;
      Value* key = keys.data() + i * width_;
      for (std::size_t place = 0; place < width_; ++place) key[place] = Value::from_word(row[places[place]]);
      tags[i] = tag_of({key, width_});
      homes[i] = home(tags[i]);
      prefetch(&slots_[homes[i]]);
    }
    for (std::size_t i = 0; i < some; ++i) {
      found[first + i] = resolve({keys.data() + i * width_, width_}, tags[i], homes[i]);
    }
  }
}

void KeyNumbers::forget(Index number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(tag_of(key(number)));
  while (slots_[at].number != number) at = (at + 1) & mask;
  // What stands behind moves up, as far as it may: no search ends at the hole.
  for (std::size_t next = (at + 1) & mask; slots_[next].number != kNone; next = (next + 1) & mask) {
    const bool may_move = ((next - home(slots_[next].tag)) & mask) >= ((next - at) & mask);
    if (!may_move) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = {};
  free_.push_back(number);
}

// At most half of the slots are in use.
void KeyNumbers::make_room(std::size_t more) {
  const std::size_t needed = (count() + more) * 2;
  if (needed <= slots_.size()) return;
  std::vector<Slot> before(std::max(kFewestSlots, std::bit_ceil(needed)));
  before.swap(slots_);
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number == kNone) continue;
    std::size_t at = home(slot.tag);
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace holdsfor
