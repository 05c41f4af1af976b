#include "stage_store.h"

#include <algorithm>

#include "interval_editor.h"
#include "stage_shared.h"

namespace holdsfor {
namespace {

// Cells behind the border up to which a checkpoint of all keys is not worth its cost.
constexpr std::size_t kFewCells = 256;

// Groups items by key: by counting, or by sorting if a few items reach many keys.
template <typename Item>
void sort_by_slot(std::vector<Item>& items) {
  const auto comes_before = [](const Item& a, const Item& b) { return a.slot < b.slot; };
  if (std::is_sorted(items.begin(), items.end(), comes_before)) return;
  const Index slots = std::max_element(items.begin(), items.end(), comes_before)->slot + 1;
  std::vector<Item> sorted(items.size());
  if (slots / 8 > items.size()) {
    std::vector<std::uint64_t> order(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) order[i] = std::uint64_t{items[i].slot} << 32U | i;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < items.size(); ++i) sorted[i] = items[static_cast<std::uint32_t>(order[i])];
  } else {
    std::vector<std::uint32_t> next(slots + std::size_t{1});
    for (const Item& item : items) ++next[item.slot + std::size_t{1}];
    for (std::size_t slot = 0; slot < slots; ++slot) next[slot + 1] += next[slot];
    for (const Item& item : items) sorted[next[item.slot]++] = item;
  }
  items.swap(sorted);
}

// Calls `call` for each key with the range of its items, which are sorted by slot.
template <typename Item, typename Call>
void for_runs(const std::vector<Item>& items, const Call& call) {
  for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
    while (to < items.size() && items[to].slot == items[from].slot) ++to;
    call(items[from].slot, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
  }
}

}  // namespace

StageStore::StageStore(const Prepared& prepared, Index number, TermTable& terms, Host& host)
    : prepared_(prepared),
      stage_(prepared.plan.stages[number]),
      number_(number),
      keys_(stage_.key),
      ties_(stage_),
      route_of_(prepared.plan.tables.size()),
      key_places_(prepared.plan.tables.size()),
      intake_(stage_),
      intervals_(stage_) {
  const bool has_shared =
      std::any_of(stage_.inputs.begin(), stage_.inputs.end(), [](const Route& route) { return route.is_shared; });
  if (has_shared) shared_ = std::make_unique<Shared>(prepared, stage_, terms, host);
  if (PartStore::is_needed(stage_)) parts_ = std::make_unique<PartStore>(stage_);
  for (const TableInfo& table : prepared.plan.tables) {
    keep_.push_back(table.keep);
    if (table.keep != kForever) longest_keep_ = std::max(longest_keep_, table.keep);
  }
  find_routes();
  can_resume_ = prepared.plan.settle != kForever &&
                std::none_of(stage_.members.begin(), stage_.members.end(),
                             [&](const Route& member) { return prepared.plan.tables[member.table].recomputed; });
}

void StageStore::find_routes() {
  for (const Route& member : stage_.members) key_places_[member.table] = member.places[0];
  for (const Route& route : stage_.inputs) {
    route_of_[route.table] = &route;
    const bool reaches_several = route.is_partial() || (route.places.size() > 1 && !stage_.is_tied);
    has_foreign_rows_ = has_foreign_rows_ || route.is_shared || reaches_several;
    const bool is_event = prepared_.plan.tables[route.table].is_event();
    if (is_event) event_keep_ = std::max(event_keep_, keep_[route.table]);
    if (route.is_shared) {
      shared_->is_shared[route.table] = true;
      if (!is_event) shared_->fluents.push_back(route.table);
    } else if (!is_event) {
      input_fluents_.push_back(route.table);
    }
  }
}

StageStore::~StageStore() = default;
StageStore::StageStore(StageStore&&) noexcept = default;

