#include "terms.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

namespace holdsfor {

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
  return intern(Term{.kind = TermKind::kName, .text = std::string(text)});
}

Value TermTable::compound(Value functor, std::span<const Value> args) {
  return intern(Term{.kind = TermKind::kCompound, .functor = functor, .items = {args.begin(), args.end()}});
}

Value TermTable::list(std::span<const Value> items) {
  return intern(Term{.kind = TermKind::kList, .items = {items.begin(), items.end()}});
}

Value TermTable::real(double number) {
  return Value::fits(number) ? Value::real(number) : intern(Term{.kind = TermKind::kReal, .real = number});
}

Value TermTable::number(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (number > -kExact && number < kExact && number == std::trunc(number)) {
    return Value::integer(static_cast<std::int64_t>(number));
  }
  return real(number);
}

Value TermTable::big_integer(std::string_view digits) {
  return intern(Term{.kind = TermKind::kBigInteger, .text = std::string(digits)});
}

bool TermTable::is_number(Value value) const {
  if (!value.is_code()) return value.is_integer() || value.is_real();
  const TermKind kind = (*this)[value].kind;
  return kind == TermKind::kReal || kind == TermKind::kBigInteger;
}

std::optional<Time> TermTable::time(Value value) const {
  if (value.is_integer()) return value.as_integer();
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
  if (left.kind != right.kind || left.functor != right.functor || left.items.size() != right.items.size()) return false;
  return std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                    [&](Value a, Value b) { return unifies(a, b); });
}

Value TermTable::intern(Term term) {
  term.is_open = std::any_of(term.items.begin(), term.items.end(), [&](Value item) { return is_open(item); });
  if (term.is_open) has_open_ = true;
  const std::uint64_t key = hash(term);
  const std::scoped_lock lock(mutex_);
  for (auto [at, end] = codes_.equal_range(key); at != end; ++at) {
    if (same(this->at(at->second), term)) return Value::code(at->second);
  }
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
  codes_.emplace(key, code);
  return Value::code(code);
}

Term& TermTable::slot(std::uint32_t code) {
  const unsigned block = block_of(code);
  return blocks_[block][code - begin_of(block)];
}

void TermTable::reclaim(const TermMarks& marks) {
  free_.clear();
  // Smaller codes are used first.
  for (std::uint32_t code = count_; code-- > kept_;) {
    if (!marks.has(code)) free_.push_back(code);
  }
  std::erase_if(codes_, [&](const auto& entry) { return entry.second >= kept_ && !marks.has(entry.second); });
  for (const std::uint32_t code : free_) slot(code) = Term{};
}

std::uint64_t TermTable::hash(const Term& term) {
  std::uint64_t found = mix(static_cast<std::uint64_t>(term.kind), term.functor.word());
  found = mix(found, std::bit_cast<std::uint64_t>(term.real));
  found = mix(found, std::hash<std::string>{}(term.text));
  for (const Value item : term.items) found = mix(found, item.word());
  return found;
}

bool TermTable::same(const Term& one, const Term& other) {
  return one.kind == other.kind && one.functor == other.functor &&
         std::bit_cast<std::uint64_t>(one.real) == std::bit_cast<std::uint64_t>(other.real) && one.text == other.text &&
         one.items == other.items;
}

}  // namespace holdsfor
