// The physical plan as the core runs it. Made by the compiler; see holdsfor/physical/model.py for its meaning.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan_words.h"
#include "terms.h"
#include "value.h"

namespace holdsfor {

using Index = std::uint32_t;

enum class ShapeKind : std::uint8_t { kConstant, kRegister, kBind, kAnything, kStructure, kList };

// A term with registers in it. Ground terms are constants.
struct Shape {
  ShapeKind kind = ShapeKind::kAnything;
  Index reg = 0;
  Value constant;            // kConstant; kStructure: the functor
  std::vector<Shape> items;  // kStructure, kList; with a tail, it comes last
  bool has_tail = false;
};

// A term is what only the host can evaluate, if it has a value at all.
enum class ExpressionKind : std::uint8_t { kConstant, kRegister, kApply, kTerm, kCalendar };

// A step of a formula, see formulas.h: puts a number on the others, or a function of the last one or two in their
// place.
struct FormulaStep {
  enum class Kind : std::uint8_t { kConstant, kRegister, kOne, kTwo };
  Kind kind = Kind::kConstant;
  std::uint8_t function = 0;
  Index reg = 0;
  double constant = 0;
};
using Formula = std::vector<FormulaStep>;

struct Expression {
  ExpressionKind kind = ExpressionKind::kTerm;
  Shape term;
  Index reg = 0;
  Value constant;
  std::uint8_t function = 0;  // a Function, see arithmetic.h; of kCalendar a CalendarField
  std::vector<Expression> args;
  // Of kCalendar: how many nanoseconds a time-point is. The constant is the time zone.
  std::int64_t unit = 0;
  // Made when the plan is prepared: the same as operations on floats, or nothing.
  Formula formula;
};

struct Site {
  Index number = 0;
  std::vector<Index> row;
};

struct Instant {
  Index reg = 0;
  bool binds = false;
  std::optional<Time> least;
  std::optional<Time> most;
};

enum class Op : std::uint8_t {
  kEvents,
  kHolding,
  kEdges,
  kEndable,
  kFacts,
  kCall,
  kCompare,
  kEqual,
  kAssign,
  kNegate,
  kChoose,
  kBranch,
  kCollect,
  kDomain,
  kLookup,
  kOperate,
  kEmpty,
  kCopy,
  kListCall,
  kSpell,
  kRead,
};

enum class EdgeKind : std::uint8_t { kStart, kEnd, kInitiated, kTerminated };
enum class Comparison : std::uint8_t { kLess, kGreater, kAtMost, kAtLeast, kEqual, kUnequal };

// Operators on interval lists, in the order of the compiler's list.
enum class IntervalOperator : std::uint8_t {
  kUnion,
  kIntersection,
  kRelativeComplement,
  kComplement,
  kSequence,
  kAllen,
  kLonger,
  kShorter,
  kAtLeast,
  kAtMost,
  kDiamondMinus,
  kBoxMinus,
  kDiamondPlus,
  kBoxPlus,
  kSince,
  kUntil,
};

struct Instruction;
using Block = std::vector<Instruction>;

// A pattern of pairs.
struct PairShape {
  Index table = 0;
  std::vector<Shape> columns;
  Shape value;
};

// One instruction. Which fields it uses follows from `op`; the others are empty.
struct Instruction {
  Op op = Op::kEqual;
  EdgeKind edge = EdgeKind::kStart;
  Comparison comparison = Comparison::kEqual;
  IntervalOperator interval_operator = IntervalOperator::kUnion;
  std::int8_t aggregate = -1;  // of kCollect, see aggregates.h
  bool negated = false;
  bool gives = false;
  bool is_test = false;    // it gives no register a value, so that one solution is enough
  bool is_ground = false;  // all its columns are known when it runs; of kLookup, its value as well
  Index table = 0;         // also the number of a fact table or a goal
  Index out = 0;           // list register, the register of a domain, or the number of a sliding aggregate
  Instant time;
  std::vector<Shape> columns;  // of kEqual: the ground term and the other; of kCollect: the template and the result
  Shape value;
  // Of a sliding aggregate: the length of its window, and what an item is worth.
  std::vector<Expression> expressions;
  // Of kFacts: the columns that give registers their values, and these, if it asks nothing but for given values.
  std::vector<std::pair<Index, Index>> gives_registers;
  bool is_plain = false;
  std::vector<Index> inputs;  // of a sliding aggregate: the columns of its events that are known
  std::vector<Index> outputs;
  std::vector<Index> list_inputs;
  std::vector<Index> list_outputs;
  std::vector<std::int64_t> parameters;
  std::vector<Block> blocks;
  std::vector<PairShape> places;  // of kDomain: where its register has the values that it takes
  Site site;
};

struct Program {
  Block block;
  Index registers = 0;
  Index lists = 0;
};

enum class HeadKind : std::uint8_t { kInitiate, kTerminate, kHappen };

struct Rule {
  HeadKind kind = HeadKind::kInitiate;
  Index table = 0;
  std::vector<Shape> columns;
  Shape value;
  Program program;
  std::vector<Index> drivers;
  // If it begins with a row: the instructions that the row alone decides, and those that are left to do for a row that
  // passes them.
  std::vector<Index> row_tests;
  std::vector<Index> row_rest;

