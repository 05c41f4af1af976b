// Rows taken in by key, against a set of rows for each key.
#include <algorithm>
#include <map>
#include <tuple>

#include "checks.h"
#include "log_writer.h"
#include "tables.h"
#include "world.h"

namespace checks {

using namespace holdsfor;

void check_key_numbers(unsigned seed) {
  Random random(seed);
  const std::size_t width = random.below(3);
  KeyNumbers numbers(width);
  std::map<std::vector<std::uint64_t>, Index> known;
  for (int step = 0; step < 2000; ++step) {
    std::vector<Value> key;
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < width; ++i) {
      const bool is_far = random.chance(4);
      const auto number = static_cast<std::uint32_t>(random.below(40) * (is_far ? 20'000 : 1));
      key.push_back(random.chance(2) ? Value::code(number) : Value::integer(number));
    }
    for (const Value value : key) words.push_back(value.word());
    const auto found = known.find(words);
    CHECK(numbers.find(key) == (found == known.end() ? kNone : found->second));
    if (found != known.end() && random.chance(2)) {
      numbers.forget(found->second);
      known.erase(found);
    } else if (random.chance(3)) {
      Index number = 0;
      const std::vector<Index> places = width == 2 ? std::vector<Index>{0, 1} : std::vector<Index>(width, 0);
      numbers.numbers(words.data(), width, places, {&number, 1});
      CHECK(found == known.end() || number == found->second);
      known[words] = number;
    } else {
      const Index number = numbers.number(key);
      CHECK(found == known.end() || number == found->second);
      known[words] = number;
    }
    CHECK(numbers.count() == known.size());
  }
  std::map<Index, int> uses;
  for (const auto& [words, number] : known) {
    CHECK(++uses[number] == 1 && number < numbers.size());
    const auto key = numbers.key(number);
    for (std::size_t i = 0; i < width; ++i) CHECK(key[i].word() == words[i]);
  }
}

namespace {

// A row of the model: in the order of a log, with when it came first.
struct Known {
  std::uint64_t count = 0;
  std::size_t arrival = 0;
};
using RowKey = std::tuple<Time, Index, std::vector<std::uint64_t>>;
using Model = std::map<std::vector<std::uint64_t>, std::map<RowKey, Known>>;

struct Fixture {
  explicit Fixture(Random& random) {
    Plan plan;
    const std::size_t tables = 1 + random.below(4);
    Stage stage{.components = {}, .key = 1, .members = {}, .inputs = {}};
    for (Index table = 0; table < tables; ++table) {
      const auto width = static_cast<Index>(1 + random.below(3));
      plan.tables.push_back({.label = "event", .role = Role::kInputEvent, .columns = width});
      Route route{.table = table, .places = {{0}}, .is_shared = false};
      if (width > 1 && random.chance(2)) route.places = {{0}, {1}};
      if (random.chance(5)) route = {.table = table, .places = {}, .is_shared = true};
      if (!random.chance(8)) stage.inputs.push_back(route);
    }
    plan.stages.push_back(stage);
    prepared = std::make_unique<Prepared>(std::move(plan));
  }

  TermTable terms;
  std::unique_ptr<Prepared> prepared;
};

const Route* route_of(const Stage& stage, Index table) {
  for (const Route& route : stage.inputs) {
    if (route.table == table) return &route;
  }
  return nullptr;
}

void compare(const Log& log, const std::map<RowKey, Known>& model, const LogWidths& widths) {
  std::vector<std::pair<RowKey, Known>> wanted(model.begin(), model.end());
  std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    const auto& [at, table, row] = a.first;
    const auto& [other_at, other_table, other_row] = b.first;
    return std::tie(at, table, a.second.arrival) < std::tie(other_at, other_table, b.second.arrival);
  });
  std::size_t at = 0;
  for (const auto& [key, known] : wanted) {
    CHECK(at < log.cells().size());
    const Value* row = log.cells().data() + at;
    const std::size_t width = widths.of(row);
    CHECK(time_of(row[0]) == std::get<0>(key));
    CHECK(RowHead::from(row[1]).table == std::get<1>(key));
    CHECK(width == std::get<2>(key).size() + kLogHead);
    for (std::size_t i = kLogHead; i < width; ++i) CHECK(row[i].word() == std::get<2>(key)[i - kLogHead]);
    if (at + width == log.cells().size()) CHECK(log.last_row() == at);
    at += width;
  }
  CHECK(at == log.cells().size());
}

// Threads that take the last things first.
IntakeCrew backwards(unsigned threads, RowTester& tester) {
  IntakeCrew crew = IntakeCrew::alone(tester);
  crew.threads = threads;
  crew.share = [](std::size_t count, const IntakeCrew::Work& work) {
    while (count > 0) work(0, --count);
  };
  return crew;
}

// Keys, groups and rows are the same for any number of threads.
void compare(const Intake& one, const KeyNumbers& keys, const Intake& other, const KeyNumbers& other_keys) {
  CHECK(one.size() == other.size());
  CHECK(keys.size() == other_keys.size());
  for (Index key = 0; key < keys.size(); ++key) CHECK(std::ranges::equal(keys.key(key), other_keys.key(key)));
  for (std::size_t group = 0; group < one.size(); ++group) {
    CHECK(one.key(group) == other.key(group));
    CHECK(std::ranges::equal(one.rows(group), other.rows(group)));
  }
}

}  // namespace

