// Evaluates metric rules: over all time at once, or slice by slice as facts come in.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "metric_run.h"
#include "metric_stratum.h"

namespace holdsfor {

// Facts that wait for their time: those to come, and those that hold at the end of the last slice.
class WaitingFacts {
 public:
  explicit WaitingFacts(std::size_t width) : width_(width) {}

  void push(std::span<const Value> tuple, Interval during);
  // Puts what holds in a slice into a table; what is over by then is dropped.
  void take(Interval slice, MetricTable& into);
  [[nodiscard]] std::size_t facts() const { return active_.during.size() + coming_.during.size() - next_; }
  // Where the next fact begins.
  [[nodiscard]] Time next_start();
  // The last finite start or end; -kEndless if there is none.
  [[nodiscard]] Time last_change() const;
  void refine(Time factor);
  // All of them, one after the other.
  template <typename See>
  void each(const See& see) const {
    for (std::size_t i = 0; i < active_.during.size(); ++i) see(tuple(active_, i), active_.during[i]);
    for (std::size_t i = next_; i < coming_.during.size(); ++i) see(tuple(coming_, i), coming_.during[i]);
  }

 private:
  [[nodiscard]] std::span<const Value> tuple(const Derived& facts, std::size_t i) const {
    return std::span(facts.cells).subspan(i * width_, width_);
  }
  void sort();
  void hand_out(std::span<const Value> tuple, Interval during, Interval slice, MetricTable& into);

  std::size_t width_;
  Derived active_;
  Derived coming_;  // from `next_` on, in the order of their starts if sorted
  std::size_t next_ = 0;
  bool is_sorted_ = true;
  Derived still_;  // those that go on after a slice
};

// All that is known of the past and the future at the end of a slice.
struct MetricState {
  Time factor = 1;  // how many ticks each tick of the plan is
  Time reached = -kEndless;
  std::vector<MetricCarried> carried;  // by stratum
  std::vector<WaitingFacts> waiting;   // by relation

  [[nodiscard]] std::size_t facts() const;
};

class MetricEngine {
 public:
  MetricEngine(MetricPlan plan, TermTable& terms, Host& host);
  ~MetricEngine() = default;
  MetricEngine(const MetricEngine&) = delete;
  MetricEngine& operator=(const MetricEngine&) = delete;
  MetricEngine(MetricEngine&&) = delete;
  MetricEngine& operator=(MetricEngine&&) = delete;

  [[nodiscard]] const MetricPlan& plan() const { return plan_; }
  // Makes ticks so many times finer; throws std::overflow_error if times do not fit.
  void refine(Time factor);
  // A fact to be taken in; what lies before the time that was reached is late, and left out. Whether some of it was.
  bool push(Index relation, std::span<const Value> tuple, Interval during);
  // Goes on to a cell: the tables then have what holds from the time that was reached up to it.
  void advance(Time high, const MetricWatch& watch);

  // All facts at once: first the tables get what was pushed, then one stratum after the other is evaluated, each within
  // some time. False if there was no end after so many rounds.
  void begin_all();
  bool evaluate(Index stratum, Interval within, std::size_t most_rounds, const MetricWatch& watch);
  [[nodiscard]] std::pair<bool, bool> lies_beyond(Index stratum) const { return runs_[stratum].lies_beyond(); }

  // Goes on slice by slice, each so many ticks long, until nothing is left or a limit is reached; the tables then have
  // all that was found. If the state comes back, so that there is no end: when it was the same, and when it was again.
  struct Return {
    Time since = 0;
    std::optional<Time> again;
  };
  std::optional<Return> advance_by(Time stride, Time limit, const MetricWatch& watch);

  [[nodiscard]] const MetricTable& table(Index relation) const { return tables_[relation]; }
  [[nodiscard]] MetricTable& table(Index relation) { return tables_[relation]; }
  [[nodiscard]] const MetricStratumRun& run(Index stratum) const { return runs_[stratum]; }
  [[nodiscard]] MetricState& state() { return state_; }
  [[nodiscard]] const MetricState& state() const { return state_; }
  void set_state(MetricState state);
  void keep_profile() { profile_.resize(plan_.strata.size()); }
  [[nodiscard]] const std::vector<MetricProfile>& profile() const { return profile_; }

 private:
  void make_runs();
  void measure(Index stratum, double seconds);
  [[nodiscard]] Time next_start();
  [[nodiscard]] std::vector<std::uint64_t> signature() const;

  MetricPlan plan_;
  TermTable& terms_;
  Host& host_;
  std::vector<MetricTable> tables_;  // by relation, in the present slice
  std::vector<MetricStratumRun> runs_;
  MetricState state_;
  std::vector<MetricProfile> profile_;  // empty: not wanted
};

}  // namespace holdsfor
