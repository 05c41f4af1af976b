#include "engine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace holdsfor {
namespace {

constexpr std::size_t kKeysAtOnce = 64;

std::vector<RowSet> row_sets(const Plan& plan, std::size_t event_head, std::size_t fluent_head) {
  std::vector<RowSet> found(plan.tables.size());
  for (std::size_t table = 0; table < found.size(); ++table) {
    found[table].width = plan.tables[table].columns + (plan.tables[table].is_event() ? event_head : fluent_head);
  }
  return found;
}

void append(RowSet& rows, Time time, std::span<const Value> columns) {
  rows.cells.push_back(time_cell(time));
  rows.cells.insert(rows.cells.end(), columns.begin(), columns.end());
}

void append_events(RowSet& rows, const EventTable& table) {
  for (std::size_t row = 0; row < table.size(); ++row) append(rows, table.time(row), table.row(row));
}

}  // namespace

// One thread's world, and what it has found for the keys of a chunk.
struct Engine::Worker {
  Worker(const Prepared& prepared, TermTable& terms, Host& host) : world(prepared, terms, host), sweep(world) {}

  World world;
  Sweep sweep;
};

Engine::Engine(const Prepared& prepared, TermTable& terms, Host& host)
    : prepared_(prepared),
      terms_(terms),
      host_(host),
      inputs_(row_sets(prepared.plan, kEventHead, kIntervalHead)),
      cuts_(row_sets(prepared.plan, kEventHead, 2)),
      outputs_(row_sets(prepared.plan, kEventHead, kIntervalHead)),
      initiations_(row_sets(prepared.plan, kEventHead, 2)),
      terminations_(row_sets(prepared.plan, kEventHead, 2)),
      conflicts_(row_sets(prepared.plan, kEventHead, 1)),
      known_(prepared.plan) {}

void Engine::advance(Time query, unsigned threads) {
  known_.advance(edits_, window_, query);
  edits_.clear();
  known_.fill(query, inputs_, cuts_);
  query_ = query;
  run(query, threads);
}

RowSet Engine::answers(Index table) const {
  const TableInfo& info = prepared_.plan.tables.at(table);
  const RowSet& rows = outputs_[table];
  const Time low = window_.low(query_);
  RowSet found{rows.width, {}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* cells = rows.row(row);
    const Time time = time_of(cells[0]);
    const bool is_shown = info.is_event() ? time > low && time <= query_ : reaches_into_window(time_of(cells[1]), low);
    if (is_shown) found.cells.insert(found.cells.end(), cells, cells + rows.width);
  }
  return found;
}

void Engine::keep_changes(bool is_wanted) {
  keeps_changes_ = is_wanted;
  reported_.clear();
}

std::map<Engine::PairKey, std::vector<Reported>> Engine::found_intervals() const {
  std::map<PairKey, std::vector<Reported>> found;
  for (Index table = 0; table < outputs_.size(); ++table) {
    const RowSet& rows = outputs_[table];
    for (std::size_t row = 0; row < rows.size() && !prepared_.plan.tables[table].is_event(); ++row) {
      const Value* cells = rows.row(row);
      PairKey key{table};
      for (std::size_t i = kIntervalHead; i < rows.width; ++i) key.push_back(cells[i].word());
      key.push_back(cells[2].word());
      found[key].push_back({.start = time_of(cells[0]), .end = time_of(cells[1])});
    }
  }
  return found;
}

std::vector<Engine::PairChange> Engine::changes() {
  const ReportTimes times{query_, window_.low(query_), reported_at_};
  auto now = found_intervals();
  for (const auto& [pair, last] : reported_) now[pair];
  std::vector<PairChange> found;
  std::vector<Change> changes;
  for (auto& [pair, list] : now) {
    changes.clear();
    compare(reported_[pair], list, times, changes);
    for (const Change& change : changes) {
      PairChange& made = found.emplace_back();
      made.table = static_cast<Index>(pair.front());
      for (std::size_t i = 1; i + 1 < pair.size(); ++i) made.columns.push_back(Value::from_word(pair[i]));
      made.value = Value::from_word(pair.back());
      made.change = change;
    }
    std::erase_if(list, [&](const Reported& one) { return !reaches_into_window(one.end, times.low); });
  }
  std::erase_if(now, [](const auto& entry) { return entry.second.empty(); });
  reported_ = std::move(now);
  reported_at_ = query_;
  return found;
}

