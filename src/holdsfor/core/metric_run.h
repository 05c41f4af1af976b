// Evaluates metric predicates for one key, from its input to the times at which the predicates hold.
//
// Next to event rules, time is counted in time-points. A fluent that holds on the time-points [s, e) holds on the
// rational times (s-1, e-1], an event at T on [T, T]. Conversely, a predicate holds at the time-points in its
// intervals. Queries do not reach before the beginning of time or after the time-point that follows the query time.
// What holds at that time-point holds until further notice.
//
// In programs of metric rules alone, the times of rows are cells of the doubled time-line. Predicates are evaluated
// over the whole queried time, or slice by slice. The checkpoint at the end of a slice has the state that it carries
// over to later slices.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "checkpoint.h"
#include "metric_endless.h"
#include "world.h"

namespace holdsfor {

// The measured cost of one stratum.
struct MetricProfile {
  double seconds = 0;
  std::size_t facts_in = 0;
  std::size_t facts_out = 0;
  std::size_t most_kept = 0;
};

class MetricRun {
 public:
  MetricRun(const MetricComponent& component, TermTable& terms, Host& host);

  // Evaluation fails if times are too far off to be distinguished, or if recursion does not terminate.
  enum class Outcome : std::uint8_t { kDone, kTooFar, kNoEnd };
  // Reads the input tables of a world, and fills the tables of its predicates.
  Outcome evaluate(World& world);

  // Evaluates slice by slice, from a checkpoint if there is one. Writes the state at the times of `saves`.
  void evaluate_slices(World& world, CheckpointReader* reader, Time from, std::span<const Checkpoint> saves,
                       std::span<CheckpointWriter> writers);
  [[nodiscard]] std::vector<Index> carried_widths() const;

  // One slice, for callers that fill the input tables and keep the state between slices.
  using State = std::vector<MetricCarried>;  // by stratum
  void clear_tables();
  void evaluate_slice(Interval slice, bool is_profiled, const MetricWatch& watch);
  [[nodiscard]] MetricTable& table(Index relation) { return tables_[relation]; }
  [[nodiscard]] State& state() { return state_; }
  // By stratum; all zero without profiling.
  [[nodiscard]] const std::vector<MetricProfile>& profile() const { return profile_; }
  // When results change after the query time without new rows; kForever if they do not.
  [[nodiscard]] Time next_change() const { return next_change_; }

 private:
  [[nodiscard]] bool is_far(Time time) const { return time > farthest_ || time < -farthest_; }
  // Puts the input into the relations. False if a time is too far off.
  bool take(const World& world, const MetricLink& link);
  bool take_events(const EventTable& events, MetricTable& into);
  bool take_fluent(const FluentTable& fluent, MetricTable& into);
  void take_cells(const FluentTable& fluent, Interval slice, MetricTable& into);
  void note(Time time) { last_change_ = std::max(last_change_, time); }
  // The time in which a stratum is evaluated; nothing if it is unbounded.
  [[nodiscard]] std::optional<Interval> within(const MetricSpan& span, const World& world) const;
  bool evaluate_stratum(Index stratum, const World& world, const MetricWatch& watch);
  [[nodiscard]] bool gives_repeats(Index relation, bool is_left, const World& world) const;
  // Unrolls the outputs as far as they are queried.
  void spell_out(const World& world);
  // The first time-point at or after a cell.
  [[nodiscard]] Time next_point(Time cell) const;
  void give(World& world, const MetricLink& link) const;
  void give_cells(World& world, const MetricLink& link, Time last) const;
  Interval give_repeats(FluentTable& fluent, Index instance, const Intervals& known, Index relation,
                        const World& world) const;

  template <typename Work>
  bool measured(Index stratum, bool is_profiled, const Work& work);
  void read_state(CheckpointReader& from);
  void save(CheckpointWriter& into) const;
  void find_next_change(const World& world);
  void note_ends(const MetricStratumRun& run, const MetricCarried& carried, Time now);

  const MetricComponent& component_;
  std::vector<MetricTable> tables_;  // by relation
  std::vector<std::unique_ptr<MetricStratumRun>> runs_;
  MetricEndless endless_;
  std::vector<MetricRepeat> repeats_;
  Time farthest_;
  // The last finite start or end in the input.
  Time last_change_ = kNever;
  bool is_any_ = false;

  State state_;
  Time next_change_ = kForever;
  std::vector<MetricProfile> profile_;
};

template <typename Work>
bool MetricRun::measured(Index stratum, bool is_profiled, const Work& work) {
  if (!is_profiled) return work();
  const auto begin = std::chrono::steady_clock::now();
  const bool has_ended = work();
  MetricProfile& found = profile_[stratum];
  found.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const MetricStratum& known = runs_[stratum]->stratum();
  for (const Index relation : relations_read(known)) found.facts_in += tables_[relation].intervals();
  for (const Index relation : known.relations) found.facts_out += tables_[relation].intervals();
  return has_ended;
}

}  // namespace holdsfor