void StageStore::begin(std::span<const GroundPair> initial, bool are_known) {
  all_initial_.assign(initial.begin(), initial.end());
  initial_.clear();
  const bool has_only_key = stage_.key == 0 && is_own({});
  if (has_only_key) keys_.number({});
  for (const GroundPair& pair : initial) {
    const auto member = std::find_if(stage_.members.begin(), stage_.members.end(),
                                     [&](const Route& route) { return route.table == pair.table; });
    if (member == stage_.members.end()) continue;
    key_.clear();
    for (const Index place : member->places[0]) key_.push_back(pair.columns[place]);
    if (!is_own(key_)) continue;
    const Index number = keys_.number(key_);
    if (is_tied()) ties_.admit(number, key_[0]);
    initial_[ties_.root(number)].push_back(pair);
  }
  states_.resize(keys_.size());
  const auto show = [&](Index slot) {
    states_[slot].is_forgotten = false;
    // A key without saved state begins as it would in a new engine.
    if (are_known && !is_used(slot)) set_wake(slot, kNever);
  };
  if (has_only_key) show(0);
  for (const auto& [slot, pairs] : initial_) show(slot);
  is_all_dirty_ = !are_known;
}

std::span<const GroundPair> StageStore::initial(Index slot) const {
  const auto found = initial_.find(slot);
  return found == initial_.end() ? std::span<const GroundPair>() : found->second;
}

void StageStore::fetch_rows(Index slot) const {
  const KeyState& state = states_[slot];
  const auto cells = state.log.cells();
  prefetch(cells.data(), cells.size_bytes());
  if (!cells.empty()) prefetch(&cells[state.log.last_row()]);
  prefetch(state.intervals.cells().data(), state.intervals.cells().size() * sizeof(Value));
  prefetch(state.results.data(), state.results.size() * sizeof(Value));
  prefetch(state.base.words.data(), state.base.words.size() * sizeof(std::uint64_t));
  prefetch(state.later.data(), state.later.size() * sizeof(LaterCheckpoint));
  if (parts_) parts_->fetch(slot);
}

void StageStore::fetch_checkpoint(Index slot) const {
  const auto& later = states_[slot].later;
  if (later.empty()) return;
  const auto& words = later.back().checkpoint.words;
  prefetch(words.data(), words.size() * sizeof(std::uint64_t));
}

void StageStore::fetch_reported(Index slot) const {
  const KeyState& state = states_[slot];
  prefetch(state.results.data(), state.results.size() * sizeof(Value));
  prefetch(state.reported.data(), state.reported.size() * sizeof(Value));
}

void StageStore::set_wake(Index slot, Time time) {
  states_[slot].wake = time;
  if (time != kForever) waking_.emplace(time, slot);
}

void StageStore::forget_conditions(const LogWidths& widths) {
  for (KeyState& state : states_) state.log.forget_conditions(widths);
  if (parts_) parts_->forget_conditions(widths);
}

void StageStore::forget(Index slot) {
  if (states_[slot].is_forgotten) return;
  if (parts_) parts_->remove(slot);
  ties_.for_members(slot, [&](Index number) {
    states_[number] = KeyState{};
    states_[number].is_forgotten = true;
    keys_.forget(number);
  });
  if (is_tied()) ties_.forget(slot);
}

std::size_t StageStore::rows(const LogWidths& widths) const {
  std::size_t found = parts_ ? parts_->rows(widths) : 0;
  for (const KeyState& state : states_) found += state.log.rows(widths) + state.intervals.size();
  if (shared_) found += shared_->state.log.rows(widths) + shared_->state.intervals.size();
  return found;
}

void StageStore::mark_terms(TermMarks& marks) const {
  const auto mark_state = [&](const KeyState& state) {
    marks.mark(state.log.cells());
    marks.mark(state.intervals.cells());
    marks.mark(state.results);
    marks.mark(state.reported);
    for (const std::uint64_t word : state.base.words) marks.mark(word);
    for (const LaterCheckpoint& later : state.later) {
      for (const std::uint64_t word : later.checkpoint.words) marks.mark(word);
    }
    if (state.unreported) marks.mark(*state.unreported);
    if (!state.effects) return;
    for (const EffectLog::Entry& entry : state.effects->entries()) marks.mark(entry.rows.cells);
  };
  for (Index slot = 0; slot < states_.size(); ++slot) {
    mark_state(states_[slot]);
    marks.mark(keys_.key(slot));
  }
  if (shared_) mark_state(shared_->state);
  if (parts_) parts_->mark_terms(marks);
  for (const GroundPair& pair : all_initial_) {
    marks.mark(pair.columns);
    marks.mark(pair.value.word());
  }
}

// Delivery

