// Reads and writes the keys of a stage in a saved state.
#include <algorithm>

#include "stage_shared.h"
#include "stage_store.h"

namespace holdsfor {

// Whether a slot is in use. Slots of forgotten keys are empty.
bool StageStore::is_used(Index slot) const {
  const KeyState& state = states_[slot];
  return !state.log.empty() || !state.intervals.empty() || (state.effects && !state.effects->empty()) ||
         state.base.time != kNever || !state.results.empty() || !state.reported.empty() || state.report != kNone;
}

// Rows of a value are saved with the keys that have the value. Any key may later need the rows of values without keys.
void StageStore::write_parts(StateWriter& into, const LogWidths& widths, const IsWanted& is_wanted) const {
  std::vector<bool> is_needed(parts_->size());
  for (Index slot = 0; slot < states_.size(); ++slot) {
    if (is_used(slot) && is_wanted(keys_.key(slot))) parts_->mark_values(keys_.key(slot), is_needed);
  }
  parts_->write(into, widths,
                [&](Index value, std::span<const Value> key) { return is_needed[value] || is_wanted(key); });
}

const KeyState* StageStore::shared_state() const { return shared_ ? &shared_->state : nullptr; }

std::vector<Index> StageStore::slots_of(const IsWanted& is_wanted) const {
  std::vector<Index> slots;
  for (Index slot = 0; slot < states_.size(); ++slot) {
    if (is_used(slot) && is_wanted(keys_.key(slot))) slots.push_back(slot);
  }
  return slots;
}

void StageStore::write(StateWriter& into, const LogWidths& widths, bool is_main, const std::vector<Index>& slots,
                       const IsWanted& is_wanted, const CausesOf& causes_of) const {
  into.put(is_main ? unmatched() : 0);
  into.put(is_main && shared_ ? 1 : 0);
  if (is_main && shared_) write_state(into, shared_->state, widths);
  if (parts_) write_parts(into, widths, is_wanted);
  into.put(slots.size());
  for (const Index slot : slots) {
    into.put_values(keys_.key(slot));
    if (is_tied()) write_others(into, slot);
    write_state(into, states_[slot], widths);
    const Index report = states_[slot].report;
    into.put(report == kNone ? 0 : 1);
    if (report == kNone) continue;
    const std::span<const Cause> causes = causes_of(report);
    into.put(causes.size());
    for (const Cause cause : causes) into.put_time(cause);
  }
}

// Writes the other keys of a group.
void StageStore::write_others(StateWriter& into, Index slot) const {
  std::size_t count = 0;
  ties_.for_members(slot, [&](Index) { ++count; });
  into.put(count - 1);
  ties_.for_members(slot, [&](Index number) {
    if (number != slot) into.put_values(keys_.key(number));
  });
}

void StageStore::read_others(StateReader& from, Index slot) {
  ties_.assign(slot, slot, keys_.key(slot)[0]);
  for (std::size_t count = from.get_count(1); count > 0; --count) {
    key_.clear();
    from.get_values(1, key_);
    const Index number = keys_.number(key_);
    if (number < states_.size()) StateReader::refuse("the saved state is damaged: a key is there twice");
    states_.resize(keys_.size());
    states_[number].is_forgotten = true;
    ties_.assign(slot, number, key_[0]);
  }
}

void StageStore::read(StateReader& from, const LogWidths& widths) {
  unmatched_ += from.get();
  if (from.get_below(2) == 1) {
    KeyState state = read_state(from, prepared_.plan, widths);
    if (!shared_) StateReader::refuse("the saved state is damaged: keys of this stage share nothing");
    shared_->state = std::move(state);
    shared_->is_stale = true;
  }
  if (parts_) parts_->read(from, prepared_.plan);
  const std::size_t count = from.get_count(stage_.key + std::size_t{1});
  for (std::size_t i = 0; i < count; ++i) {
    key_.clear();
    from.get_values(stage_.key, key_);
    const Index slot = keys_.number(key_);
    if (slot < states_.size()) StateReader::refuse("the saved state is damaged: a key is there twice");
    states_.resize(keys_.size());
    if (is_tied()) read_others(from, slot);
    states_[slot] = read_state(from, prepared_.plan, widths);
    set_wake(slot, states_[slot].wake);
    if (parts_) parts_->place(slot, key_);
    if (from.get_below(2) == 0) continue;
    const Index report = states_[slot].report = reports.add(slot);
    const std::size_t causes = from.get_count(1);
    for (std::size_t cause = 0; cause < causes; ++cause) reports.add_cause(report, from.get_cause());
  }
}

void StageStore::check_merge(const StageStore& other) const {
  for (Index slot = 0; slot < other.states_.size(); ++slot) {
    if (other.states_[slot].is_forgotten) continue;
    const Index known = is_tied() ? ties_.root_of(other.keys_.key(slot)[0], keys_) : keys_.find(other.keys_.key(slot));
    if (known != kNone && known < states_.size() && is_used(known)) {
      StateReader::refuse("a key of the saved state is already here");
    }
  }
  if (shared_ && other.shared_ && shared_->has_rows() && other.shared_->has_rows()) {
    StateReader::refuse("both states have rows that all keys share");
  }
}

// Adds the keys of a group of another store.
void StageStore::absorb_others(const StageStore& other, Index slot, Index own) {
  ties_.assign(own, own, keys_.key(own)[0]);
  other.ties_.for_members(slot, [&](Index theirs) {
    if (theirs == slot) return;
    const Index number = keys_.number(other.keys_.key(theirs));
    states_.resize(keys_.size());
    states_[number].is_forgotten = true;
    ties_.assign(own, number, keys_.key(number)[0]);
  });
}

void StageStore::drop_others(StageStore& other) const {
  for (Index slot = 0; slot < other.states_.size(); ++slot) {
    if (!is_own(other.keys_.key(slot))) other.forget(slot);
  }
  if (shared_ && other.shared_ && shared_->has_rows()) other.shared_->state = {};
}

void StageStore::adopt(std::span<const Value> key, Checkpoint base, std::vector<Value> reported) {
  const Index number = keys_.number(key);
  states_.resize(std::max(states_.size(), keys_.size()));
  if (is_tied()) ties_.admit(number, key[0]);
  states_[number].base = std::move(base);
  states_[number].reported = std::move(reported);
  if (parts_) parts_->place(number, key);
}

void StageStore::begin_at(Time time, const std::vector<bool>& is_known) {
  for (Index slot = 0; slot < states_.size(); ++slot) {
    KeyState& state = states_[slot];
    const bool is_own_group = !is_tied() || ties_.root(slot) == slot;
    if (state.is_forgotten || !is_own_group || state.base.time != kNever) continue;
    const auto holds = initial(slot);
    if (std::any_of(holds.begin(), holds.end(), [&](const GroundPair& one) { return !is_known[one.table]; })) continue;
    state.base = {.time = time, .words = empty_checkpoint_};
  }
}

void StageStore::report_adopted() {
  for (Index slot = 0; slot < states_.size(); ++slot) {
    if (!states_[slot].reported.empty() && states_[slot].report == kNone) states_[slot].report = reports.add(slot);
  }
}

Time StageStore::next_wake() {
  while (!waking_.empty() &&
         (states_[waking_.top().second].wake != waking_.top().first || states_[waking_.top().second].is_forgotten)) {
    waking_.pop();
  }
  Time found = waking_.empty() ? kForever : waking_.top().first;
  if (shared_) found = std::min(found, shared_->state.wake);
  if (parts_) found = std::min(found, parts_->next_wake());
  return found;
}

void StageStore::absorb(StageStore& other) {
  unmatched_ += other.unmatched_;
  if (other.shared_ && !other.shared_->state.log.empty()) shared_->state.log = std::move(other.shared_->state.log);
  if (other.shared_ && !other.shared_->state.intervals.empty()) {
    shared_->state.intervals = std::move(other.shared_->state.intervals);
  }
  if (other.shared_ && other.shared_->state.effects) {
    shared_->state.effects = std::move(other.shared_->state.effects);
  }
  if (shared_ && other.shared_) shared_->state.wake = std::min(shared_->state.wake, other.shared_->state.wake);
  if (shared_) shared_->is_stale = true;
  if (parts_) parts_->absorb(*other.parts_);
  for (Index slot = 0; slot < other.states_.size(); ++slot) {
    if (other.states_[slot].is_forgotten || other.ties_.root(slot) != slot) continue;
    const Index own = keys_.number(other.keys_.key(slot));
    states_.resize(keys_.size());
    if (is_tied()) absorb_others(other, slot, own);
    const Index report = other.states_[slot].report;
    states_[own] = std::move(other.states_[slot]);
    set_wake(own, states_[own].wake);
    if (parts_) parts_->place(own, keys_.key(own));
    if (report == kNone) continue;
    const Index added = states_[own].report = reports.add(own);
    other.reports.for_causes(report, [&](Cause cause) { reports.add_cause(added, cause); });
  }
}

}  // namespace holdsfor
