#include "key_numbers.h"

#include <algorithm>
#include <array>
#include <bit>

#include "prefetch.h"
#include "tables.h"

namespace holdsfor {
namespace {

// Rows whose slots are prefetched together, while earlier rows are resolved.
constexpr std::size_t kAhead = 32;
constexpr std::size_t kFewestSlots = 64;
// Entries of `of_code_` for each key; a limit for its memory.
constexpr std::size_t kCodesForKey = 8;

}  // namespace

bool KeyNumbers::is(const Slot& slot, std::uint64_t tag, std::span<const Value> key) const {
  if (slot.tag != tag) return false;
  return width_ == 1 || std::equal(key.begin(), key.end(), keys_.data() + slot.number * width_);
}

Index KeyNumbers::find(std::span<const Value> key) const {
  const std::uint64_t tag = tag_of(key);
  if (has_place(tag)) return of_code_[Value::from_word(tag).as_code()];
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = home(tag); slots_[at].number != kNone; at = (at + 1) & mask) {
    if (is(slots_[at], tag, key)) return slots_[at].number;
  }
  return kNone;
}

Index KeyNumbers::number(std::span<const Value> key) {
  make_room(1);
  return resolve(key, tag_of(key));
}

// The caller must have reserved room.
inline Index KeyNumbers::resolve(std::span<const Value> key, std::uint64_t tag) {
  if (has_place(tag)) {
    Index& number = of_code_[Value::from_word(tag).as_code()];
    if (number == kNone) number = add(key);
    return number;
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(tag);
  for (; slots_[at].number != kNone; at = (at + 1) & mask) {
    if (is(slots_[at], tag, key)) return slots_[at].number;
  }
  slots_[at] = {tag, add(key)};
  ++hashed_;
  return slots_[at].number;
}

Index KeyNumbers::add(std::span<const Value> key) {
  if (free_.empty()) {
    keys_.insert(keys_.end(), key.begin(), key.end());
    return static_cast<Index>(used_++);
  }
  const Index number = free_.back();
  free_.pop_back();
  std::copy(key.begin(), key.end(), keys_.begin() + static_cast<std::ptrdiff_t>(number * width_));
  return number;
}

void KeyNumbers::numbers(const std::uint64_t* rows, std::size_t stride, std::span<const Index> places,
                         std::span<Index> found) {
  if (width_ == 1) {
    number_words(rows + places[0], stride, found);
    return;
  }
  std::array<std::uint64_t, kAhead> tags{};
  std::vector<Value> keys(kAhead * width_);
  for (std::size_t first = 0; first < found.size(); first += kAhead) {
    const std::size_t some = std::min(kAhead, found.size() - first);
    make_room(some);
    for (std::size_t i = 0; i < some; ++i) {
      const std::uint64_t* row = rows + (first + i) * stride;
      Value* key = keys.data() + i * width_;
      for (std::size_t place = 0; place < width_; ++place) key[place] = Value::from_word(row[places[place]]);
      tags[i] = tag_of({key, width_});
      prefetch(&slots_[home(tags[i])]);
    }
    for (std::size_t i = 0; i < some; ++i) found[first + i] = resolve({keys.data() + i * width_, width_}, tags[i]);
  }
}

// Numbers of keys that are one word. Most keys are known.
void KeyNumbers::number_words(const std::uint64_t* words, std::size_t stride, std::span<Index> found) {
  make_room(1);
  for (std::size_t first = 0; first < found.size(); first += kAhead) {
    const std::size_t end = std::min(first + kAhead, found.size());
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t word = words[i * stride];
      if (!has_place(word)) prefetch(&slots_[home(word)]);
    }
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t word = words[i * stride];
      if (has_place(word)) {
        found[i] = of_code_[Value::from_word(word).as_code()];
      } else {
        const Slot& slot = slots_[home(word)];
        found[i] = slot.tag == word ? slot.number : kNone;
      }
      if (found[i] == kNone) found[i] = number(std::array{Value::from_word(word)});
    }
  }
}

void KeyNumbers::forget(Index number) {
  free_.push_back(number);
  const std::uint64_t tag = tag_of(key(number));
  if (has_place(tag)) {
    of_code_[Value::from_word(tag).as_code()] = kNone;
    return;
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(tag);
  while (slots_[at].number != number) at = (at + 1) & mask;
  // Close the gap: moves later entries of the probe sequence forward if possible, so that no search ends too early.
  for (std::size_t next = (at + 1) & mask; slots_[next].number != kNone; next = (next + 1) & mask) {
    const bool may_move = ((next - home(slots_[next].tag)) & mask) >= ((next - at) & mask);
    if (!may_move) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = {};
  --hashed_;
}

// Reserves `kCodesForKey` code entries for each key, and keeps at most half of the slots in use.
void KeyNumbers::make_room(std::size_t more) {
  const std::size_t places = width_ == 1 ? (count() + more) * kCodesForKey : 0;
  if (places > of_code_.size()) {
    of_code_.resize(std::bit_ceil(places), kNone);
    fill_slots(std::max(slots_.size(), kFewestSlots));
  }
  const std::size_t needed = (hashed_ + more) * 2;
  if (needed > slots_.size()) fill_slots(std::max(kFewestSlots, std::bit_ceil(needed)));
}

// Distributes the keys to `count` new slots, or to code entries that now exist.
void KeyNumbers::fill_slots(std::size_t count) {
  std::vector<Slot> before(count);
  before.swap(slots_);
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  hashed_ = 0;
  for (const Slot& slot : before) {
    if (slot.number == kNone) continue;
    if (has_place(slot.tag)) {
      of_code_[Value::from_word(slot.tag).as_code()] = slot.number;
      continue;
    }
    std::size_t at = home(slot.tag);
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
    ++hashed_;
  }
}

}  // namespace holdsfor