void StageStore::deliver(const Deliveries& deliveries, const Window& window, Time query, Time border, LogWriter& writer,
                         const IntakeCrew& crew, const LogWidths& widths, const std::vector<bool>& is_home) {
  const KeyTies* ties = is_tied() ? &ties_ : nullptr;
  intake_.group(deliveries.events, keys_, crew, ties);
  intervals_.group(deliveries.intervals, is_home, keys_, crew, ties);
  effect_items_.clear();
  find_effect_items(deliveries.effects);
  states_.resize(keys_.size());
  first_change_ = shared_ ? deliver_shared(deliveries, window, query, writer, is_home) : kForever;
  const bool is_shared_changed = first_change_ != kForever;
  if (is_all_dirty_) first_change_ = kNever;
  if (parts_)
    parts_->deliver(deliveries, {.window = window, .query = query, .border = border, .keep = keep_}, writer, widths,
                    is_home);
  compacts_all_ = false;
  border_ = border;
  if (shared_ && border != kNever) plan_shared_compaction(window, border, widths);
  put_work_together(query, is_all_dirty_ || is_shared_changed || compacts_all_);
  is_all_dirty_ = false;
}

// Calls `add` for the keys that a row reaches, each once, in order.
template <typename Add>
void StageStore::for_keys(const Route& route, const Value* args, const Add& add) {
  slots_of_row_.clear();
  for (const auto& places : route.places) {
    key_.clear();
    for (const Index place : places) key_.push_back(args[place]);
    const Index slot = ties_.root(keys_.number(key_));
    if (std::find(slots_of_row_.begin(), slots_of_row_.end(), slot) != slots_of_row_.end()) continue;
    add(slot, slots_of_row_.empty());
    slots_of_row_.push_back(slot);
    // All keys of a row that ties them are one group.
    if (is_tied()) return;
  }
}

void StageStore::find_effect_items(const std::vector<EffectArrivals>& arrivals) {
  for (const EffectArrivals& some : arrivals) {
    const Route* route = route_of_[some.table];
    if (route == nullptr || route->is_shared || route->is_partial()) continue;
    for (std::size_t row = 0; row < some.rows.size(); ++row) {
      for_keys(*route, some.rows.row(row) + kEventHead,
               [&](Index slot, bool) { effect_items_.push_back({slot, &some, row}); });
    }
  }
  sort_by_slot(effect_items_);
}

Time StageStore::deliver_shared(const Deliveries& deliveries, const Window& window, Time query, LogWriter& writer,
                                const std::vector<bool>& is_home) {
  Shared& shared = *shared_;
  Time first = shared.state.wake <= query ? kLater : kForever;
  shared.intake.group_shared(deliveries.events, writer.tester());
  for (std::size_t group = 0; group < shared.intake.size(); ++group) {
    const Taken taken = writer.take_in(shared.intake, group, shared.state.log, nullptr);
    unmatched_ += taken.unmatched;
    first = std::min(first, taken.first);
  }
  shared.intervals.group_shared(deliveries.intervals, is_home);
  for (std::size_t group = 0; group < shared.intervals.size(); ++group) {
    const Taken taken =
        take_in(shared.intervals, group, window.first(query), shared.state.intervals, nullptr, writer.lost());
    unmatched_ += taken.unmatched;
    first = std::min(first, taken.first);
  }
  for (const EffectArrivals& some : deliveries.effects) {
    for (std::size_t row = 0; shared.is_shared[some.table] && row < some.rows.size(); ++row) {
      take_effect(shared.state, some, row);
      first = std::min(first, time_of(*some.rows.row(row)));
    }
  }
  if (first == kForever && !shared.is_stale) return first;
  shared.is_stale = false;
  shared.world.clear();
  shared.world.query = query;
  load_rows(shared.world, shared.sweep, shared.state, shared.fluents);
  fill_event_tables(shared.world, shared.is_shared);
  shared.state.wake = shared.state.intervals.wake(query);
  return first;
}

// Plans a compaction of shared rows. Keys resume from their checkpoints with the shared rows after them, so shared rows
// can only be dropped for all keys at once.
void StageStore::plan_shared_compaction(const Window& window, Time border, const LogWidths& widths) {
  KeyState& state = shared_->state;
  const std::size_t cells = state.log.cells().size();
  const std::size_t behind = cells == 0 ? 0 : state.log.find(border + 1, 0, widths).at;
  const std::size_t interval_cells = state.intervals.cells().size();
  compacts_all_ =
      behind > std::max(kFewCells, cells / 2) || interval_cells > std::size_t{2} * state.interval_cells + kFewCells;
  // Count intervals only occasionally: each is counted a few times while it is in the window.
  if (interval_cells <= kFewCells || border < moved(shared_->counted_at, window.size.value_or(0) / 4)) return;
  shared_->counted_at = border;
  if (state.intervals.cells_behind(border, keep_) > interval_cells / 2) compacts_all_ = true;
}