void check_intake(unsigned seed) {
  Random random(seed);
  Fixture fixture(random);
  const Plan& plan = fixture.prepared->plan;
  const Stage& stage = plan.stages[0];
  const LogWidths widths(plan);
  const RowConditions conditions(*fixture.prepared, 0);
  LogWriter writer(widths, conditions, fixture.terms);
  Intake intake(stage);
  KeyNumbers keys(1);
  const auto threads = static_cast<unsigned>(1 + random.below(8));
  Intake alone(stage);
  KeyNumbers keys_alone(1);
  std::map<Index, Log> logs;
  Log shared;
  Model model;
  std::map<RowKey, Known> shared_model;
  const std::size_t times = random.chance(3) ? 6 : random.chance(2) ? 60 : 100'000;
  const std::size_t values = random.chance(2) ? 3 : 30;
  std::size_t arrival = 0;
  // Many rows stay where they are grouped.
  const std::size_t most = random.chance(10) ? 20'000 : 60;
  const bool has_causes = random.chance(2);
  const bool has_retractions = random.chance(2);
  for (int batch = 0; batch < 6; ++batch) {
    std::vector<Arrivals> all;
    std::size_t unmatched = 0;
    Time changed = kForever;
    for (Index table = 0; table < plan.tables.size(); ++table) {
      if (random.chance(3)) continue;
      Arrivals& some = all.emplace_back();
      some.table = table;
      some.rows = EventRows(plan.tables[table].columns);
      const Route* route = route_of(stage, table);
      for (std::size_t row = random.below(most); row > 0; --row) {
        // Far apart, so that time and position do not fit into one word.
        const Time time = static_cast<Time>(random.below(times)) + (random.chance(500) ? (kForever >> 1) : 0);
        const bool is_retraction = has_retractions && random.chance(3);
        std::vector<std::uint64_t> args;
        for (Index i = 0; i < plan.tables[table].columns; ++i) {
          args.push_back(Value::integer(static_cast<std::int64_t>(random.below(values))).word());
        }
        some.add(time, args.data(), has_causes ? static_cast<Cause>(arrival) : kNoCause, is_retraction);
        ++arrival;
        if (route == nullptr) continue;
        std::vector<std::map<RowKey, Known>*> reached;
        if (route->is_shared) reached.push_back(&shared_model);
        for (const auto& places : route->places) {
          auto* of_key = &model[{args[places[0]]}];
          if (std::find(reached.begin(), reached.end(), of_key) == reached.end()) reached.push_back(of_key);
        }
        for (auto* of_key : reached) {
          const RowKey key(time, table, args);
          const auto known = of_key->find(key);
          if (!is_retraction) {
            Known& one = (*of_key)[key];
            if (one.count == 0) one.arrival = arrival;
            one.count = 1;
          } else if (known != of_key->end()) {
            of_key->erase(known);
          } else {
            unmatched += of_key == reached.front() ? 1 : 0;
          }
        }
      }
    }
    std::vector<Cause> causes;
    std::size_t found_unmatched = 0;
    alone.group(all, keys_alone, IntakeCrew::alone(writer.tester()));
    intake.group(all, keys, backwards(threads, writer.tester()));
    compare(intake, keys, alone, keys_alone);
    for (std::size_t group = 0; group < intake.size(); ++group) {
      const Taken taken = writer.take_in(intake, group, logs[intake.key(group)], &causes);
      found_unmatched += taken.unmatched;
      changed = std::min(changed, taken.first);
    }
    intake.group_shared(all, writer.tester());
    CHECK(intake.size() <= 1);
    for (std::size_t group = 0; group < intake.size(); ++group) {
      found_unmatched += writer.take_in(intake, group, shared, &causes).unmatched;
    }
    CHECK(found_unmatched == unmatched);
    for (const auto& [key, rows] : model) {
      const std::vector<Value> value{Value::from_word(key[0])};
      const Index number = keys.find(value);
      CHECK(number != kNone);
      compare(logs[number], rows, widths);
    }
    compare(shared, shared_model, widths);
    if (!random.chance(4)) continue;
    // The past is forgotten, but what a table keeps.
    const Time until = static_cast<Time>(random.below(times));
    std::vector<Time> keep;
    for (std::size_t table = 0; table < plan.tables.size(); ++table) {
      keep.push_back(random.chance(3) ? kForever : static_cast<Time>(random.below(5)));
    }
    for (auto& [number, log] : logs) log.drop_until(until, keep, widths);
    shared.drop_until(until, keep, widths);
    const auto is_old = [&](const auto& one) {
      const auto& [time, table, args] = one.first;
      return time <= until && (keep[table] != kForever && time <= until - keep[table]);
    };
    for (auto& [key, rows] : model) std::erase_if(rows, is_old);
    std::erase_if(shared_model, is_old);
  }
}

}  // namespace checks
