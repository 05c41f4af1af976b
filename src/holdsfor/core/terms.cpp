#include "terms.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "prefetch.h"

namespace holdsfor {
namespace {

// Minimum number of slots.
constexpr std::size_t kFewestSlots = 256;
// Names whose slots, and then whose terms, are prefetched together, while earlier names are resolved.
constexpr std::size_t kAhead = 32;

}  // namespace

TermMarks::TermMarks(const TermTable& terms) : terms_(terms), marks_(terms.size()) {}

void TermMarks::mark(std::uint64_t word) {
  const Value value = Value::from_word(word);
  if (!value.is_code() || (word >> 2U) >= marks_.size() || marks_[value.as_code()]) return;
  marks_[value.as_code()] = true;
  const Term& term = terms_[value];
  if (term.kind == TermKind::kCompound) mark(term.functor.word());
  mark(term.items);
}

Value TermTable::name(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  make_room(1);
  return name(text, hash(text));
}

void TermTable::names(std::span<const std::string_view> texts, std::span<Value> found) {
  const std::scoped_lock lock(mutex_);
  std::array<std::uint32_t, kAhead> hashes{};
  for (std::size_t first = 0; first < texts.size(); first += kAhead) {
    const std::size_t some = std::min(kAhead, texts.size() - first);
    make_room(some);
    for (std::size_t i = 0; i < some; ++i) {
      hashes[i] = hash(texts[first + i]);
      prefetch(&slots_[home(hashes[i])]);
    }
    for (std::size_t i = 0; i < some; ++i) {
      const Slot& slot = slots_[home(hashes[i])];
      if (slot.code < count_) prefetch(&at(slot.code), sizeof(Term));
    }
    for (std::size_t i = 0; i < some; ++i) found[first + i] = name(texts[first + i], hashes[i]);
  }
}

// The caller holds the lock and has reserved room.
Value TermTable::name(std::string_view text, std::uint32_t hash) {
  Slot& slot = find(hash, [&](const Term& term) { return term.kind == TermKind::kName && term.text == text; });
  if (slot.code == UINT32_MAX) {
    slot = {hash, add(Term{.kind = TermKind::kName, .text = std::string(text)})};
  }
  return Value::code(slot.code);
}

Value TermTable::compound(Value functor, std::span<const Value> args) {
  return intern(Term{.kind = TermKind::kCompound, .functor = functor, .items = {args.begin(), args.end()}});
}

Value TermTable::list(std::span<const Value> items) {
  return intern(Term{.kind = TermKind::kList, .items = {items.begin(), items.end()}});
}

Value TermTable::list(std::span<const Value> items, Value tail) {
  std::vector<Value> all(items.begin(), items.end());
  const bool goes_on = is_list(tail) || is_partial_list(tail);
  if (goes_on) {
    const std::vector<Value>& rest = (*this)[tail].items;
    all.insert(all.end(), rest.begin(), rest.end());
  }
  if (is_list(tail)) return list(all);
  if (items.empty()) return tail;
  if (!goes_on) all.push_back(tail);
  return compound(name("[]"), all);
}

Value TermTable::real(double number) {
  return Value::fits(number) ? Value::real(number) : intern(Term{.kind = TermKind::kReal, .real = number});
}

Value TermTable::big_integer(std::string_view digits) {
  return intern(Term{.kind = TermKind::kBigInteger, .text = std::string(digits)});
}

bool TermTable::is_number(Value value) const {
  if (!value.is_code()) return value.is_integer() || value.is_real();
  const TermKind kind = (*this)[value].kind;
  return kind == TermKind::kReal || kind == TermKind::kBigInteger;
}

std::optional<Time> TermTable::large_time(Value value) const {
  if (!value.is_code() || (*this)[value].kind != TermKind::kBigInteger) return std::nullopt;
  const std::string& digits = (*this)[value].text;
  Time found = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), found);
  const bool is_whole = problem == std::errc{} && end == digits.data() + digits.size();
  return is_whole && found != kForever && found != kNever ? std::optional(found) : std::nullopt;
}

bool TermTable::unifies_inside(Value one, Value other) const {
  const Term& left = (*this)[one];
  const Term& right = (*this)[other];
  if (!left.is_open && !right.is_open) return false;
  if (is_partial_list(one)) return unifies_partial_list(left, other);
  if (is_partial_list(other)) return unifies_partial_list(right, one);
  if (left.kind != right.kind || left.functor != right.functor || left.items.size() != right.items.size()) return false;
  return std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                    [&](Value a, Value b) { return unifies(a, b); });
}

