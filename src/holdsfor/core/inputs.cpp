#include "inputs.h"

#include <algorithm>

#include "tables.h"

namespace holdsfor {

const InputBatch* find_batch(const InputBatches& batches, Cause number) {
  const auto after = std::upper_bound(batches.begin(), batches.end(), number,
                                      [](Cause wanted, const auto& batch) { return wanted < batch->first; });
  if (after == batches.begin()) return nullptr;
  const InputBatch& found = **std::prev(after);
  return number < found.end() ? &found : nullptr;
}

bool Inputs::are_equal(Cause one, Cause other) const {
  const InputBatch* const a = find(one);
  const InputBatch* const b = find(other);
  if (a == nullptr || b == nullptr || a->table != b->table) return false;
  const auto i = static_cast<std::size_t>(one - a->first);
  const auto j = static_cast<std::size_t>(other - b->first);
  const bool is_same_pair = std::equal(a->args.begin() + static_cast<std::ptrdiff_t>(i * a->width),
                                       a->args.begin() + static_cast<std::ptrdiff_t>((i + 1) * a->width),
                                       b->args.begin() + static_cast<std::ptrdiff_t>(j * b->width)) &&
                            (a->is_event() || a->values[i] == b->values[j]);
  return is_same_pair && a->kind_of(i) == b->kind_of(j) && a->starts[i] == b->starts[j] && a->end_of(i) == b->end_of(j);
}

InputBatch& Inputs::batch_for(const Head& head, std::size_t width) {
  // References of a batch that no reader has: `last_` and the list.
  constexpr long kOwnReferences = 2;
  const bool goes_on = last_ != nullptr && last_.use_count() == kOwnReferences && last_->table == head.table &&
                       last_->kind == head.kind && last_->known_until == head.known_until && last_->end() == next_;
  if (!goes_on) {
    last_ = std::make_shared<InputBatch>(InputBatch{.first = next_,
                                                    .table = head.table,
                                                    .kind = head.kind,
                                                    .known_until = head.known_until,
                                                    .width = width,
                                                    .starts = {},
                                                    .args = {},
                                                    .ends = {},
                                                    .values = {},
                                                    .last_event = kNever});
    batches_.push_back(last_);
  }
  return *last_;
}

Cause Inputs::add_events(const Head& head, std::span<const Time> times, std::span<const std::uint64_t> args,
                         std::size_t width) {
  const Cause number = next_;
  if (times.empty()) return number;
  InputBatch& batch = batch_for(head, width);
  for (const Time time : times) batch.add_event(time);
  for (const std::uint64_t word : args) batch.args.push_back(Value::from_word(word));
  next_ = batch.end();
  return number;
}

Cause Inputs::add_intervals(const Head& head, std::span<const Time> starts, std::span<const Time> ends,
                            std::span<const std::uint64_t> values, std::span<const std::uint64_t> args,
                            std::span<const bool> is_point, std::size_t width) {
  const Cause number = next_;
  if (starts.empty()) return number;
  InputBatch& batch = batch_for(head, width);
  batch.starts.insert(batch.starts.end(), starts.begin(), starts.end());
  for (const std::uint64_t word : args) batch.args.push_back(Value::from_word(word));
  for (const std::uint64_t word : values) batch.values.push_back(Value::from_word(word));
  for (std::size_t row = 0; row < ends.size(); ++row) batch.ends.push_back(is_point[row] ? kForever : ends[row]);
  next_ = batch.end();
  return number;
}

void Inputs::forget_until(Time query, Cause not_yet_taken_in) {
  std::erase_if(batches_,
                [&](const auto& batch) { return batch->end() <= not_yet_taken_in && batch->last_event <= query; });
}

void Inputs::mark_terms(TermMarks& marks) const {
  for (const auto& batch : batches_) {
    marks.mark(batch->args);
    marks.mark(batch->values);
  }
}

void Inputs::write(StateWriter& into) const {
  into.put_time(next_);
  into.put(batches_.size());
  for (const auto& batch : batches_) {
    into.put_time(batch->first);
    into.put(batch->table);
    into.put(static_cast<std::uint64_t>(batch->kind));
    into.put_time(batch->known_until);
    into.put(batch->size());
    for (std::size_t row = 0; row < batch->size(); ++row) {
      into.put_time(batch->starts[row]);
      into.put_values(std::span(batch->args).subspan(row * batch->width, batch->width));
      if (batch->is_event()) continue;
      into.put_time(batch->ends[row]);
      into.put_value(batch->values[row]);
    }
  }
}

void Inputs::read(StateReader& from, const Plan& plan) {
  const auto require = [](bool is_right) {
    if (!is_right) StateReader::refuse("the saved state is damaged: its inputs are in no order");
  };
  next_ = from.get_time();
  const std::size_t count = from.get_count(5);
  for (std::size_t i = 0; i < count; ++i) {
    InputBatch batch;
    batch.first = from.get_time();
    require(batch.first >= (batches_.empty() ? 0 : batches_.back()->end()));
    batch.table = static_cast<Index>(from.get_below(plan.tables.size()));
    batch.kind = static_cast<InputKind>(from.get_below(kInputKinds));
    batch.known_until = from.get_time();
    batch.width = plan.tables[batch.table].columns;
    const std::size_t rows = from.get_count(batch.width + 1);
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_event = plan.tables[batch.table].is_event();
      const Time start = from.get_time();
      is_event ? batch.add_event(start) : batch.starts.push_back(start);
      from.get_values(batch.width, batch.args);
      if (is_event) continue;
      batch.ends.push_back(from.get_time());
      batch.values.push_back(from.get_value());
    }
    require(rows > 0 && batch.end() <= next_);
    batches_.push_back(std::make_shared<const InputBatch>(std::move(batch)));
  }
}

void Inputs::absorb(const Inputs& other) {
  last_.reset();
  batches_.insert(batches_.end(), other.batches_.begin(), other.batches_.end());
  std::sort(batches_.begin(), batches_.end(), [](const auto& a, const auto& b) { return a->first < b->first; });
  next_ = std::max(next_, other.next_);
}

void Inputs::succeed(const Inputs& other, std::span<const Index> table_of) {
  for (const auto& batch : other.batches_) {
    if (table_of[batch->table] == kNone) continue;
    InputBatch renamed = *batch;
    renamed.table = table_of[batch->table];
    batches_.push_back(std::make_shared<const InputBatch>(std::move(renamed)));
  }
  next_ = other.next_;
}

void Inputs::renumber(Cause more) {
  last_.reset();
  for (auto& batch : batches_) {
    InputBatch moved = *batch;
    moved.first += more;
    batch = std::make_shared<const InputBatch>(std::move(moved));
  }
  next_ += more;
}

}  // namespace holdsfor
