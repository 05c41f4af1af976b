// All that is known of one key at a query time: the tables that rules read, finished ones and those under way.
#pragma once

#include <functional>
#include <vector>

#include "arithmetic.h"
#include "crew.h"
#include "host.h"
#include "prepared.h"
#include "tables.h"
#include "terms.h"

namespace holdsfor {

// The time-point at which `initially` initiates its values.
inline constexpr Time kInitial = -1;

struct World {
  World(const Prepared& prepared, TermTable& terms, Host& host);

  const Prepared& prepared;
  TermTable& terms;
  Host& host;
  Arithmetic arithmetic;
  std::vector<EventTable> events;    // by table
  std::vector<FluentTable> fluents;  // by table
  Time query = 0;
  Time origin = 0;  // the beginning of time, see Window
  Time now = 0;
  Value now_value;        // the same as a term
  Index running = kNone;  // the phase that is evaluated
  // The events of the key; those that are looked up stand in `events`, too.
  std::span<const Value> log;
  // Says whether the evaluation is to stop.
  Watch watch;
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
  // Where keys are tied: the group of a key, and the one that is evaluated.
  std::function<Index(Value)> group_of;
  Index group = kNone;

  // Whether an instance belongs to the key: rows may reach several keys, and rules find what is not theirs.
  [[nodiscard]] bool is_of_key(Index table, std::span<const Value> columns) const {
    if (key_places == nullptr) return true;
    const auto& places = (*key_places)[table];
    if (group_of) return columns[places[0]].is_wildcard() || group_of(columns[places[0]]) == group;
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
  void set_now(Time time) {
    now = time;
    now_value = terms.integer(time);
  }
  [[nodiscard]] bool is_running(Index table) const { return running != kNone && prepared.phase_of[table] == running; }
  // Whether instances of a fluent know the value that they have at the present time-point.
  [[nodiscard]] bool has_current(Index table) const {
    return is_running(table) && plan().tables[table].role == Role::kSimpleFluent;
  }
  // Where rows of a table were last looked up.
  enum class Rows : std::uint8_t { kEvents, kInitiations, kTerminations };
  std::size_t& cursor(Index table, Rows rows) {
    return cursors_[table * std::size_t{3} + static_cast<std::size_t>(rows)];
  }
  // Finds which statically determined pairs under way hold next.
  std::function<void()> find_next;
  // Whether a pair holds just after the present time-point.
  [[nodiscard]] bool will_hold(Index table, Index pair) const;
  // Makes the tables of the stage empty.
  void clear();
  // The tables that the keys of a stage have; all others are empty from now on.
  void set_stage(Index stage);

 private:
  Index stage_ = kNone;  // kNone: any table may have something
  std::vector<std::size_t> cursors_;
};

// Puts the events of a key in place. The log must stay where it is while the key is evaluated.
inline void load_events(World& world, std::span<const Value> log) { world.log = log; }
// Puts rows of the log into tables of their own, by table if they are wanted there; those that keys share always are.
void fill_event_tables(World& world, const std::vector<bool>& is_wanted);

}  // namespace holdsfor
