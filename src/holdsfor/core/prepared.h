// A plan that is ready to run: resolves the indexes of instructions, derives how tables are read, and groups components
// into phases.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan.h"
#include "row_rules.h"
#include "rule_groups.h"

namespace holdsfor {

// Limit of given values for Instruction::is_plain.
inline constexpr std::size_t kMostFactKeys = 4;

// Finds the rows of a fact table by the values of some columns.
class FactIndex {
 public:
  FactIndex(const FactTable& facts, std::vector<Index> places);
  [[nodiscard]] const std::vector<Index>& places() const { return places_; }
  // The rows whose values at the places have this hash, in order. May contain rows with other values.
  [[nodiscard]] std::span<const Index> find(std::uint64_t hash) const;
  // Calls `visit` with the rows of `facts` that have the values `given(i)` at the places, in order, until it returns
  // true. Returns whether it did.
  template <typename Given, typename Visit>
  bool any_match(const FactTable& facts, const Given& given, const Visit& visit) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) hash = mix(hash, given(i).word());
    for (const Index row : find(hash)) {
      const Value* fact = facts.rows.data() + row * std::size_t{facts.columns};
      bool is_wanted = true;
      for (std::size_t i = 0; i < places_.size() && is_wanted; ++i) is_wanted = fact[places_[i]] == given(i);
      if (is_wanted && visit(row, fact)) return true;
    }
    return false;
  }

 private:
  // A slot has the rows of one hash, which are contiguous in `rows_`.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  // empty if equal to `begin`
  };

  std::vector<Index> places_;
  std::vector<Slot> slots_;
  std::vector<Index> rows_;
};

struct PreparedComponent {
  const Component* component = nullptr;
  Index phase = kNone;
  Index stage = kNone;
  // No rule reads what is decided at its own time-point, so the order of rules does not matter.
  bool is_plain = false;
};

// How components are evaluated: several in one pass over the rows of a key; one with cycles, alone; or one statically
// determined fluent from finished lists.
enum class PhaseKind : std::uint8_t { kRows, kCycle, kStatic };

// Components that are evaluated together.
struct Phase {
  PhaseKind kind = PhaseKind::kRows;
  std::vector<Index> components;  // in plan order
  std::vector<Index> tables;
  std::vector<const Rule*> rules;  // of all components
  // Tables of other phases that trigger rules and are not in the log, at most 64. A phase with more sources runs all of
  // its `other_rules` every time.
  std::vector<Index> sources;
  // By rule: the sources that trigger it; all ones if it must run at every time-point with an event.
  std::vector<std::uint64_t> runs_for;
  // Rules that run row by row, by table: first rows of the log, then rows of sources.
  std::vector<RowRules> row_rules;
  bool reads_log = false;
  Slots slots;
  // Pairs with bits; by table, the use of the bits and which bits they are.
  std::vector<PackedPair> packed;
  std::vector<Packing> packing;
  std::vector<PairBits> bits_of;
  // Numbers of the rules that do not run row by row. In a pass over rows: groups of these rules, and the sources that
  // trigger them.
  std::vector<Index> other_rules;
  std::vector<std::pair<RuleGroup, std::uint64_t>> other_groups;
  // Components with delayed effects, or that are targets of delayed effects.
  std::vector<Index> delayed;
  bool has_definitions = false;
};

// A table of the keys of a stage: a result of the stage, or an input that is not an event of the log.
struct StageTable {
  Index table = 0;
  bool is_event = false;
  bool is_member = false;
  bool is_static = false;    // a statically determined fluent with finished lists
  bool has_effects = false;  // its initiations and terminations are read
};

struct Prepared {
  Plan plan;
  std::vector<FactIndex> fact_indexes;
  std::vector<bool> has_edge_readers;              // by table: its start and end events are read
  std::vector<bool> has_instance_readers;          // by table: rules read the values of single instances
  std::vector<bool> has_effect_readers;            // by table: its initiations and terminations are read
  std::vector<std::vector<Index>> groundings;      // by table
  std::vector<std::vector<Index>> postpones;       // by table
  std::vector<PreparedComponent> components;       // of all stages
  std::vector<std::vector<Index>> of_stage;        // components by stage
  std::vector<Index> component_of;                 // by table; kNone for input
  std::vector<Phase> phases;                       // of all stages
  std::vector<std::vector<Index>> phases_of;       // by stage, in order
  std::vector<Index> phase_of;                     // by table; kNone for input
  std::vector<std::vector<StageTable>> tables_of;  // by stage: members in plan order, then inputs
  // By stage and table: rows of the log are also needed in a table, because instructions look them up or rules derive
  // more of them. Empty: none are needed.
  std::vector<std::vector<bool>> needs_rows;
  std::vector<std::vector<const Delay*>> delays_of;  // by table: delayed effects of its initiations
  Index most_registers = 1;
  // For tests: every key stops after this time-point and resumes from its checkpoint.
  std::optional<Time> resume_at;
  // For tests: keys get a checkpoint after this many cells of their log, even if the log is short.
  std::optional<std::size_t> checkpoint_cells;
  bool is_profiled = false;  // measure the time of metric strata

  // With `is_traced`, everything that happens is recorded, even if no rule reads it.
  explicit Prepared(Plan plan, bool is_traced = false);
  // Takes the rules and facts of a plan with the same tables, stages and routes. Tables, stages and routes keep their
  // addresses, because other objects refer to them.
  void take_rules(Prepared other);
  [[nodiscard]] Index stage_of(Index table) const {
    return component_of[table] == kNone ? kNone : components[component_of[table]].stage;
  }
};

}  // namespace holdsfor
