#include "phases.h"

#include <algorithm>
#include <functional>

#include "plan_reads.h"

namespace holdsfor {
namespace {

bool is_in(Index table, const std::vector<Index>& tables) {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}

bool is_at_present(const Instant& time) { return !time.binds && time.reg == 0; }

// Whether a rule reads what its component decides at the time-point of the rule.
bool reads_present(const Component& component) {
  bool found = false;
  each_read(component, [&](Index table, const Instruction& one) {
    const bool is_of_time_point = one.op == Op::kEvents || one.op == Op::kEdges || one.op == Op::kEndable;
    found = found || (is_of_time_point && is_in(table, component.tables));
  });
  return found;
}

class PhaseMaker {
 public:
  PhaseMaker(Prepared& prepared, Index stage) : prepared_(prepared), stage_(stage) {}

  void run() {
    const Stage& stage = prepared_.plan.stages[stage_];
    std::vector<bool> looked_up(prepared_.plan.tables.size());
    is_shared_.assign(prepared_.plan.tables.size(), false);
    for (const Route& route : stage.inputs) is_shared_[route.table] = route.is_shared;
    for (const Index number : prepared_.of_stage[stage_]) level_.push_back(level_of(number));
    gather();
    for (const Index number : prepared_.phases_of[stage_]) {
      Phase& phase = prepared_.phases[number];
      if (phase.kind != PhaseKind::kStatic) fill(phase);
      note_lookups(phase, looked_up);
    }
    for (auto* conditions : {&prepared_.plan.postpones, &prepared_.plan.groundings}) {
      for (const Condition& condition : *conditions) {
        each_read(condition.program.block, [&](Index table, const Instruction&) { looked_up[table] = true; });
      }
    }
    for (Index table = 0; table < looked_up.size(); ++table) {
      looked_up[table] = prepared_.plan.tables[table].is_event() && (looked_up[table] || is_here(table));
    }
    if (std::find(looked_up.begin(), looked_up.end(), true) == looked_up.end()) looked_up.clear();
    prepared_.needs_rows.push_back(std::move(looked_up));
  }

 private:
  [[nodiscard]] const PreparedComponent& of(Index number) const { return prepared_.components[number]; }
  [[nodiscard]] bool is_here(Index table) const { return prepared_.stage_of(table) == stage_; }
  [[nodiscard]] Index place_of(Index number) const { return number - prepared_.of_stage[stage_].front(); }

  Index level_of(Index number) {
    PreparedComponent& made = prepared_.components[number];
    const Component& component = *made.component;
    made.is_plain = !component.is_static && component.definitions.empty() && !reads_present(component);
    Index level = 0;
    const auto after = [&](Index other, bool may_share) {
      if (other == kNone || other == number || of(other).stage != stage_ || place_of(other) >= level_.size()) return;
      const bool shares = may_share && made.is_plain && of(other).is_plain;
      level = std::max(level, level_[place_of(other)] + (shares ? 0 : 1));
    };
    each_read(component, [&](Index table, const Instruction& one) {
      after(prepared_.component_of[table], one.op == Op::kHolding && is_at_present(one.time));
    });
    // Delayed effects of earlier components become known when these components have been decided.
    for (const Index other : prepared_.of_stage[stage_]) {
      if (other == number) break;
      for (const Delay& delay : of(other).component->delays) {
        if (delay.effect && prepared_.component_of[delay.effect->table] == number) after(other, true);
      }
    }
    return level;
  }

  // Groups components into phases by level. Within a level, plain components come first.
  void gather() {
    auto& numbers = prepared_.phases_of.emplace_back();
    const auto& all = prepared_.of_stage[stage_];
    const Index levels = level_.empty() ? 0 : *std::max_element(level_.begin(), level_.end()) + 1;
    for (Index level = 0; level < levels; ++level) {
      Phase together;
      std::vector<Phase> alone;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (level_[i] != level) continue;
        if (of(all[i]).is_plain) {
          together.components.push_back(all[i]);
        } else {
          Phase& phase = alone.emplace_back();
          phase.kind = of(all[i]).component->is_static ? PhaseKind::kStatic : PhaseKind::kCycle;
          phase.components.push_back(all[i]);
        }
      }
      if (!together.components.empty()) add(std::move(together), numbers);
      for (Phase& phase : alone) add(std::move(phase), numbers);
    }
  }

