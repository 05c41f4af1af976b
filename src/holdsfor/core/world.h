// All that is known of one key at a query time: the tables that rules read, finished ones and those under way.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arithmetic.h"
#include "host.h"
#include "plan.h"
#include "tables.h"
#include "terms.h"

namespace holdsfor {

// The time-point at which `initially` initiates its values.
inline constexpr Time kInitial = -1;

// Rows of a fact table by the values of some of their columns.
class FactIndex {
 public:
  FactIndex(const FactTable& facts, std::vector<Index> places);
  [[nodiscard]] const std::vector<Index>& places() const { return places_; }
  // The rows whose values at the places have this hash; others may be among them.
  [[nodiscard]] std::span<const Index> find(std::uint64_t hash) const;

 private:
  std::vector<Index> places_;
  std::unordered_map<std::uint64_t, std::vector<Index>> rows_;
};

// A component with what its sweep goes by.
struct PreparedComponent {
  const Component* component = nullptr;
  // Tables of other components that make its rules run, at most 64; a component with more runs all rules every time.
  std::vector<Index> sources;
  // By rule: the sources that make it run; all ones if it must run whenever anything happens.
  std::vector<std::uint64_t> runs_for;
  // By source: the rules that begin with its events at the present time-point, so that they can run row by row.
  std::vector<std::vector<Index>> row_rules;
  // Rules that do not begin so.
  std::vector<Index> other_rules;
  bool has_definitions = false;
  // No rule reads what is decided at its own time-point, so that their order does not matter.
  bool is_plain = false;
};

// A plan that is ready to run: instructions know their indexes, tables what is asked of them.
struct Prepared {
  Plan plan;
  std::vector<FactIndex> fact_indexes;
  std::vector<bool> has_edge_readers;          // by table: start and end events of it are read
  std::vector<bool> has_effect_readers;        // by table: its initiations and terminations are read
  std::vector<std::vector<Index>> groundings;  // by table
  std::vector<std::vector<Index>> postpones;   // by table
  std::vector<PreparedComponent> components;   // of all stages
  std::vector<std::vector<Index>> of_stage;    // components by stage
  std::vector<Index> component_of;             // by table; kNone for input
  std::vector<Index> stage_of;                 // by component
  // For tests: every key stops after this time-point, and goes on from what its checkpoint has.
  std::optional<Time> resume_at;

  explicit Prepared(Plan plan);
};

struct World {
  World(const Prepared& prepared, TermTable& terms, Host& host);

  const Prepared& prepared;
  TermTable& terms;
  Host& host;
  Arithmetic arithmetic;
  std::vector<EventTable> events;    // by table
  std::vector<FluentTable> fluents;  // by table
  Time query = 0;
  Time now = 0;
  Index running = kNone;  // the component that is evaluated
  // Lists are the next time-point alone: statically determined fluents inside a cycle.
  bool is_pointwise = false;
  // Something that was found would be otherwise at another query time, even without new rows.
  bool depends_on_query = false;

  // Tables that all keys read whole, or null: see Route::is_shared.
  const World* shared = nullptr;
  std::vector<bool> is_shared;  // by table

  // The key that is evaluated, and where it stands in the columns of each table of the stage; null if all that rules
  // find belongs to it.
  std::vector<Value> key;
  const std::vector<std::vector<Index>>* key_places = nullptr;

  // Whether an instance belongs to the key: rows may reach several keys, and rules find what is not theirs.
  [[nodiscard]] bool is_of_key(Index table, std::span<const Value> columns) const {
    if (key_places == nullptr) return true;
    const auto& places = (*key_places)[table];
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (columns[places[i]] != key[i] && !columns[places[i]].is_wildcard()) return false;
    }
    return true;
  }
  [[nodiscard]] const EventTable& event_table(Index table) const {
    return is_shared[table] ? shared->events[table] : events[table];
  }
  [[nodiscard]] const FluentTable& fluent_table(Index table) const {
    return is_shared[table] ? shared->fluents[table] : fluents[table];
  }
  [[nodiscard]] const Plan& plan() const { return prepared.plan; }
  [[nodiscard]] bool is_running(Index table) const {
    return running != kNone && prepared.component_of[table] == running;
  }
  // Finds which statically determined pairs under way hold next.
  std::function<void()> find_next;
  // Whether a pair holds just after the present time-point.
  [[nodiscard]] bool will_hold(Index table, Index pair) const;
  void clear();
};

// Puts the events of a key in place.
void load_events(World& world, std::span<const Value> log);

}  // namespace holdsfor
