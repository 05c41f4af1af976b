// Evaluates one stratum in a slice of time: its relations in the slice, and the state for later slices.
//
// State consists of consequences, not causes. An operator that looks back is applied when its operand happens, and the
// part of its result after the slice waits. So nothing is derived twice, and old facts are not read again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "metric_since.h"

namespace holdsfor {

// The state of a stratum at the end of a slice.
struct MetricCarried {
  std::vector<MetricTable> ahead;     // by relation of the stratum: future facts
  std::vector<MetricTable> going_on;  // by remembered relation: intervals that hold at the end of the slice
  std::vector<MetricTable> armed;     // by rule with Since: where it will hold if its left side continues
  std::vector<MetricTable> recent;    // by relation that an Until waits over

  [[nodiscard]] std::size_t facts() const;
  // Removes all facts, and keeps the memory.
  void clear();
};

// Called from time to time. An exception from it stops the work.
using MetricWatch = std::function<void()>;

class MetricStratumRun {
 public:
  // `widths` and `tables` by relation.
  MetricStratumRun(MetricStratum stratum, const std::vector<Index>& widths, std::vector<MetricTable>& tables,
                   TermTable& terms, Host& host);

  [[nodiscard]] MetricCarried nothing() const;
  // Evaluates the rules in a slice, which no earlier time can change any more. The tables of the relations have the
  // given facts. False if `most_rounds` rounds did not reach a fixpoint.
  bool run(Interval slice, MetricCarried& carried, std::size_t most_rounds, const MetricWatch& watch);
  // Evaluates a slice without state for later times.
  bool run_once(Interval slice, std::size_t most_rounds, const MetricWatch& watch);
  // Whether a derived or given fact lies outside the slice of the last run.
  [[nodiscard]] bool was_cut() const { return was_cut_; }
  // Whether a finite start or end of its facts lies before, or after, all distinguishable times.
  [[nodiscard]] std::pair<bool, bool> lies_beyond() const;

  [[nodiscard]] const MetricStratum& stratum() const { return stratum_; }

  // For `most_rounds`.
  static constexpr std::size_t kNoLimit = SIZE_MAX;

 private:
  // Not a relation of the stratum.
  static constexpr Index kElsewhere = UINT32_MAX;
  struct RuleRun {
    const MetricRule* rule = nullptr;
    bool is_recursive = false;
    std::unique_ptr<MetricBody> body;
    std::unique_ptr<MetricSince> since;
    Index armed = kElsewhere;  // index among the rules with Since
    // For a move: by row of the source, the row of the head, if known.
    mutable std::vector<Index> head_rows;
  };

  void prepare(const MetricLast& rule, RuleRun& run, Index number);
  void remember(Index relation, Time width);
  bool evaluate(std::size_t most_rounds, const MetricWatch& watch);
  void begin();
  void derive(const RuleRun& run);
  void derive_fresh(const RuleRun& run);
  void move(const MetricMove& rule);
  void move_fresh(const MetricMove& rule, std::vector<Index>& head_rows);
  void wait(const MetricLast& rule, MetricSince& since);
  void last(const RuleRun& run);
  void last_fresh(const RuleRun& run);
  void join_fresh(const RuleRun& run);
  void start_armed();
  void insert(Index relation, std::span<const Value> tuple, Interval during);
  void insert_row(Index relation, Index row, Interval inside);
  void note_later(Index relation, std::span<const Value> tuple, Interval during);
  void insert_all(Index relation);
  void carry_on();
  [[nodiscard]] const MetricTable& grown(Index relation) const;
  [[nodiscard]] MetricTable recently(Index relation) const;
  [[nodiscard]] const Fresh& fresh(Index relation) const { return fresh_[place_[relation]]; }
  [[nodiscard]] bool is_own(Index relation) const { return place_[relation] != kElsewhere; }
  // Recursion, see metric_recursion.cpp.
  struct Pending {
    Time time = 0;  // of its start; of its end if time runs backwards
    Index place = 0;
    FreshPiece piece;
  };
  bool recurse(std::size_t most_rounds, const MetricWatch& watch);
  bool finish_rounds(std::size_t most_rounds, const MetricWatch& watch);
  void note_fresh(Index place, FreshPiece piece);
  void take_next();
  [[nodiscard]] std::vector<Pending> all_pieces() const;
  void group_by_key(std::vector<Pending>& pieces, std::vector<std::size_t>& ends) const;

  MetricStratum stratum_;
  std::vector<MetricTable>& tables_;
  std::vector<Index> widths_;
  std::vector<RuleRun> rules_;
  std::vector<Index> place_;          // by relation: index in the stratum
  std::vector<Index> memory_;         // by relation: index among the remembered relations
  std::vector<Index> remembered_;     // relations whose interval at the end of the slice is needed
  std::vector<Time> remembered_for_;  // how much of it, in ticks
  std::vector<Index> recalled_;       // relations that an Until waits over
  std::vector<Time> recalled_for_;
  std::vector<Index> since_rules_;

  // State of the current slice.
  Interval slice_;
  MetricCarried* carried_ = nullptr;  // null: no state for later times is needed
  MetricCarried next_;                // the state at its end
  std::vector<MetricTable> ahead_;    // by relation of the stratum
  std::vector<MetricTable> grown_;    // by remembered relation, if something continued from before the slice
  std::vector<bool> has_grown_;
  bool is_recursing_ = false;
  bool was_cut_ = false;
  std::vector<Fresh> fresh_;      // by relation of the stratum: the input of this round
  std::vector<Pending> pending_;  // the input of later rounds, as a heap
  Derived derived_;
  Intervals pieces_;
  std::vector<Value> tuple_;
};

}  // namespace holdsfor