void StageStore::finish_compaction(const Window& window, Time query, const LogWidths& widths) {
  if (parts_) {
    parts_->finish_compaction({.window = window, .query = query, .border = border_, .keep = keep_}, longest_keep_,
                              widths);
  }
  if (!compacts_all_) return;
  KeyState& state = shared_->state;
  state.log.drop_until(border_, keep_, widths);
  state.intervals.settle(border_, keep_);
  state.interval_cells = static_cast<std::uint32_t>(state.intervals.cells().size());
  if (state.effects) state.effects->drop_until(border_, keep_);
  shared_->is_stale = true;
}

void StageStore::drop_rows() {
  intake_ = Intake(stage_);
  intervals_ = IntervalIntake(stage_);
  std::vector<Work>().swap(work_);
  std::vector<Index>().swap(work_of_);
}

StageStore::Work& StageStore::work_of(Index slot) {
  Index& place = work_of_[slot];
  if (place == kNone) {
    place = static_cast<Index>(work_.size());
    work_.push_back({.slot = slot});
  }
  return work_[place];
}

void StageStore::put_work_together(Time query, bool is_all) {
  work_.clear();
  work_of_.resize(states_.size(), kNone);
  for (std::size_t group = 0; group < intake_.size(); ++group) {
    work_of(intake_.key(group)).group = static_cast<Index>(group);
  }
  for (std::size_t group = 0; group < intervals_.size(); ++group) {
    work_of(intervals_.key(group)).interval_group = static_cast<Index>(group);
  }
  for_runs(effect_items_, [&](Index slot, std::uint32_t from, std::uint32_t to) {
    Work& work = work_of(slot);
    work.effects_from = from;
    work.effects_to = to;
  });
  for (; !waking_.empty() && waking_.top().first <= query; waking_.pop()) {
    const auto [time, slot] = waking_.top();
    if (states_[slot].wake == time && !states_[slot].is_forgotten) work_of(slot);
  }
  for (Index slot = 0; is_all && slot < states_.size(); ++slot) {
    if (!states_[slot].is_forgotten) work_of(slot);
  }
  if (is_own_) drop_foreign_work();
  if (parts_) add_part_work();
  for (Work& work : work_) {
    work.is_compacted = work.is_compacted || compacts_all_;
    work_of_[work.slot] = kNone;
    states_[work.slot].is_forgotten = false;
  }
}

// Drops foreign keys. They are known only because a row reaches them and a key of this store.
void StageStore::drop_foreign_work() {
  std::erase_if(work_, [&](const Work& work) {
    if (is_own(keys_.key(work.slot))) return false;
    work_of_[work.slot] = kNone;
    states_[work.slot].is_forgotten = false;
    forget(work.slot);
    return true;
  });
  for (std::size_t at = 0; at < work_.size(); ++at) work_of_[work_[at].slot] = static_cast<Index>(at);
}

// Adds the keys of touched values.
void StageStore::add_part_work() {
  for (const Work& work : work_) parts_->place(work.slot, keys_.key(work.slot));
  part_items_.clear();
  for (const PartStore::Touched& one : parts_->touched()) {
    if (!one.is_changed && !one.is_compacted) continue;
    parts_->for_keys(one.value, [&](Index slot) {
      Work& work = work_of(slot);
      work.is_compacted = work.is_compacted || one.is_compacted;
      work.first_change = std::min(work.first_change, one.first_change);
      if (one.causes_to > one.causes_from) part_items_.push_back({slot, &one});
    });
  }
  sort_by_slot(part_items_);
  for_runs(part_items_, [&](Index slot, std::uint32_t from, std::uint32_t to) {
    Work& work = work_of(slot);
    work.parts_from = from;
    work.parts_to = to;
  });
}

// Rows of a key