void Engine::run(Time query, unsigned threads) {
  World world(prepared_, terms_, host_);
  world.query = query;
  find_initial(world);
  for (auto* sets : {&outputs_, &initiations_, &terminations_, &conflicts_}) {
    for (RowSet& one : *sets) one.cells.clear();
  }
  for (Index stage = 0; stage < prepared_.plan.stages.size(); ++stage) run_stage(stage, query, threads);
}

void Engine::find_initial(World& world) {
  initial_.clear();
  Machine machine(world);
  for (const Condition& rule : prepared_.plan.initially) {
    machine.run(rule.program, [&](const Machine::Frame& frame) {
      GroundPair pair{.table = rule.pair.table, .columns = {}, .value = machine.build(rule.pair.value, frame)};
      for (const Shape& shape : rule.pair.columns) pair.columns.push_back(machine.build(shape, frame));
      initial_.push_back(std::move(pair));
      return false;
    });
  }
}

// What an earlier stage has computed, or else what came in.
const RowSet& Engine::rows_of(Index table, Index stage) const {
  const Index component = prepared_.component_of[table];
  if (component == kNone) return inputs_[table];
  for (Index earlier = 0; earlier < stage; ++earlier) {
    const auto& members = prepared_.of_stage[earlier];
    if (std::find(members.begin(), members.end(), component) != members.end()) return outputs_[table];
  }
  return inputs_[table];
}

void Engine::fill(World& world, const TableInfo& info, Index table, const RowSet& rows, std::size_t from,
                  std::size_t to) const {
  if (info.is_event()) {
    world.events[table].show(rows.row(from), to - from);
    return;
  }
  FluentTable& fluent = world.fluents[table];
  for (std::size_t row = from; row < to; ++row) {
    const Value* cells = rows.row(row);
    const Index instance = fluent.add({cells + kIntervalHead, info.columns});
    fluent.pairs[fluent.add_pair(instance, cells[2]).first].list.push_back({time_of(cells[0]), time_of(cells[1])});
  }
}

struct Engine::Delivery {
  Index table = 0;
  const TableInfo* info = nullptr;
  Grouped rows;
  Grouped initiations;
  Grouped terminations;
};

