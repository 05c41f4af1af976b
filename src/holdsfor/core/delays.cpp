// Delayed effects. A pair that is initiated stages attempts, which take effect later unless something breaks the pair.
#include <algorithm>
#include <array>

#include "sweep.h"

namespace holdsfor {

std::span<Sweep::Attempt> Sweep::due_attempts() {
  std::size_t last = first_attempt_;
  while (last < attempts_.size() && attempts_[last].due == world_.now) ++last;
  return {attempts_.data() + first_attempt_, last - first_attempt_};
}

GroundPair Sweep::effect_of(const Attempt& attempt) const {
  const std::size_t width = attempt.rule->effect->columns.size();
  const auto from = effect_cells_.begin() + static_cast<std::ptrdiff_t>(attempt.effect);
  return {attempt.rule->effect->table,
          {from, from + static_cast<std::ptrdiff_t>(width)},
          effect_cells_[attempt.effect + width]};
}

bool Sweep::takes_effect(const Attempt& attempt) const {
  const FluentTable& fluent = world_.fluents[attempt.table];
  const Pair& trigger = fluent.pairs[attempt.trigger];
  const bool is_unbroken =
      fluent.instances[trigger.instance].current == attempt.trigger && trigger.since <= attempt.initiated + 1;
  const bool is_renewed = trigger.last_initiated == world_.now || trigger.last_effective > attempt.initiated;
  return is_unbroken && !(attempt.is_postponable && is_renewed);
}

// Whether effects may take place at the present time-point.
bool Sweep::is_anything_due() {
  if (!scheduled_.empty() && scheduled_.contains(world_.now)) return true;
  const auto due = due_attempts();
  return std::any_of(due.begin(), due.end(), [&](const Attempt& attempt) { return takes_effect(attempt); });
}

// Decides the delayed effects of plain components, in plan order. A postponable effect is decided after everything that
// may postpone it.
void Sweep::decide_delayed() {
  for (const Index number : phase_->delayed) {
    const Component& component = *world_.prepared.components[number].component;
    for (const bool is_late : {false, true}) {
      for (const Group& group : component.groups) {
        for (const Decision& decision : group.decisions) {
          if ((decision.kind != MomentKind::kInitiated) == is_late) decide(decision);
        }
      }
    }
    if (!component.delays.empty()) pass_on(number);
  }
}

void Sweep::decide(const Decision& decision) {
  Machine::Frame none;
  for (Attempt& attempt : due_attempts()) {
    const bool is_end = !attempt.rule->effect;
    const MomentKind kind = is_end                   ? MomentKind::kTerminated
                            : attempt.is_postponable ? MomentKind::kDelayed
                                                     : MomentKind::kInitiated;
    if (kind != decision.kind) continue;
    const Index table = is_end ? attempt.table : attempt.rule->effect->table;
    if (table != decision.table) continue;
    const Pair& trigger = world_.fluents[attempt.table].pairs[attempt.trigger];
    const std::size_t width = world_.fluents[table].width;
    const Value value = is_end ? trigger.value : effect_cells_[attempt.effect + width];
    if (!machine_.match(decision.value, value, none) || !takes_effect(attempt)) continue;
    attempt.has_taken_effect = true;
    if (is_end) {
      const auto columns = world_.fluents[table].columns(trigger.instance);
      head_.assign(columns.begin(), columns.end());
      terminate(table, head_, value);
    } else {
      const auto from = effect_cells_.begin() + static_cast<std::ptrdiff_t>(attempt.effect);
      head_.assign(from, from + static_cast<std::ptrdiff_t>(width));
      initiate(table, head_, value);
    }
  }
  if (decision.kind != MomentKind::kInitiated || scheduled_.empty()) return;
  const auto [first, last] = scheduled_.equal_range(world_.now);
  for (auto at = first; at != last; ++at) {
    const GroundPair& pair = at->second;
    if (pair.table == decision.table && machine_.match(decision.value, pair.value, none)) {
      initiate(pair.table, pair.columns, pair.value);
    }
  }
}

// Counts the effects of a component's triggers that take place now. Schedules effects on components of later phases.
void Sweep::pass_on(Index component) {
  for (const Attempt& attempt : due_attempts()) {
    if (world_.prepared.component_of[attempt.table] != component) continue;
    if (!attempt.has_taken_effect && !takes_effect(attempt)) continue;
    if (++in_a_row_ > world_.plan().max_delayed_effects) {
      throw EvaluationStop(EvaluationStop::Reason::kTooManyEffects, attempt.rule->site.number, {}, world_.now);
    }
    if (attempt.rule->effect && world_.prepared.component_of[attempt.rule->effect->table] != component) {
      scheduled_.emplace(world_.now, effect_of(attempt));
    }
  }
}

void Sweep::drop_due() {
  first_attempt_ += due_attempts().size();
  // Drop finished attempts in bulk.
  constexpr std::size_t kMany = 1024;
  if (first_attempt_ < attempts_.size() && (first_attempt_ < kMany || first_attempt_ * 2 < attempts_.size())) return;
  attempts_.erase(attempts_.begin(), attempts_.begin() + static_cast<std::ptrdiff_t>(first_attempt_));
  first_attempt_ = 0;
  std::vector<Value> cells;
  for (Attempt& attempt : attempts_) {
    if (!attempt.rule->effect) continue;
    const auto from = effect_cells_.begin() + static_cast<std::ptrdiff_t>(attempt.effect);
    attempt.effect = cells.size();
    cells.insert(cells.end(), from, from + static_cast<std::ptrdiff_t>(attempt.rule->effect->columns.size() + 1));
  }
  effect_cells_.assign(cells.begin(), cells.end());
}

// Whether a value is a positive whole number. Beyond a word, it may be a float.
bool Sweep::is_delay(Value delay) const {
  if (delay.is_integer()) return delay.as_integer() >= 1;
  const Value one = Value::integer(1);
  if (!world_.arithmetic.compare(Comparison::kAtLeast, delay, one)) return false;
  const std::array args{delay};
  const auto whole = world_.arithmetic.apply(Function::kTruncate, args);
  return whole && world_.arithmetic.compare(Comparison::kEqual, delay, *whole);
}

void Sweep::stage(Index table, Index number) {
  const FluentTable& fluent = world_.fluents[table];
  const Value value = fluent.pairs[number].value;
  const std::size_t known = attempts_.size();
  for (const Delay* delayed : world_.prepared.delays_of[table]) {
    const Delay& rule = *delayed;
    const auto columns = fluent.columns(fluent.pairs[number].instance);
    machine_.run_on(rule.trigger, columns, value, rule.program, [&](const Machine::Frame& frame) {
      const auto delay = world_.arithmetic.evaluate(rule.delay, frame.values);
      if (!delay || !is_delay(*delay)) {
        std::vector<Value> row;
        for (const Index reg : rule.site.row) row.push_back(frame.values[reg]);
        throw EvaluationStop(EvaluationStop::Reason::kDelay, rule.site.number, std::move(row), world_.now);
      }
      // The due time would be later than every time-point.
      if (!delay->is_integer()) return false;
      attempts_.push_back({.due = moved(world_.now, delay->as_integer()),
                           .initiated = world_.now,
                           .table = table,
                           .trigger = number,
                           .rule = &rule,
                           .effect = effect_cells_.size()});
      if (rule.effect) {
        for (const Shape& shape : rule.effect->columns) effect_cells_.push_back(machine_.build(shape, frame));
        effect_cells_.push_back(machine_.build(rule.effect->value, frame));
      }
      return false;
    });
  }
  if (attempts_.size() == known) return;
  const bool can_wait = is_postponable(table, number);
  for (std::size_t at = known; at < attempts_.size(); ++at) {
    attempts_[at].is_postponable = can_wait;
    // Most attempts are already in order of their due times.
    const auto later = [](Time due, const Attempt& other) { return due < other.due; };
    const auto end = attempts_.begin() + static_cast<std::ptrdiff_t>(at);
    if (at == first_attempt_ || std::prev(end)->due <= end->due) continue;
    const auto first = attempts_.begin() + static_cast<std::ptrdiff_t>(first_attempt_);
    std::rotate(std::upper_bound(first, end, end->due, later), end, std::next(end));
  }
}

bool Sweep::is_postponable(Index table, Index number) {
  std::int8_t& known = world_.fluents[table].pairs[number].postponable;
  if (known >= 0) return known != 0;
  const auto& postpones = world_.prepared.postpones[table];
  const auto yes = [](const Machine::Frame&) { return true; };
  const bool found = std::any_of(postpones.begin(), postpones.end(), [&](Index one) {
    const Condition& condition = world_.plan().postpones[one];
    const FluentTable& fluent = world_.fluents[table];
    return machine_.run_on(condition.pair, fluent.columns(fluent.pairs[number].instance), fluent.pairs[number].value,
                           condition.program, yes);
  });
  known = found ? 1 : 0;
  return found;
}

}  // namespace holdsfor
