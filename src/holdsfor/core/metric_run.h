// Evaluates metric predicates of an event description for one key, from what is known of it to time-points.
//
// A fluent that holds on the time-points [s, e) holds on the rational times (s-1, e-1], an event at T on [T, T]. The
// other way round, a predicate holds at the time-points that lie in its intervals. Nothing is asked about the time
// before the beginning, or after the time-point that follows the query time; what holds there holds until further
// notice.
#pragma once

#include "metric_engine.h"
#include "world.h"

namespace holdsfor {

class MetricRun {
 public:
  MetricRun(const MetricComponent& component, TermTable& terms, Host& host);

  // Times may be too far off to be told apart, and recursion may find no end.
  enum class Outcome : std::uint8_t { kDone, kTooFar, kNoEnd };
  // From the tables of a world to the tables of the predicates in it.
  Outcome evaluate(World& world);

 private:
  [[nodiscard]] bool is_far(Time time) const { return time > farthest_ || time < -farthest_; }
  // Puts what is known into the relations; false if a time is too far off.
  bool take(const World& world, const MetricLink& link);
  bool take_events(const EventTable& events, MetricTable& into);
  bool take_fluent(const FluentTable& fluent, MetricTable& into);
  void note(Time time) { last_change_ = std::max(last_change_, time); }
  [[nodiscard]] Interval within(const MetricSpan& span, const World& world) const;
  // The first time-point that is not before a cell.
  [[nodiscard]] Time next_point(Time cell) const;
  void give(World& world, const MetricLink& link) const;

  const MetricComponent& component_;
  MetricEngine engine_;
  Time farthest_;
  // The last finite start or end of what was taken in.
  Time last_change_ = kNever;
  bool is_any_ = false;
};

}  // namespace holdsfor
