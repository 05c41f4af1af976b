// The world of one key at a query time: the tables that rules read, both finished and in progress.
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
  Value now_value;        // `now` as a term
  Index running = kNone;  // the phase under evaluation
  // The events of the key. Tables that instructions look up are also in `events`.
  std::span<const Value> log;
  // Tells whether the evaluation is to stop.
  Watch watch;
  // Lists represent only the next time-point: statically determined fluents inside a cycle.
  bool is_pointwise = false;
  // A result would differ at another query time, even without new rows.
  bool depends_on_query = false;

  // Tables that all keys read whole, or null: see Route::is_shared.
  const World* shared = nullptr;
  std::vector<bool> is_shared;  // by table

  // The key under evaluation, and its positions in the columns of each table of the stage. Null if everything that
  // rules find belongs to the key.
  std::vector<Value> key;
  const std::vector<std::vector<Index>>* key_places = nullptr;
  // For tied keys: maps a key to its group; the group under evaluation.
  std::function<Index(Value)> group_of;
  Index group = kNone;

  // Whether an instance belongs to the key. Rows may reach several keys, so rules may find instances of other keys.
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
  // Whether instances of a fluent know their value at the present time-point.
  [[nodiscard]] bool has_current(Index table) const {
    return is_running(table) && plan().tables[table].role == Role::kSimpleFluent;
  }
  // The last lookup position in the rows of a table.
  enum class Rows : std::uint8_t { kEvents, kInitiations, kTerminations };
  std::size_t& cursor(Index table, Rows rows) {
    return cursors_[table * std::size_t{3} + static_cast<std::size_t>(rows)];
  }
  // Computes which statically determined pairs in progress hold next.
  std::function<void()> find_next;
  // Whether a pair holds just after the present time-point.
  [[nodiscard]] bool will_hold(Index table, Index pair) const;
  // Clears the tables of the stage.
  void clear();
  // Selects the tables of a stage; all other tables become empty.
  void set_stage(Index stage);

 private:
  Index stage_ = kNone;  // kNone: any table may have rows
  std::vector<std::size_t> cursors_;
};

// Sets the events of a key. The log must not move during the evaluation.
inline void load_events(World& world, std::span<const Value> log) { world.log = log; }
// Copies rows of the log into tables, for wanted tables. Shared tables are always filled.
void fill_event_tables(World& world, const std::vector<bool>& is_wanted);

}  // namespace holdsfor
