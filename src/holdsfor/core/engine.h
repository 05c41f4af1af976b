// Evaluates a plan over the rows that were pushed, stage by stage and key by key.
#pragma once

#include <vector>

#include "rows.h"
#include "sweep.h"

namespace holdsfor {

class Engine {
 public:
  Engine(const Prepared& prepared, TermTable& terms, Host& host);

  void clear();
  // Rows of an input: events, or intervals of a fluent.
  [[nodiscard]] RowSet& input(Index table) { return inputs_.at(table); }
  // Starts of input intervals that are cuts, and no starts: start, value and arguments.
  [[nodiscard]] RowSet& cuts(Index table) { return cuts_.at(table); }

  void run(Time query, unsigned threads);

  // What is known of a table after a run: derived events with those that came in, or intervals.
  [[nodiscard]] const RowSet& output(Index table) const { return outputs_.at(table); }
  // Time and arguments of initiations without effect, by table.
  [[nodiscard]] const RowSet& conflicts(Index table) const { return conflicts_.at(table); }

 private:
  struct Worker;
  struct Delivery;

  [[nodiscard]] const RowSet& rows_of(Index table, Index stage) const;
  void run_stage(Index stage, Time query, unsigned threads);
  void fill(World& world, const TableInfo& info, Index table, const RowSet& rows, std::size_t from,
            std::size_t to) const;
  void find_initial(World& world);

  const Prepared& prepared_;
  TermTable& terms_;
  Host& host_;
  std::vector<RowSet> inputs_;
  std::vector<RowSet> cuts_;
  std::vector<RowSet> outputs_;
  std::vector<RowSet> initiations_;
  std::vector<RowSet> terminations_;
  std::vector<RowSet> conflicts_;
  std::vector<GroundPair> initial_;
};

}  // namespace holdsfor