  static constexpr std::uint8_t kNoRowBit = UINT8_MAX;
  bool has_open_head = false;  // the head may have variables that nothing gives a value
  // Made when the plan is prepared: the bit of the rule in its rows, see row_conditions.h, and the block of `row_rest`.
  std::uint8_t row_bit = kNoRowBit;
  Block rest;

  // Whether it begins with the events of its time-point, so that it can run for one row after the other.
  [[nodiscard]] bool begins_with_row() const {
    const Block& block = program.block;
    return !block.empty() && block[0].op == Op::kEvents && !block[0].time.binds && block[0].time.reg == 0;
  }
};

struct Delay {
  PairShape trigger;
  Program program;
  Expression delay;
  std::optional<PairShape> effect;
  Site site;
};

struct Condition {
  PairShape pair;
  Program program;
};

struct Definition {
  PairShape head;
  Program program;
  Index out = 0;
};

enum class MomentKind : std::uint8_t { kInitiated, kDelayed, kTerminated, kEvent };

struct Decision {
  MomentKind kind = MomentKind::kInitiated;
  Index table = 0;
  Shape value;
};

struct Group {
  std::vector<Index> rules;
  std::vector<Decision> decisions;
  bool repeats = false;
};

enum class Role : std::uint8_t { kInputEvent, kDerivedEvent, kInputFluent, kSimpleFluent, kStaticFluent };

// A checkpoint just after a time-point B has all intervals of a fluent up to B that end at or after B + 1 - `keep`,
// whole, and all events, initiations and terminations after B - `keep`. The intervals of a fluent are those of the
// checkpoint up to B, joined with what its rows and rules give for the time after B; a statically determined fluent
// that is `recomputed` is found from whole lists instead and has nothing in the checkpoint.
struct TableInfo {
  std::string label;
  Role role = Role::kInputEvent;
  Index columns = 0;
  Time keep = kForever;
  bool recomputed = false;
  bool is_hidden = false;  // rules read it, and nobody sees it

  [[nodiscard]] bool is_event() const { return role == Role::kInputEvent || role == Role::kDerivedEvent; }
};

struct FactTable {
  std::string label;
  Index columns = 0;
  std::vector<Value> rows;  // row after row
  std::size_t count = 0;
};

struct MetricComponent;

struct Component {
  std::vector<Index> tables;
  std::vector<Group> groups;
  std::vector<Rule> rules;
  std::vector<Definition> definitions;
  std::vector<Delay> delays;
  bool is_static = false;
  std::shared_ptr<const MetricComponent> metric;  // null: no metric predicates
};

// How the rows of a table reach a stage: to the key at each of some places, or, if it is shared, to all keys.
struct Route {
  Index table = 0;
  std::vector<std::vector<Index>> places;
  bool is_shared = false;
  // By place, if rows go to keys by a part: each place is one column, and the keys have its value at one of these
  // parts.
  std::vector<std::vector<Index>> parts;

  [[nodiscard]] bool is_partial() const { return !parts.empty(); }
};

// Components that are evaluated for one key after the other; `key` is how many columns the key has. Where keys are
// tied, rows that have the key at several places tie these keys, and facts tie groups of keys: those are evaluated as
// one. Such keys have one column.
struct Stage {
  std::vector<Component> components;
  Index key = 0;
  std::vector<Route> members;
  std::vector<Route> inputs;
  bool is_tied = false;
  std::vector<std::vector<Value>> fact_ties;
};

// Rows up to a border never change. Results are final up to `settle` time-points before it: a checkpoint may be made
// there.
struct Plan {
  Fingerprint fingerprint{};  // the same for plans that mean the same: see holdsfor/physical/encode.py
  std::vector<TableInfo> tables;
  std::vector<FactTable> facts;
  Index goals = 0;  // how many conditions are solved by the host
  std::vector<Stage> stages;
  std::vector<Condition> initially;
  std::vector<Condition> postpones;
  std::vector<Condition> groundings;
  std::int64_t max_delayed_effects = 0;
  Time settle = kForever;
  bool is_rational = false;  // rows have cells of the doubled time-line for times, see metric_plan.h
};

// Reads a plan; throws std::invalid_argument with a reason if the bytes are none.
Plan read_plan(std::span<const std::byte> bytes, TermTable& terms);

}  // namespace holdsfor