// Unifies item by item as far as both lists have items. Then a tail must unify with the rest of the other list.
bool TermTable::unifies_partial_list(const Term& partial, Value other) const {
  const bool is_partial = is_partial_list(other);
  if (!is_partial && !is_list(other)) return false;
  const std::vector<Value>& items = (*this)[other].items;
  const std::size_t own = partial.items.size() - 1;
  const std::size_t others = items.size() - static_cast<std::size_t>(is_partial);
  for (std::size_t i = 0; i < std::min(own, others); ++i) {
    if (!unifies(partial.items[i], items[i])) return false;
  }
  if (is_partial && own == others) return unifies(partial.items.back(), items.back());
  if (own <= others) return partial.items.back().is_wildcard();
  return is_partial && items.back().is_wildcard();
}

Value TermTable::intern(Term term) {
  term.is_open = std::any_of(term.items.begin(), term.items.end(), [&](Value item) { return is_open(item); });
  if (term.is_open) has_open_ = true;
  const std::uint32_t key = hash(term);
  const std::scoped_lock lock(mutex_);
  make_room(1);
  Slot& slot = find(key, [&](const Term& other) { return same(other, term); });
  if (slot.code == UINT32_MAX) slot = {key, add(std::move(term))};
  return Value::code(slot.code);
}

template <typename IsSame>
TermTable::Slot& TermTable::find(std::uint32_t hash, const IsSame& is_same) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = home(hash);
  for (;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.code == UINT32_MAX) break;
    if (slot.hash == hash && is_same(at(slot.code))) break;
  }
  return slots_[place];
}

void TermTable::make_room(std::size_t more) {
  const std::size_t needed = (used() + more) * 2;
  if (needed <= slots_.size()) return;
  fill_slots(std::bit_ceil(std::max(needed, kFewestSlots)));
}

// Distributes the codes in use to `count` new slots.
void TermTable::fill_slots(std::size_t count) {
  std::vector<Slot> slots(count);
  const std::size_t mask = count - 1;
  const auto shift = static_cast<unsigned>(32 - std::countr_zero(count));
  for (const Slot& slot : slots_) {
    if (slot.code == UINT32_MAX) continue;
    std::size_t place = slot.hash >> shift;
    while (slots[place].code != UINT32_MAX) place = (place + 1) & mask;
    slots[place] = slot;
  }
  slots_.swap(slots);
  shift_ = shift;
}

std::uint32_t TermTable::add(Term term) {
  std::uint32_t code = count_;
  if (free_.empty()) {
    const unsigned block = block_of(code);
    if (!blocks_[block]) blocks_[block] = std::make_unique<Term[]>(std::size_t{1} << (block + kFirstBits));
    ++count_;
  } else {
    code = free_.back();
    free_.pop_back();
  }
  slot(code) = std::move(term);
  return code;
}

Term& TermTable::slot(std::uint32_t code) {
  const unsigned block = block_of(code);
  return blocks_[block][code - begin_of(block)];
}

void TermTable::reclaim(const TermMarks& marks) {
  free_.clear();
  // Reuse smaller codes first.
  for (std::uint32_t code = count_; code-- > kept_;) {
    if (!marks.has(code)) free_.push_back(code);
  }
  for (Slot& slot : slots_) {
    if (slot.code != UINT32_MAX && slot.code >= kept_ && !marks.has(slot.code)) slot = {};
  }
  fill_slots(std::bit_ceil(std::max((used() + 1) * 2, kFewestSlots)));
  for (const std::uint32_t code : free_) slot(code) = Term{};
}

std::uint32_t TermTable::hash(std::string_view name) {
  return static_cast<std::uint32_t>(
      mix(static_cast<std::uint64_t>(TermKind::kName), std::hash<std::string_view>{}(name)));
}

std::uint32_t TermTable::hash(const Term& term) {
  if (term.kind == TermKind::kName) return hash(std::string_view(term.text));
  std::uint64_t found = mix(static_cast<std::uint64_t>(term.kind), term.functor.word());
  found = mix(found, std::bit_cast<std::uint64_t>(term.real));
  found = mix(found, std::hash<std::string>{}(term.text));
  for (const Value item : term.items) found = mix(found, item.word());
  return static_cast<std::uint32_t>(found);
}

bool TermTable::same(const Term& one, const Term& other) {
  return one.kind == other.kind && one.functor == other.functor &&
         std::bit_cast<std::uint64_t>(one.real) == std::bit_cast<std::uint64_t>(other.real) && one.text == other.text &&
         one.items == other.items;
}

}  // namespace holdsfor