  void add(Phase phase, std::vector<Index>& numbers) {
    const auto number = static_cast<Index>(prepared_.phases.size());
    for (const Index one : phase.components) {
      prepared_.components[one].phase = number;
      const Component& component = *of(one).component;
      for (const Index table : component.tables) {
        phase.tables.push_back(table);
        prepared_.phase_of[table] = number;
      }
      for (const Rule& rule : component.rules) phase.rules.push_back(&rule);
      if (has_delayed_effects(one)) phase.delayed.push_back(one);
      phase.has_definitions = phase.has_definitions || !component.definitions.empty();
    }
    numbers.push_back(number);
    prepared_.phases.push_back(std::move(phase));
  }

  // The positions of the key in the events of a table. Empty if the events may belong to other keys, too.
  [[nodiscard]] std::vector<Index> key_places(Index table) const {
    if (prepared_.plan.stages[stage_].is_tied) return {};
    for (const Route& route : prepared_.plan.stages[stage_].inputs) {
      if (route.table == table && !route.is_shared && !route.is_partial() && route.places.size() == 1)
        return route.places[0];
    }
    return {};
  }

  // The positions of the key in the rows of a table of the stage. Empty if several keys are evaluated as one.
  [[nodiscard]] std::vector<Index> head_places(Index table) const {
    if (prepared_.plan.stages[stage_].is_tied) return {};
    for (const Route& member : prepared_.plan.stages[stage_].members) {
      if (member.table == table) return member.places[0];
    }
    return {};
  }

  [[nodiscard]] bool has_delayed_effects(Index number) const {
    const auto concerns = [&](const Delay& delay) {
      return delay.effect && prepared_.component_of[delay.effect->table] == number;
    };
    return std::any_of(prepared_.components.begin(), prepared_.components.end(), [&](const PreparedComponent& other) {
      const auto& delays = other.component->delays;
      if (other.component == of(number).component) return !delays.empty();
      return std::any_of(delays.begin(), delays.end(), concerns);
    });
  }

  // Whether rules of a phase get the rows of a table from the log.
  [[nodiscard]] bool is_from_log(const Phase& phase, Index table) const {
    return phase.kind == PhaseKind::kRows && prepared_.plan.tables[table].is_event() && !is_here(table) &&
           !is_shared_[table];
  }

