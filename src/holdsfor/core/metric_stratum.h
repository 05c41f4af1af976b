// One stratum through a slice of time: what its relations hold there, and what that means for later.
//
// Consequences are kept, not causes: an operator that looks back is applied when what it looks at happens, and the part
// of the result that lies ahead waits. So nothing is derived twice, and nothing old is looked at again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "metric_since.h"

namespace holdsfor {

// What a stratum knows at the end of a slice.
struct MetricCarried {
  std::vector<MetricTable> ahead;     // by relation of the stratum: facts to come
  std::vector<MetricTable> going_on;  // by remembered relation: intervals that hold at the end of the slice
  std::vector<MetricTable> armed;     // by rule with Since: where it will hold if its left side goes on
  std::vector<MetricTable> recent;    // by relation that an Until waits over

  [[nodiscard]] std::size_t facts() const;
  // Has no facts any more; its memory stays.
  void clear();
};

// Called now and then; what it throws stops the work.
using MetricWatch = std::function<void()>;

class MetricStratumRun {
 public:
  // `widths` and `tables` by relation.
  MetricStratumRun(MetricStratum stratum, const std::vector<Index>& widths, std::vector<MetricTable>& tables,
                   TermTable& terms, Host& host);

  [[nodiscard]] MetricCarried nothing() const;
  // Evaluates the rules in a slice, which nothing before it can change any more. The tables of the relations of the
  // stratum have what is given of them. False if there was no end after so many rounds.
  bool run(Interval slice, MetricCarried& carried, std::size_t most_rounds, const MetricWatch& watch);
  // The same where nobody asks about times after the slice.
  bool run_once(Interval slice, std::size_t most_rounds, const MetricWatch& watch);
  // Whether something was derived, or given, that lies outside of the slice of the last run.
  [[nodiscard]] bool was_cut() const { return was_cut_; }
  // Whether some finite start or end of its facts lies before, or after, all times that are told apart.
  [[nodiscard]] std::pair<bool, bool> lies_beyond() const;

  [[nodiscard]] const MetricStratum& stratum() const { return stratum_; }

  static constexpr std::size_t kNoLimit = SIZE_MAX;

 private:
  static constexpr Index kElsewhere = UINT32_MAX;
  struct RuleRun {
    const MetricRule* rule = nullptr;
    bool is_recursive = false;
    std::unique_ptr<MetricBody> body;
    std::unique_ptr<MetricSince> since;
    Index armed = kElsewhere;  // its place among the rules with Since
    // Of a move: by row of the source, the row of the head, if it is known.
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
    Time time = 0;  // of its start, or with time running backwards of its end
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
  std::vector<Index> place_;          // by relation: its place in the stratum
  std::vector<Index> memory_;         // by relation: its place among those that are remembered
  std::vector<Index> remembered_;     // relations of which the interval that goes on is needed
  std::vector<Time> remembered_for_;  // and how much of it, in ticks
  std::vector<Index> recalled_;       // relations that an Until waits over
  std::vector<Time> recalled_for_;
  std::vector<Index> since_rules_;

  // Of the slice.
  Interval slice_;
  MetricCarried* carried_ = nullptr;  // null: nobody asks about later
  MetricCarried next_;                // what is known at its end
  std::vector<MetricTable> ahead_;    // by relation of the stratum
  std::vector<MetricTable> grown_;    // by remembered relation, where something went on before the slice
  std::vector<bool> has_grown_;
  bool is_recursing_ = false;
  bool was_cut_ = false;
  std::vector<Fresh> fresh_;      // by relation of the stratum: what this round is about
  std::vector<Pending> pending_;  // what later rounds are about: a heap
  Derived derived_;
  Intervals pieces_;
  std::vector<Value> tuple_;
};

}  // namespace holdsfor
