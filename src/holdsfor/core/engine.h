// Evaluates a plan over the rows that were pushed, stage by stage and key by key.
#pragma once

#include <map>
#include <vector>

#include "changes.h"
#include "inputs.h"
#include "rows.h"
#include "sweep.h"

namespace holdsfor {

class Engine {
 public:
  Engine(const Prepared& prepared, TermTable& terms, Host& host);

  void set_window(Window window) { window_ = window; }

  // Rows to be taken in at the next query time.
  [[nodiscard]] Edits& edits() { return edits_; }
  // All that counts at a query time is taken in and evaluated.
  void advance(Time query, unsigned threads);

  // What is shown of a table at the last query time: derived events, or intervals that reach into the window.
  [[nodiscard]] RowSet answers(Index table) const;
  // Time and arguments of initiations without effect, by table.
  [[nodiscard]] const RowSet& conflicts(Index table) const { return conflicts_.at(table); }

  // Changes since they were last read, if they are kept, in the order of tables, arguments and values.
  struct PairChange {
    Index table = 0;
    Value value;
    std::vector<Value> columns;
    Change change;
    std::vector<Cause> causes;
  };
  void keep_changes(bool is_wanted);
  std::vector<PairChange> changes();

  [[nodiscard]] const Inputs& inputs() const { return known_; }
  // What rules read of background knowledge has changed.
  void mark_all_dirty() {}

 private:
  struct Worker;
  struct Delivery;

  [[nodiscard]] const RowSet& rows_of(Index table, Index stage) const;
  void run(Time query, unsigned threads);
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

  // A pair as a row: its table, arguments and value.
  using PairKey = std::vector<std::uint64_t>;
  [[nodiscard]] std::map<PairKey, std::vector<Reported>> found_intervals() const;

  Window window_;
  Edits edits_;
  Inputs known_;
  Time query_ = kNever;
  bool keeps_changes_ = false;
  Time reported_at_ = kNever;
  std::map<PairKey, std::vector<Reported>> reported_;
};

}  // namespace holdsfor
