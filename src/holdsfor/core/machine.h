// Runs the programs of rules: finds every solution of a block, one after the other.
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
    std::vector<const Intervals*> lists;  // those of pairs, or of `made`
    std::vector<Intervals> made;
  };
  // Called for every solution; true ends the search.
  using Finish = FunctionRef<bool(const Frame&)>;

  // Runs a program; whether the search was ended.
  bool run(const Program& program, Finish finish);
  // The same for a part of it, with the values that some of its registers have.
  bool run_part(const Program& program, const Block& part, std::span<const std::pair<Index, Value>> given,
                std::span<const std::pair<Index, Intervals>> given_lists, Finish finish);
  // The same for one row of the events that the program begins with.
  bool run_on_row(const Program& program, std::span<const Value> row, Finish finish);
  // Gives registers the values of a row of the events that a rule begins with; null if it does not match. After
  // `solve` or `exists`, `leave` ends the run.
  // It matches for sure if its conditions are decided.
  Frame* enter_row(const RowRule& rule, const Value* row, bool is_decided);
  // Finds the solutions of a block from an instruction on; whether the search was ended.
  bool solve(const Block& block, std::size_t first, Finish finish);
  // Whether it has one, which is then in the registers.
  bool exists(const Block& block, std::size_t first = 0);
  // Forgets runs that were broken off.
  void reset() {
    depth_ = 0;
    frame_ = nullptr;
    domains_.clear();
    collected_.clear();
  }
  void leave() { frame_ = --depth_ == 0 ? nullptr : frames_[depth_ - 1].get(); }
  // The same with a pair that gives some registers their values; false also if it does not match.
  bool run_on(const PairShape& shape, std::span<const Value> columns, Value value, const Program& program,
              Finish finish);

  bool match(const Shape& shape, Value value, Frame& frame) const;
  [[nodiscard]] Value build(const Shape& shape, const Frame& frame) const;

 private:
  // What is left to do after the end of a block. With neither, one solution is all that is wanted.
  struct Next {
    const Block* block = nullptr;
    std::size_t at = 0;
    const Next* next = nullptr;
    const FunctionRef<bool()>* finish = nullptr;
  };

  // The registers of a run, which is inside those that are under way.
  Frame& enter(const Program& program);
  bool step(const Block& block, std::size_t at, const Next& next);
  bool generate(const Instruction& one, const Next& next);
  bool passes(const Instruction& one);
  bool go_on(const Next& next) {
    // One time-point may have millions of solutions to go through.
    if ((++solutions_ & 4095U) == 0) world_.watch.check();
    if (next.block != nullptr) return step(*next.block, next.at, *next.next);
    return next.finish == nullptr || (*next.finish)();
  }
  // The values of columns that are all known; valid until it is called again.
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
  // What holds of the one instance that an instruction asks about: a pair, kNone, or kSeveral.
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
  // What a goal answered lately; null if that is not known.
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
  // Goes on with each pair of a table that matches and is accepted.
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
  // `reason` is one that the host has given, or 0.
  void failed(const Site& site, std::uint32_t reason = 0);

  World& world_;
  Frame* frame_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;
  std::uint32_t solutions_ = 0;  // of single conditions so far
  std::vector<Value> known_;
  std::vector<Index> holding_;  // pairs that hold
  Nearby nearby_;
  std::vector<Value> domains_;    // values of the domains under way, one after the other
  std::vector<Value> collected_;  // items of the lists under way, one after the other
  std::vector<const Intervals*> operands_;
  Intervals spare_;                     // what an operator makes
  std::vector<SlidingWindows> slides_;  // by the number of the instruction
  RecentAnswers recent_answers_;
};

}  // namespace holdsfor
