// The register machine: runs the programs of rules and finds every solution of a block by backtracking.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "function_ref.h"
#include "plan.h"
#include "recent_answers.h"
#include "sliding.h"
#include "world.h"

namespace holdsfor {

class Machine {
 public:
  explicit Machine(World& world);

  // The registers of one run.
  struct Frame {
    std::vector<Value> values;
    std::vector<const Intervals*> lists;  // of pairs, or from `made`
    std::vector<Intervals> made;
  };
  // Called for every solution. Returns true to end the search.
  using Finish = FunctionRef<bool(const Frame&)>;

  // Runs a program. Returns whether `finish` ended the search.
  bool run(const Program& program, Finish finish);
  // Runs a block of a program, with given values for some registers.
  bool run_part(const Program& program, const Block& part, std::span<const std::pair<Index, Value>> given,
                std::span<const std::pair<Index, Intervals>> given_lists, Finish finish);
  // Runs a program on one row of the events that it begins with.
  bool run_on_row(const Program& program, std::span<const Value> row, Finish finish);
  // Sets registers from a row of the events that a rule begins with. Returns null if the row does not match. After
  // `solve` or `exists`, call `leave` to end the run. `is_decided`: the row conditions hold, so the row matches.
  Frame* enter_row(const RowRule& rule, const Value* row, bool is_decided);
  // Finds the solutions of a block from instruction `first` on. Returns whether `finish` ended the search.
  bool solve(const Block& block, std::size_t first, Finish finish);
  // Whether the block has a solution. If so, the registers have its values.
  bool exists(const Block& block, std::size_t first = 0);
  // Discards aborted runs.
  void reset() {
    depth_ = 0;
    frame_ = nullptr;
    domains_.clear();
    collected_.clear();
  }
  void leave() { frame_ = --depth_ == 0 ? nullptr : frames_[depth_ - 1].get(); }
  // Runs a program with registers set from a pair. Also returns false if the pair does not match the shape.
  bool run_on(const PairShape& shape, std::span<const Value> columns, Value value, const Program& program,
              Finish finish);

  bool match(const Shape& shape, Value value, Frame& frame) const;
  [[nodiscard]] Value build(const Shape& shape, const Frame& frame) const;

 private:
  // The continuation after the end of a block. With neither block nor `finish`, the first solution ends the search.
  struct Next {
    const Block* block = nullptr;
    std::size_t at = 0;
    const Next* next = nullptr;
    const FunctionRef<bool()>* finish = nullptr;
  };

  // Enters a run with registers of its own, nested in the current runs.
  Frame& enter(const Program& program);
  bool step(const Block& block, std::size_t at, const Next& next);
  bool generate(const Instruction& one, const Next& next);
  bool passes(const Instruction& one);
  bool go_on(const Next& next) {
    // One time-point may have millions of solutions, so look for a stop here.
    if ((++solutions_ & 4095U) == 0) world_.watch.check();
    if (next.block != nullptr) return step(*next.block, next.at, *next.next);
    return next.finish == nullptr || (*next.finish)();
  }
  // The values of columns that are all known. Valid until the next call.
  std::span<const Value> known(const std::vector<Shape>& shapes);

  bool match_open(const Shape& shape, Frame& frame) const;
  bool match_list(const Shape& shape, Value value, Frame& frame) const;
  bool match_all(const std::vector<Shape>& shapes, std::span<const Value> values) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const Shape& shape = shapes[i];
      if (shape.kind == ShapeKind::kBind) {
        frame_->values[shape.reg] = values[i];
        continue;
      }
      const bool is_equal = (shape.kind == ShapeKind::kConstant && shape.constant == values[i]) ||
                            (shape.kind == ShapeKind::kRegister && frame_->values[shape.reg] == values[i]);
      if (!is_equal && !match(shape, values[i], *frame_)) return false;
    }
    return true;
  }
  bool events(const Instruction& one, const Next& next);
  bool holds(const Instruction& one);
  // The pair that holds for the single instance of an instruction; kNone, or kSeveral if several hold.
  static constexpr Index kSeveral = kNone - 1;
  Index held(const Instruction& one);
  bool holding(const Instruction& one, const Next& next);
  bool endable(const Instruction& one, const Next& next);
  bool edges(const Instruction& one, const Next& next);
  bool edges_at(const Instruction& one, Time time, const Next& next);
  bool edges_under_way(const Instruction& one, Time time, const Next& next);
  bool edges_past(const Instruction& one, Time first, Time last, const Next& next);
  bool effects(const Instruction& one, Time first, Time last, const Next& next);
  bool facts(const Instruction& one, const Next& next);
  bool plain_facts(const Instruction& one, const FactTable& table, const FactIndex& index, const Next& next);
  bool call(const Instruction& one, const Next& next);
  // Cached answers of a goal; null if the cache has none.
  const RecentAnswers::Answers* recent_answers(const Instruction& one);
  bool domain(const Instruction& one, const Next& next);
  bool lookup(const Instruction& one, const Next& next);
  void put_list(const Instruction& one, const FluentTable& table, Index number);
  bool collect(const Instruction& one, const Next& next);
  bool slide(const Instruction& one, const Next& next);
  Value slide_item(const Instruction& one);
  bool compare(const Instruction& one);
  bool assign(const Instruction& one);
  bool equal(const Instruction& one);
  bool operate(const Instruction& one);
  void spell(const Instruction& one);
  bool read(const Instruction& one);
  bool read_rest(Value term, std::vector<Intervals>& rest);
  bool filter(const Instruction& one, const Intervals& list, Intervals& out);
  bool empty(const Instruction& one);
  bool copy(const Instruction& one);
  bool list_call(const Instruction& one, const Next& next);
  // Continues with each pair of a table that matches and that `accept` accepts.
  template <typename Accept>
  bool each_pair(const Instruction& one, const Accept& accept, const Next& next) {
    const FluentTable& table = world_.fluent_table(one.table);
    if (!one.is_ground) {
      const bool is_constant = one.value.kind == ShapeKind::kConstant;
      for (Index number = 0; number < table.pair_count; ++number) {
        if (is_constant && !world_.terms.unifies(one.value.constant, table.pairs[number].value)) continue;
        if (accept(table, number) && try_pair(one, table, number, next)) return true;
      }
      return false;
    }
    const Index instance = table.find(known(one.columns));
    if (instance == kNone) return false;
    for (Index number = table.instances[instance].first_pair; number != kNone; number = table.pairs[number].next) {
      if (accept(table, number) && match(one.value, table.pairs[number].value, *frame_) && go_on(next)) return true;
    }
    return false;
  }
  bool try_pair(const Instruction& one, const FluentTable& table, Index pair, const Next& next);
  [[nodiscard]] bool starts(Index table, const Pair& pair, Time time) const;
  [[nodiscard]] std::optional<Time> moment(const Instant& instant) const;
  [[nodiscard]] std::pair<Time, Time> reach(const Instant& instant) const;
  // `reason` is a number from the host, or 0.
  void failed(const Site& site, std::uint32_t reason = 0);

  World& world_;
  Frame* frame_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;
  std::uint32_t solutions_ = 0;  // of single conditions so far
  std::vector<Value> known_;
  std::vector<Index> holding_;  // pairs that hold
  Nearby nearby_;
  std::vector<Value> domains_;    // values of the active domains, one after the other
  std::vector<Value> collected_;  // items of the active lists, one after the other
  std::vector<const Intervals*> operands_;
  Intervals spare_;                     // result of an operator
  std::vector<SlidingWindows> slides_;  // by instruction number
  RecentAnswers recent_answers_;
};

}  // namespace holdsfor
