// Spells changes and their causes as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine.h"
#include "ids.h"
#include "spelling.h"

namespace holdsfor {

// Spells changes in order. The changes of a key follow each other, so text that two consecutive changes share is
// spelled once.
class ChangeTexts {
 public:
  // Times in ids are ticks multiplied by `tick`.
  ChangeTexts(Speller& speller, const ChangeList& changes, Time tick)
      : speller_(speller), changes_(changes), tick_(tick) {}

  // Moves to a change. Its texts are valid until the next call.
  void go_to(std::size_t number);
  [[nodiscard]] std::string_view fluent() const { return fluent_[0]; }
  [[nodiscard]] std::string_view value() const { return value_->text; }
  [[nodiscard]] IntervalId id() const;
  // Whether the previous change had the same fluent or value.
  [[nodiscard]] bool is_same_fluent() const { return is_same_fluent_; }
  [[nodiscard]] bool is_same_value() const { return is_same_value_; }

 private:
  struct ValueText {
    std::string text;
    TextHash hash;
  };

  [[nodiscard]] std::span<const Value> args(std::size_t number) const;
  const ValueText& text_of(Value value);

  Speller& speller_;
  const ChangeList& changes_;
  Time tick_;
  std::size_t at_ = SIZE_MAX;
  TextColumn fluent_;
  TextHash fluent_hash_{};
  const ValueText* value_ = nullptr;
  std::unordered_map<std::uint64_t, ValueText> values_;
  bool is_same_fluent_ = false;
  bool is_same_value_ = false;
};

// The inputs that changes name as causes, each once, ordered by number.
class NamedInputs {
 public:
  explicit NamedInputs(const ChangeList& changes);

  struct Row {
    const InputBatch* batch;
    std::size_t row;
  };
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  // For each cause of each change, its index among these inputs.
  [[nodiscard]] const std::vector<std::int32_t>& places() const { return places_; }
  [[nodiscard]] std::vector<std::int32_t> take_places() { return std::move(places_); }
  // Calls `visit` with every input.
  template <typename Visit>
  void each(const Visit& visit) const {
    const InputBatch* batch = nullptr;
    for (const Cause number : numbers_) {
      if (batch == nullptr || number >= batch->end()) batch = find_batch(changes_.inputs, number);
      visit(Row{.batch = batch, .row = static_cast<std::size_t>(number - batch->first)});
    }
  }

 private:
  void find_by_marks(Cause low, std::size_t span);
  void find_by_sorting();

  const ChangeList& changes_;
  std::vector<Cause> numbers_;
  std::vector<std::int32_t> places_;
};

// Adds the text of an input, such as `turn(ann)` or `near(ann)=true`.
void add_input(Speller& speller, const NamedInputs::Row& input, TextColumn& into);

}  // namespace holdsfor
