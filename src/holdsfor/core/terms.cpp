#include "terms.h"

#include <bit>
#include <utility>

namespace holdsfor {

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

Value TermTable::big_integer(std::string_view digits) {
  return intern(Term{.kind = TermKind::kBigInteger, .text = std::string(digits)});
}

bool TermTable::is_number(Value value) const {
  if (!value.is_code()) return value.is_integer() || value.is_real();
  const TermKind kind = (*this)[value].kind;
  return kind == TermKind::kReal || kind == TermKind::kBigInteger;
}

Value TermTable::intern(Term term) {
  const std::uint64_t key = hash(term);
  const std::scoped_lock lock(mutex_);
  for (auto [at, end] = codes_.equal_range(key); at != end; ++at) {
    if (same(this->at(at->second), term)) return Value::code(at->second);
  }
  const std::uint32_t code = count_++;
  const unsigned block = block_of(code);
  if (!blocks_[block]) blocks_[block] = std::make_unique<Term[]>(std::size_t{1} << (block + kFirstBits));
  blocks_[block][code - begin_of(block)] = std::move(term);
  codes_.emplace(key, code);
  return Value::code(code);
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
