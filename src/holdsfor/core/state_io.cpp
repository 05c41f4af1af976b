#include "state_io.h"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace holdsfor {
namespace {

constexpr char kMagic[8] = {'h', 'o', 'l', 'd', 's', 'f', 'o', 'r'};
// Magic, version, fingerprint of the plan, payload size, checksum of the payload.
constexpr std::size_t kHeaderBytes = 40;

void append_word(std::string& bytes, std::uint64_t word) {
  for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i) & 0xFFU));
}

std::uint64_t read_word(const std::byte* bytes) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 8; ++i) found |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return found;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t found = mix(0, bytes.size());
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) found = mix(found, read_word(bytes.data() + at));
  for (; at < bytes.size(); ++at) found = mix(found, static_cast<std::uint64_t>(bytes[at]));
  return found;
}

std::uint64_t StateWriter::number_of(Value value) {
  if (!value.is_code()) return value.word();
  const auto known = numbers_.find(value.as_code());
  if (known != numbers_.end()) return Value::code(static_cast<std::uint32_t>(known->second)).word();
  const Term& term = terms_[value];
  // Components of a term come before the term.
  std::vector<std::uint64_t> parts{static_cast<std::uint64_t>(term.kind)};
  parts.push_back(term.kind == TermKind::kCompound ? number_of(term.functor) : 0);
  parts.push_back(std::bit_cast<std::uint64_t>(term.real));
  parts.push_back(term.text.size());
  for (std::size_t at = 0; at < term.text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, term.text.data() + at, std::min<std::size_t>(8, term.text.size() - at));
    parts.push_back(word);
  }
  parts.push_back(term.items.size());
  for (const Value item : term.items) parts.push_back(number_of(item));
  const std::uint64_t number = term_count_++;
  numbers_.emplace(value.as_code(), number);
  term_words_.insert(term_words_.end(), parts.begin(), parts.end());
  return Value::code(static_cast<std::uint32_t>(number)).word();
}

std::string StateWriter::finish(std::uint64_t fingerprint) const {
  std::string payload;
  payload.reserve((term_words_.size() + words_.size() + 1) * 8);
  append_word(payload, term_count_);
  for (const std::uint64_t word : term_words_) append_word(payload, word);
  for (const std::uint64_t word : words_) append_word(payload, word);
  std::string bytes(kMagic, sizeof kMagic);
  append_word(bytes, kStateVersion);
  append_word(bytes, fingerprint);
  append_word(bytes, payload.size());
  append_word(bytes, checksum(std::as_bytes(std::span(payload))));
  return bytes + payload;
}

void StateReader::refuse(const std::string& reason) { throw std::invalid_argument(reason); }

// Returns the payload. Refuses bytes that are not a complete state for the plan, with advice for the user.
std::span<const std::byte> StateReader::checked_payload(std::span<const std::byte> bytes, std::uint64_t fingerprint) {
  const std::size_t known = std::min(bytes.size(), sizeof kMagic);
  if (known == 0 || std::memcmp(bytes.data(), kMagic, known) != 0) {
    refuse("this is no saved state: give what save() has made");
  }
  if (bytes.size() < kHeaderBytes) refuse("the saved state is cut off in its header: take a whole copy");
  const std::byte* header = bytes.data() + sizeof kMagic;
  if (read_word(header) != kStateVersion) {
    refuse("the state was saved by another version of holdsfor (format " + std::to_string(read_word(header)) +
           ", this one reads " + std::to_string(kStateVersion) + "): load it with that version, or begin again");
  }
  if (read_word(header + 8) != fingerprint) {
    refuse("the state was saved with other rules or other background facts: load it with those, or begin again");
  }
  const auto payload = bytes.subspan(kHeaderBytes);
  const std::uint64_t size = read_word(header + 16);
  if (payload.size() < size) {
    refuse("the saved state is cut off after " + std::to_string(bytes.size()) + " bytes: take a whole copy");
  }
  if (payload.size() != size || size % 8 != 0 || read_word(header + 24) != checksum(payload)) {
    refuse("the saved state is damaged, its checksum does not fit: take another copy, or begin again");
  }
  return payload;
}

StateReader::StateReader(std::span<const std::byte> bytes, std::uint64_t fingerprint, TermTable& terms) {
  const auto payload = checked_payload(bytes, fingerprint);
  words_.reserve(payload.size() / 8);
  for (std::size_t at = 0; at < payload.size(); at += 8) words_.push_back(read_word(payload.data() + at));
  read_terms(terms);
}

void StateReader::read_terms(TermTable& terms) {
  const std::size_t count = get_count(5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto kind = static_cast<TermKind>(get_below(5));
    const Value functor = kind == TermKind::kCompound ? get_value() : (get(), Value::nothing());
    const auto real = std::bit_cast<double>(get());
    const std::uint64_t size = get();
    if (size > (words_.size() - at_) * 8) refuse("the saved state is damaged: a text is too long");
    std::string text(size, '\0');
    for (std::size_t at = 0; at < size; at += 8) {
      const std::uint64_t word = get();
      std::memcpy(text.data() + at, &word, std::min<std::size_t>(8, size - at));
    }
    std::vector<Value> items;
    get_values(get_count(1), items);
    switch (kind) {
      case TermKind::kName:
        terms_.push_back(terms.name(text));
        break;
      case TermKind::kReal:
        terms_.push_back(terms.real(real));
        break;
      case TermKind::kBigInteger:
        terms_.push_back(terms.big_integer(text));
        break;
      case TermKind::kList:
        terms_.push_back(terms.list(items));
        break;
      case TermKind::kCompound:
        if (!terms.is_name(functor)) refuse("the saved state is damaged: a functor is no name");
        terms_.push_back(terms.compound(functor, items));
        break;
    }
  }
}

std::uint64_t StateReader::get() {
  if (at_ == words_.size()) refuse("the saved state is damaged: it ends too early");
  return words_[at_++];
}

std::int64_t StateReader::get_cause() {
  const auto found = static_cast<std::int64_t>(get());
  if (found < -1) refuse("the saved state is damaged: no input has this number");
  return found;
}

Value StateReader::get_value() {
  const Value value = Value::from_word(get());
  if (value.is_integer() || value.is_real() || value.is_nothing() || value.is_wildcard()) return value;
  if (!value.is_code() || value.word() >> 2U >= terms_.size()) refuse("the saved state is damaged: a term is missing");
  return terms_[value.as_code()];
}

void StateReader::get_values(std::size_t count, std::vector<Value>& into) {
  for (std::size_t i = 0; i < count; ++i) into.push_back(get_value());
}

std::uint64_t StateReader::get_below(std::uint64_t limit) {
  const std::uint64_t found = get();
  if (found >= limit) refuse("the saved state is damaged: a number is too large");
  return found;
}

std::size_t StateReader::get_count(std::size_t words_each) {
  const std::uint64_t found = get();
  if (found > (words_.size() - at_) / std::max<std::size_t>(1, words_each)) {
    refuse("the saved state is damaged: a list is too long");
  }
  return found;
}

}  // namespace holdsfor
