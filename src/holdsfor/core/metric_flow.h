// A program of metric rules on a stream whose facts are neither late nor taken back: time moves on slice by slice.
//
// What was found is final, so that nothing is evaluated twice, and keys would gain nothing: the rows of all of them
// stand in the same tables, and a slice costs what its facts cost. Between slices there is only what later ones need.
#pragma once

#include <memory>
#include <vector>

#include "metric_run.h"
#include "state_io.h"

namespace holdsfor {

// Facts that wait for their time: those to come, and those that hold at the end of the last slice.
class WaitingFacts {
 public:
  explicit WaitingFacts(std::size_t width) : width_(width) {}

  void push(std::span<const Value> tuple, Interval during);
  // Puts what holds in a slice into a table; what is over by then is dropped.
  void take(Interval slice, MetricTable& into);
  [[nodiscard]] std::size_t facts() const { return active_.during.size() + coming_.during.size() - next_; }
  void refine(Time factor);
  void mark_terms(TermMarks& marks) const;
  void write(StateWriter& into) const;
  void read(StateReader& from);

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

class MetricFlow {
 public:
  // The component has tables up to some number.
  MetricFlow(const MetricComponent& component, std::size_t tables, TermTable& terms, Host& host);

  // A fact of a table to be taken in; what lies before the time that was reached is late, and left out. Whether some
  // of it was.
  bool push(Index table, std::span<const Value> tuple, Interval during);
  // Whether a table is an input.
  [[nodiscard]] bool reads(Index table) const;
  // Goes on to the end of a cell: the outputs then have what holds from the time that was reached up to it.
  void advance(Time last, bool is_profiled, const MetricWatch& watch);
  // What an output holds in the last slice; null if the table is none.
  [[nodiscard]] const MetricTable* found(Index table) const;

  [[nodiscard]] bool has_begun() const { return reached_ > -kEndless || waiting() > 0; }
  // Facts that wait for their time, and those that slices have left to later ones.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t carried() const;
  [[nodiscard]] const std::vector<MetricProfile>& profile() const { return run_->profile(); }

  // Times have so many times the ticks; throws std::overflow_error before anything has changed if they do not fit. The
  // rules follow with `replace_rules`.
  void refine(Time factor);
  void replace_rules(const MetricComponent& component, TermTable& terms, Host& host);
  void mark_terms(TermMarks& marks) const;
  void write(StateWriter& into) const;
  void read(StateReader& from);

 private:
  const MetricComponent* component_;
  std::unique_ptr<MetricRun> run_;
  std::vector<Index> input_of_;        // by table: its place among the inputs, kNone if it is none
  std::vector<WaitingFacts> waiting_;  // by input
  Time reached_ = -kEndless;           // the first cell that was not evaluated yet
};

}  // namespace holdsfor
