#include "change_texts.h"

#include <algorithm>

namespace holdsfor {

std::span<const Value> ChangeTexts::args(std::size_t number) const {
  const auto from = static_cast<std::size_t>(changes_.offsets[number]);
  return std::span(changes_.columns).subspan(from, static_cast<std::size_t>(changes_.offsets[number + 1]) - from);
}

void ChangeTexts::go_to(std::size_t number) {
  const ChangeList::Entry& now = changes_.entries[number];
  const std::span<const Value> mine = args(number);
  is_same_fluent_ = false;
  is_same_value_ = false;
  if (at_ != SIZE_MAX) {
    const ChangeList::Entry& before = changes_.entries[at_];
    const std::span<const Value> theirs = args(at_);
    is_same_value_ = before.value == now.value;
    is_same_fluent_ = before.table == now.table && std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end());
  }
  at_ = number;
  if (!is_same_fluent_) {
    fluent_.clear();
    speller_.add_row(now.table, mine, Value::nothing(), fluent_);
    fluent_.end();
    fluent_hash_ = text_hash(fluent_[0]);
  }
  if (!is_same_value_) value_ = &text_of(now.value);
}

const ChangeTexts::ValueText& ChangeTexts::text_of(Value value) {
  const auto known = values_.find(value.word());
  if (known != values_.end()) return known->second;
  TextColumn text;
  speller_.add(value, true, text);
  text.end();
  return values_.emplace(value.word(), ValueText{std::string(text[0]), text_hash(text[0])}).first->second;
}

IntervalId ChangeTexts::id() const {
  const Reported& now = changes_.entries[at_].change.now;
  return interval_id(fluent_hash_, value_->hash, start_in_id(now.first_start, tick_), now.first_query * tick_);
}

NamedInputs::NamedInputs(const ChangeList& changes) : changes_(changes) {
  if (changes.causes.empty()) return;
  const auto [low, high] = std::minmax_element(changes.causes.begin(), changes.causes.end());
  const auto span = static_cast<std::size_t>(*high - *low) + 1;
  // If the numbers are close together, a bitmap avoids sorting.
  constexpr std::size_t kMostSpread = 50;
  if (span <= kMostSpread * changes.causes.size()) {
    find_by_marks(*low, span);
  } else {
    find_by_sorting();
  }
}

void NamedInputs::find_by_marks(Cause low, std::size_t span) {
  std::vector<std::int32_t> place(span, -1);
  for (const Cause cause : changes_.causes) place[static_cast<std::size_t>(cause - low)] = 0;
  for (std::size_t at = 0; at < span; ++at) {
    if (place[at] < 0) continue;
    place[at] = static_cast<std::int32_t>(numbers_.size());
    numbers_.push_back(low + static_cast<Cause>(at));
  }
  places_.reserve(changes_.causes.size());
  for (const Cause cause : changes_.causes) places_.push_back(place[static_cast<std::size_t>(cause - low)]);
}

void NamedInputs::find_by_sorting() {
  numbers_ = changes_.causes;
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  places_.reserve(changes_.causes.size());
  for (const Cause cause : changes_.causes) {
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), cause);
    places_.push_back(static_cast<std::int32_t>(found - numbers_.begin()));
  }
}

void add_input(Speller& speller, const NamedInputs::Row& input, TextColumn& into) {
  const InputBatch& batch = *input.batch;
  const auto args = std::span(batch.args).subspan(input.row * batch.width, batch.width);
  speller.add_row(batch.table, args, batch.is_event() ? Value::nothing() : batch.values[input.row], into);
}

}  // namespace holdsfor