void Engine::run_stage(Index number, Time query, unsigned threads) {
  const Stage& stage = prepared_.plan.stages[number];
  const Plan& plan = prepared_.plan;
  KeyNumbers keys(stage.key);
  if (stage.key == 0) keys.number({});
  Worker shared(prepared_, terms_, host_);
  std::vector<bool> is_shared(plan.tables.size());
  std::vector<Grouped> kept;  // rows that shared tables show
  kept.reserve(stage.inputs.size());
  std::vector<Delivery> deliveries;

  const auto finish_input = [&](World& world, Sweep& sweep, Index table) {
    FluentTable& fluent = world.fluents[table];
    const bool is_input = plan.tables[table].role == Role::kInputFluent;
    for (Index pair = 0; pair < fluent.pair_count; ++pair) {
      Pair& one = fluent.pairs[pair];
      make_maximal(one.list);
      if (is_input) one.is_declared = sweep.is_declared(table, fluent.columns(one.instance), one.value);
    }
    if (prepared_.has_edge_readers[table]) fluent.index_edges();
    for (const GroundPair& one : initial_) {
      const Index instance = one.table == table ? fluent.find(one.columns) : kNone;
      const Index pair = instance == kNone ? kNone : fluent.find_pair(instance, one.value);
      if (pair != kNone) fluent.pairs[pair].starts_initially = true;
    }
    const RowSet& cuts = cuts_[table];
    for (std::size_t row = 0; row < cuts.size(); ++row) {
      const Index instance = fluent.find({cuts.row(row) + 2, fluent.width});
      const Index pair = instance == kNone ? kNone : fluent.find_pair(instance, cuts.row(row)[1]);
      if (pair != kNone) fluent.cuts.push_back({time_of(cuts.row(row)[0]), pair});
    }
  };

  for (const Route& route : stage.inputs) {
    const TableInfo& info = plan.tables[route.table];
    const RowSet& rows = rows_of(route.table, number);
    const std::size_t head = info.is_event() ? kEventHead : kIntervalHead;
    if (route.is_shared) {
      KeyNumbers all(0);
      is_shared[route.table] = true;
      kept.push_back(group_rows(rows, head, {{}}, all));
      fill(shared.world, info, route.table, kept.back().rows, 0, kept.back().rows.size());
      for (auto [effects, into] : {std::pair(&initiations_, &FluentTable::initiations),
                                   std::pair(&terminations_, &FluentTable::terminations)}) {
        const Grouped sorted = group_rows((*effects)[route.table], kEventHead, {{}}, all);
        for (std::size_t row = 0; row < sorted.rows.size() && !info.is_event(); ++row) {
          const Value* cells = sorted.rows.row(row);
          (shared.world.fluents[route.table].*into).add(time_of(cells[0]), {cells + 1, info.columns + std::size_t{1}});
        }
      }
      if (!info.is_event()) finish_input(shared.world, shared.sweep, route.table);
      continue;
    }
    Delivery delivery{.table = route.table, .info = &info, .rows = {}, .initiations = {}, .terminations = {}};
    delivery.rows = group_rows(rows, head, route.places, keys);
    if (!info.is_event()) {
      delivery.initiations = group_rows(initiations_[route.table], kEventHead, route.places, keys);
      delivery.terminations = group_rows(terminations_[route.table], kEventHead, route.places, keys);
    }
    deliveries.push_back(std::move(delivery));
  }

  std::vector<std::vector<GroundPair>> initial;
  for (const GroundPair& pair : initial_) {
    const auto member = std::find_if(stage.members.begin(), stage.members.end(),
                                     [&](const Route& route) { return route.table == pair.table; });
    if (member == stage.members.end()) continue;
    std::vector<Value> key;
    for (const Index place : member->places[0]) key.push_back(pair.columns[place]);
    const Index at = keys.number(key);
    if (initial.size() <= at) initial.resize(at + 1);
    initial[at].push_back(pair);
  }
  initial.resize(keys.size());

  // Chunks of keys are put together in order: the answers are the same for any number of threads.
  const std::size_t chunks = (keys.size() + kKeysAtOnce - 1) / kKeysAtOnce;
  struct Found {
    std::vector<std::pair<Index, RowSet>> outputs, initiations, terminations, conflicts;
  };
  std::vector<Found> found(chunks);
  std::atomic<std::size_t> next = 0;
  std::exception_ptr problem;
  std::mutex mutex;

  std::vector<std::vector<Index>> key_places(plan.tables.size());
  for (const Route& member : stage.members) key_places[member.table] = member.places[0];
  const bool has_strangers = std::any_of(stage.inputs.begin(), stage.inputs.end(),
                                         [](const Route& route) { return route.is_shared || route.places.size() > 1; });

  const auto work = [&] {
    Worker worker(prepared_, terms_, host_);
    World& world = worker.world;
    world.query = query;
    world.shared = &shared.world;
    world.is_shared = is_shared;
    world.key_places = has_strangers && stage.key > 0 ? &key_places : nullptr;
    for (std::size_t chunk = next++; chunk < chunks; chunk = next++) {
      Found& into = found[chunk];
      for (const Route& member : stage.members) {
        const std::size_t width = plan.tables[member.table].columns;
        const bool is_event = plan.tables[member.table].is_event();
        into.outputs.emplace_back(member.table, RowSet{width + (is_event ? kEventHead : kIntervalHead), {}});
        into.initiations.emplace_back(member.table, RowSet{width + 2, {}});
        into.terminations.emplace_back(member.table, RowSet{width + 2, {}});
        into.conflicts.emplace_back(member.table, RowSet{width + 1, {}});
      }
      const std::size_t last = std::min(keys.size(), (chunk + 1) * kKeysAtOnce);
      for (std::size_t key = chunk * kKeysAtOnce; key < last; ++key) {
        world.clear();
        const auto own = keys.key(static_cast<Index>(key));
        world.key.assign(own.begin(), own.end());
        for (const Delivery& delivery : deliveries) {
          const auto range = [&](const Grouped& rows) {
            const std::size_t known = rows.begin.size() - 1;
            return key < known ? std::pair<std::size_t, std::size_t>(rows.begin[key], rows.begin[key + 1])
                               : std::pair<std::size_t, std::size_t>(0, 0);
          };
          const auto [from, to] = range(delivery.rows);
          fill(world, *delivery.info, delivery.table, delivery.rows.rows, from, to);
          if (delivery.info->is_event()) continue;
          FluentTable& fluent = world.fluents[delivery.table];
          const auto [i, j] = range(delivery.initiations);
          fluent.initiations.show(delivery.initiations.rows.row(i), j - i);
          const auto [k, l] = range(delivery.terminations);
          fluent.terminations.show(delivery.terminations.rows.row(k), l - k);
          finish_input(world, worker.sweep, delivery.table);
        }
        worker.sweep.run(
            {.stage = number, .initial = initial[key], .from = nullptr, .save_after = kForever, .into = nullptr});
        for (std::size_t i = 0; i < stage.members.size(); ++i) {
          const Index table = stage.members[i].table;
          RowSet& out = into.outputs[i].second;
          if (plan.tables[table].is_event()) {
            append_events(out, world.events[table]);
            continue;
          }
          const FluentTable& fluent = world.fluents[table];
          for (Index pair = 0; pair < fluent.pair_count; ++pair) {
            const Pair& one = fluent.pairs[pair];
            if (!one.is_declared) continue;
            for (const Interval& interval : one.list) {
              out.cells.push_back(time_cell(interval.start));
              out.cells.push_back(time_cell(interval.end));
              out.cells.push_back(one.value);
              const auto columns = fluent.columns(one.instance);
              out.cells.insert(out.cells.end(), columns.begin(), columns.end());
            }
          }
          append_events(into.initiations[i].second, fluent.initiations);
          append_events(into.terminations[i].second, fluent.terminations);
        }
        for (const Conflict& conflict : worker.sweep.conflicts()) {
          for (auto& [table, rows] : into.conflicts) {
            if (table == conflict.table) {
              append(rows, conflict.time, world.fluents[table].columns(conflict.instance));
            }
          }
        }
      }
    }
  };
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!problem) problem = std::current_exception();
      next = chunks;
    }
  };
  const std::size_t wanted = std::min<std::size_t>(threads, chunks);
  if (wanted <= 1) {
    guarded();
  } else {
    std::vector<std::jthread> pool;
    for (std::size_t i = 0; i < wanted; ++i) pool.emplace_back(guarded);
  }
  if (problem) std::rethrow_exception(problem);
  for (const Found& one : found) {
    for (const auto& [table, rows] : one.outputs) outputs_[table].append(rows);
    for (const auto& [table, rows] : one.initiations) initiations_[table].append(rows);
    for (const auto& [table, rows] : one.terminations) terminations_[table].append(rows);
    for (const auto& [table, rows] : one.conflicts) conflicts_[table].append(rows);
  }
}

}  // namespace holdsfor