  void fill(Phase& phase) const {
    phase.row_rules.resize(prepared_.plan.tables.size());
    for (std::size_t table = 0; table < phase.row_rules.size(); ++table) {
      phase.row_rules[table].table = static_cast<Index>(table);
      phase.row_rules[table].width = kLogHead + prepared_.plan.tables[table].columns;
    }
    for (const Rule* rule : phase.rules) {
      for (const Index driver : rule->drivers) {
        if (!is_in(driver, phase.tables) && !is_in(driver, phase.sources)) phase.sources.push_back(driver);
      }
    }
    for (std::size_t i = 0; i < phase.sources.size(); ++i) {
      RowRules& rules = phase.row_rules[phase.sources[i]];
      rules.bit = bit_of(i);
      rules.is_from_log = is_from_log(phase, phase.sources[i]);
    }
    for (Index number = 0; number < phase.rules.size(); ++number) {
      const Rule& rule = *phase.rules[number];
      const bool is_set_off_inside =
          rule.drivers.empty() || std::any_of(rule.drivers.begin(), rule.drivers.end(),
                                              [&](Index table) { return is_in(table, phase.tables); });
      std::uint64_t mask = is_set_off_inside ? ~std::uint64_t{0} : 0;
      for (const Index driver : rule.drivers) mask |= phase.row_rules[driver].bit;
      phase.runs_for.push_back(mask);
      const bool is_of_row = phase.kind == PhaseKind::kRows && rule.begins_with_row() && !is_set_off_inside;
      if (!is_of_row) {
        phase.other_rules.push_back(number);
        continue;
      }
      RowRules& rules = phase.row_rules[rule.program.block[0].table];
      rules.has_rules = true;
      RowRule made = make_row_rule(prepared_, rule, phase.tables, key_places(rule.program.block[0].table),
                                   head_places(rule.table), phase.slots);
      if (rule.row_bit == Rule::kNoRowBit) {
        rules.others.push_back(std::move(made));
      } else {
        if (rules.by_bit.size() <= rule.row_bit) rules.by_bit.resize(rule.row_bit + std::size_t{1});
        rules.by_bit[rule.row_bit] = std::move(made);
        rules.mask |= Passes{1} << rule.row_bit;
      }
    }
    for (const Index number : phase.other_rules) {
      for (const Index driver : phase.rules[number]->drivers) phase.row_rules[driver].drives_others = true;
    }
    for (RowRules& rules : phase.row_rules) {
      rules.is_empty = !rules.is_from_log || !(rules.has_rules || rules.drives_others);
      phase.reads_log = phase.reads_log || !rules.is_empty;
    }
    for (RowRules& rules : phase.row_rules) {
      const std::size_t others = std::min(rules.others.size(), RowRules::kPositions - RowRules::kOthers);
      for (std::size_t i = 0; i < others; ++i) rules.other_bits |= std::uint64_t{1} << (RowRules::kOthers + i);
    }
    if (phase.kind == PhaseKind::kRows) {
      pack_rules(prepared_, stage_, phase);
      for (RowRules& rules : phase.row_rules) group_row_rules(rules);
      group_others(phase);
    }
    for (RowRules& rules : phase.row_rules) {
      rules.is_packed =
          (rules.mask | rules.other_bits) == (rules.packed_bits | rules.mirrored_bits) && !rules.drives_others;
    }
  }

  static void group_others(Phase& phase) {
    std::vector<const Rule*> rules;
    for (const Index number : phase.other_rules) rules.push_back(phase.rules[number]);
    const auto sources = [&](std::size_t i) { return phase.runs_for[phase.other_rules[i]]; };
    std::size_t next = 0;
    for (RuleGroup& group : group_rules(
             rules, [&](std::size_t i) -> const Block& { return rules[i]->program.block; },
             [&](std::size_t i) { return sources(i) == sources(i - 1); })) {
      const std::uint64_t runs_for = sources(next);
      next += group.rules.size();
      phase.other_groups.emplace_back(std::move(group), runs_for);
    }
  }

  // Sources beyond the last bit share it.
  static std::uint64_t bit_of(std::size_t source) { return std::uint64_t{1} << std::min<std::size_t>(source, 63); }

  void note_lookups(const Phase& phase, std::vector<bool>& looked_up) const {
    for (const Index number : phase.components) {
      if (const auto& metric = of(number).component->metric) {
        for (const MetricLink& link : metric->inputs) looked_up[link.table] = true;
      }
      for (const Delay& delay : of(number).component->delays) {
        each_read(delay.program.block, [&](Index table, const Instruction&) { looked_up[table] = true; });
      }
    }
    for (std::size_t number = 0; number < phase.rules.size(); ++number) {
      const Block& block = phase.rules[number]->program.block;
      const bool is_other = is_in(static_cast<Index>(number), phase.other_rules);
      each_read(block, [&](Index table, const Instruction& one) {
        if (is_other || &one != block.data()) looked_up[table] = true;
      });
    }
  }

  Prepared& prepared_;
  Index stage_;
  std::vector<Index> level_;  // by component of the stage
  std::vector<bool> is_shared_;
};

}  // namespace

void make_phases(Prepared& prepared) {
  for (Index stage = 0; stage < prepared.plan.stages.size(); ++stage) PhaseMaker(prepared, stage).run();
}

}  // namespace holdsfor
