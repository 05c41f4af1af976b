// Intervals taken in by key, against a set of time-points for each pair.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "checks.h"
#include "interval_editor.h"
#include "prepared.h"

namespace checks {

using namespace holdsfor;

namespace {

constexpr Time kTimes = 40;

// Table, value and arguments.
using PairKey = std::tuple<Index, std::vector<std::uint64_t>>;
using PointsOfPairs = std::map<PairKey, std::set<Time>>;

struct Fixture {
  explicit Fixture(Random& random) {
    Plan plan;
    Stage stage{.components = {}, .key = 1, .members = {}, .inputs = {}};
    const std::size_t tables = 1 + random.below(3);
    for (Index table = 0; table < tables; ++table) {
      const auto width = static_cast<Index>(1 + random.below(3));
      plan.tables.push_back({.label = "fluent", .role = Role::kInputFluent, .columns = width});
      Route route{.table = table, .places = {{0}}, .is_shared = false};
      if (width > 1 && random.chance(2)) route.places = {{0}, {1}};
      if (random.chance(5)) route = {.table = table, .places = {}, .is_shared = true};
      if (!random.chance(8)) stage.inputs.push_back(route);
      is_home.push_back(random.chance(2));
    }
    plan.stages.push_back(stage);
    prepared = std::make_unique<Prepared>(std::move(plan));
  }

  std::unique_ptr<Prepared> prepared;
  std::vector<bool> is_home;
};

// Threads that take the last things first. Intervals are not tested.
IntakeCrew backwards(unsigned threads) {
  return {.threads = threads, .tester = {}, .share = [](std::size_t count, const IntakeCrew::Work& work) {
            while (count > 0) work(0, --count);
          }};
}

void compare(const IntervalIntake& one, const IntervalIntake& other) {
  CHECK(one.size() == other.size());
  for (std::size_t group = 0; group < one.size(); ++group) {
    CHECK(one.key(group) == other.key(group));
    CHECK(std::ranges::equal(one.rows(group), other.rows(group)));
  }
}

PointsOfPairs points_of(const IntervalLog& log) {
  PointsOfPairs found;
  const std::span<const Value> cells = log.cells();
  for (std::size_t at = 0; at < cells.size();) {
    const IntervalHead head = interval_head(&cells[at]);
    CHECK(!head.has(kIsRetraction) && !head.has(kIsGone) && !head.has(kIsHome));
    std::vector<std::uint64_t> pair;
    for (std::size_t i = 4; i < head.width; ++i) pair.push_back(cells[at + i].word());
    for (Time time = time_of(cells[at + 1]); time < time_of(cells[at + 2]); ++time) {
      found[{head.table, pair}].insert(time);
    }
    at += head.width;
  }
  return found;
}

// Does to the points of a key what a row does; whether it makes a difference to any interval.
bool apply(PointsOfPairs& points, const PairKey& pair, Time start, Time end, bool is_retraction) {
  bool is_met = !is_retraction;
  for (Time time = start; time < end; ++time) {
    if (!is_retraction) {
      points[pair].insert(time);
    } else if (const auto known = points.find(pair); known != points.end()) {
      is_met = known->second.erase(time) > 0 || is_met;
      if (known->second.empty()) points.erase(known);
    }
  }
  return is_met;
}

}  // namespace

void check_interval_intake(unsigned seed) {
  Random random(seed);
  const Fixture fixture(random);
  const Plan& plan = fixture.prepared->plan;
  const Stage& stage = plan.stages[0];
  IntervalIntake intake(stage);
  IntervalIntake alone(stage);
  KeyNumbers keys(1);
  KeyNumbers keys_alone(1);
  std::map<Index, IntervalLog> logs;
  IntervalLog shared;
  std::map<std::uint64_t, PointsOfPairs> model;
  PointsOfPairs shared_model;
  const auto threads = static_cast<unsigned>(1 + random.below(8));
  const std::size_t most = random.chance(10) ? 6'000 : 40;
  const bool has_causes = random.chance(2);
  const std::size_t retractions = random.chance(3) ? 0 : 1 + random.below(4);
  for (int batch = 0; batch < 5; ++batch) {
    std::vector<IntervalArrivals> all;
    std::size_t unmatched = 0;
    for (Index table = 0; table < plan.tables.size(); ++table) {
      IntervalArrivals& some = all.emplace_back();
      some.table = table;
      some.rows.width = kIntervalRowHead + plan.tables[table].columns;
      const auto route =
          std::find_if(stage.inputs.begin(), stage.inputs.end(), [&](const Route& one) { return one.table == table; });
      for (std::size_t row = random.below(most); row > 0; --row) {
        const auto start = static_cast<Time>(random.below(kTimes));
        const Time end = start + 1 + static_cast<Time>(random.below(8));
        const bool is_retraction = retractions > 0 && random.below(8) < retractions;
        std::vector<Value> pair{Value::code(static_cast<std::uint32_t>(random.below(2)))};
        std::vector<std::uint64_t> words{pair[0].word()};
        for (Index i = 0; i < plan.tables[table].columns; ++i) {
          pair.push_back(Value::integer(static_cast<std::int64_t>(random.below(5))));
          words.push_back(pair.back().word());
        }
        some.add(static_cast<std::uint8_t>(is_retraction ? kIsRetraction : 0), start, end, start, pair,
                 has_causes ? static_cast<Cause>(row) : kNoCause);
        if (route == stage.inputs.end()) continue;
        std::vector<PointsOfPairs*> reached;
        if (route->is_shared) reached.push_back(&shared_model);
        for (const auto& places : route->places) {
          auto* of_key = &model[words[places[0] + 1]];
          if (std::find(reached.begin(), reached.end(), of_key) == reached.end()) reached.push_back(of_key);
        }
        for (auto* of_key : reached) {
          const bool is_met = apply(*of_key, {table, words}, start, end, is_retraction);
          if (!is_met && of_key == reached.front() && fixture.is_home[table]) ++unmatched;
        }
      }
    }
    alone.group(all, fixture.is_home, keys_alone, backwards(1));
    intake.group(all, fixture.is_home, keys, backwards(threads));
    compare(intake, alone);
    std::vector<Cause> causes;
    std::vector<Cause> lost;
    std::size_t found_unmatched = 0;
    for (std::size_t group = 0; group < intake.size(); ++group) {
      found_unmatched += take_in(intake, group, kNever, logs[intake.key(group)], &causes, lost).unmatched;
    }
    intake.group_shared(all, fixture.is_home);
    CHECK(intake.size() <= 1);
    for (std::size_t group = 0; group < intake.size(); ++group) {
      found_unmatched += take_in(intake, group, kNever, shared, &causes, lost).unmatched;
    }
    CHECK(found_unmatched == unmatched);
    CHECK(lost.size() == (has_causes ? unmatched : 0));
    for (const auto& [word, points] : model) {
      const std::vector<Value> key{Value::from_word(word)};
      CHECK(points_of(logs[keys.find(key)]) == points);
    }
    CHECK(points_of(shared) == shared_model);
  }
}

}  // namespace checks