void take_effect(KeyState& state, const EffectArrivals& arrivals, std::size_t row) {
  const std::span<const Value> cells(arrivals.rows.row(row), arrivals.rows.width);
  if (!state.effects) state.effects = std::make_unique<EffectLog>();
  if (arrivals.is_retraction[row]) {
    state.effects->remove(arrivals.table, arrivals.is_termination, cells);
  } else {
    state.effects->insert(arrivals.table, arrivals.is_termination, cells);
  }
}

void StageStore::prepare(World& world, Time query) const {
  world.set_stage(number_);
  world.query = query;
  world.shared = shared_ ? &shared_->world : nullptr;
  if (shared_) {
    world.is_shared = shared_->is_shared;
  } else {
    world.is_shared.assign(prepared_.plan.tables.size(), false);
  }
  world.key_places = has_foreign_rows_ && stage_.key > 0 ? &key_places_ : nullptr;
  if (is_tied()) {
    world.group_of = [this](Value key) { return ties_.root_of(key, keys_); };
  } else {
    world.group_of = nullptr;
  }
}

void StageStore::load(World& world, Sweep& sweep, Index slot, const LogWidths& widths,
                      std::vector<Value>& scratch) const {
  if (parts_) parts_->for_intervals(slot, [&](const IntervalLog& intervals) { load_intervals(world, intervals); });
  load_rows(world, sweep, states_[slot], input_fluents_);
  if (parts_) load_events(world, parts_->events(slot, states_[slot].log.cells(), widths, scratch));
}

void StageStore::load_nothing(World& world, Sweep& sweep) const { load_rows(world, sweep, KeyState{}, input_fluents_); }

void StageStore::load_intervals(World& world, const IntervalLog& intervals) {
  const std::span<const Value> cells = intervals.cells();
  const Value* row = cells.data();
  for (const Value* const end = row + cells.size(); row != end;) {
    const Value* const first = row;
    const IntervalHead its = interval_head(row);
    FluentTable& fluent = world.fluents[its.table];
    const Index instance = fluent.add({row + kIntervalRowHead, fluent.width});
    const Index pair = fluent.add_pair(instance, row[4]).first;
    Intervals& list = fluent.pairs[pair].list;
    const auto is_same_pair = [&] {
      if (interval_head(row).table != its.table) return false;
      for (std::uint32_t i = 4; i < its.width; ++i) {
        if (row[i] != first[i]) return false;
      }
      return true;
    };
    // Rows of one pair are usually consecutive.
    do {
      const IntervalHead head = interval_head(row);
      const Time start = time_of(row[1]);
      const bool is_open = head.has(kIsPoint) && start == world.query;
      list.push_back({start, is_open ? kForever : time_of(row[2])});
      if (head.has(kIsCut)) fluent.cuts.push_back({start, pair});
      row += its.width;
    } while (row != end && is_same_pair());
  }
}

void StageStore::load_rows(World& world, Sweep& sweep, const KeyState& state, std::span<const Index> fluents) const {
  load_events(world, state.log.cells());
  load_intervals(world, state.intervals);
  if (state.effects) {
    for (const EffectLog::Entry& entry : state.effects->entries()) {
      FluentTable& fluent = world.fluents[entry.table];
      (entry.is_termination ? fluent.terminations : fluent.initiations).show(entry.rows.row(0), entry.rows.size());
    }
  }
  for (const Index table : fluents) finish_input(world, sweep, table);
}

void StageStore::finish_input(World& world, Sweep& sweep, Index table) const {
  FluentTable& fluent = world.fluents[table];
  const bool is_input = prepared_.plan.tables[table].role == Role::kInputFluent;
  for (Index number = 0; number < fluent.pair_count; ++number) {
    Pair& pair = fluent.pairs[number];
    make_maximal(pair.list);
    if (is_input) pair.is_declared = sweep.is_declared(table, fluent.columns(pair.instance), pair.value);
  }
  if (prepared_.has_edge_readers[table]) fluent.index_edges();
  if (prepared_.has_instance_readers[table]) fluent.index_times();
  for (const GroundPair& one : all_initial_) {
    const Index instance = one.table == table ? fluent.find(one.columns) : kNone;
    const Index pair = instance == kNone ? kNone : fluent.find_pair(instance, one.value);
    if (pair != kNone) fluent.pairs[pair].starts_initially = true;
  }
}

}  // namespace holdsfor
