// Evaluates metric rules on a stream whose facts are neither late nor retracted, slice by slice of time.
//
// Results are final, so nothing is evaluated twice and keys would bring no benefit: the rows of all keys share tables.
// The cost of a slice depends on its facts. Between slices, only state that later slices need is kept.
#pragma once

#include <memory>
#include <vector>

#include "metric_run.h"
#include "state_io.h"

namespace holdsfor {

// Facts that wait for their time: future facts, and facts that hold at the end of the last slice.
class WaitingFacts {
 public:
  explicit WaitingFacts(std::size_t width) : width_(width) {}

  void push(std::span<const Value> tuple, Interval during);
  // Puts the facts that hold in a slice into a table. Drops facts that have ended by then.
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
  Derived coming_;  // from `next_` on, ordered by start if `is_sorted_`
  std::size_t next_ = 0;
  bool is_sorted_ = true;
  Derived still_;  // facts that continue after a slice
};

class MetricFlow {
 public:
  // `tables` is the number of tables of the plan.
  MetricFlow(const MetricComponent& component, std::size_t tables, TermTable& terms, Host& host);

  // Adds a fact of a table. The part before the time already reached is late and is cut off. Returns whether a part was
  // cut off.
  bool push(Index table, std::span<const Value> tuple, Interval during);
  // Whether a table is an input.
  [[nodiscard]] bool reads(Index table) const;
  // Evaluates up to the end of a cell. Then the outputs hold the results from the time reached before up to it.
  void advance(Time last, bool is_profiled, const MetricWatch& watch);
  // The facts of an output in the last slice; null if the table is not an output.
  [[nodiscard]] const MetricTable* found(Index table) const;

  [[nodiscard]] bool has_begun() const { return reached_ > -kEndless || waiting() > 0; }
  // Facts that wait for their time; facts that slices carry over to later ones.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t carried() const;
  [[nodiscard]] const std::vector<MetricProfile>& profile() const { return run_->profile(); }

  // Multiplies all times by `factor`, for finer ticks. Throws std::overflow_error before any change if they do not fit.
  // `replace_rules` must follow.
  void refine(Time factor);
  void replace_rules(const MetricComponent& component, TermTable& terms, Host& host);
  void mark_terms(TermMarks& marks) const;
  void write(StateWriter& into) const;
  void read(StateReader& from);

 private:
  const MetricComponent* component_;
  std::unique_ptr<MetricRun> run_;
  std::vector<Index> input_of_;        // by table: index among the inputs; kNone for other tables
  std::vector<WaitingFacts> waiting_;  // by input
  Time reached_ = -kEndless;           // the first cell that is not evaluated yet
};

}  // namespace holdsfor
