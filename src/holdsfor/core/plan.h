// The physical plan as the core executes it. The compiler creates it; see holdsfor/physical/model.py for its meaning.
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

// A term with registers. Ground terms are constants.
struct Shape {
  ShapeKind kind = ShapeKind::kAnything;
  Index reg = 0;
  Value constant;            // kConstant; kStructure: the functor
  std::vector<Shape> items;  // kStructure, kList; a tail is the last item
  bool has_tail = false;
};

// kTerm is an expression that only the host can evaluate, if it has a value.
enum class ExpressionKind : std::uint8_t { kConstant, kRegister, kApply, kTerm, kCalendar };

// A step of a formula on a stack, see formulas.h: pushes a number, or replaces the top one or two numbers by a function
// of them.
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
  std::uint8_t function = 0;  // a Function, see arithmetic.h; for kCalendar a CalendarField
  std::vector<Expression> args;
  // For kCalendar: nanoseconds of a time-point. The constant is the time zone.
  std::int64_t unit = 0;
  // Created when the plan is prepared: equivalent float operations, or empty.
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

// A pattern for pairs.
struct PairShape {
  Index table = 0;
  std::vector<Shape> columns;
  Shape value;
};

// One instruction. `op` decides which fields are in use; the others are empty.
struct Instruction {
  Op op = Op::kEqual;
  EdgeKind edge = EdgeKind::kStart;
  Comparison comparison = Comparison::kEqual;
  IntervalOperator interval_operator = IntervalOperator::kUnion;
  std::int8_t aggregate = -1;  // for kCollect, see aggregates.h
  bool negated = false;
  bool gives = false;
  bool is_test = false;    // binds no register, so one solution is enough
  bool is_ground = false;  // all columns are known when it runs; for kLookup, also the value
  Index table = 0;         // or the number of a fact table or a goal
  Index out = 0;           // list register, the register of a domain, or the number of a sliding aggregate
  Instant time;
  std::vector<Shape> columns;  // for kEqual: the ground term and the other one; for kCollect: the template and result
  Shape value;
  // For a sliding aggregate: the length of its window, and the value of an item.
  std::vector<Expression> expressions;
  // For kFacts: the columns that bind registers, with these registers. `is_plain`: its other columns only compare with
  // known values.
  std::vector<std::pair<Index, Index>> gives_registers;
  bool is_plain = false;
  std::vector<Index> inputs;  // for a sliding aggregate: the known columns of its events
  std::vector<Index> outputs;
  std::vector<Index> list_inputs;
  std::vector<Index> list_outputs;
  std::vector<std::int64_t> parameters;
  std::vector<Block> blocks;
  std::vector<PairShape> places;  // for kDomain: the pairs that supply values for its register
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
  // For a rule that begins with a row: the instructions that the row alone decides, and the instructions that remain
  // for a row that passes them.
  std::vector<Index> row_tests;
  std::vector<Index> row_rest;

  static constexpr std::uint8_t kNoRowBit = UINT8_MAX;
  bool has_open_head = false;  // the head may have unbound variables
  // Created when the plan is prepared: the bit of the rule in its rows, see row_conditions.h, and the block of
  // `row_rest`.
  std::uint8_t row_bit = kNoRowBit;
  Block rest;

  // Whether the rule begins with the events of its time-point, so that it can run row by row.
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

// The contract between `keep` and a checkpoint just after a time-point B. The checkpoint has all intervals of a fluent
// up to B that end at or after B + 1 - `keep`, complete, and all events, initiations and terminations after B - `keep`.
// The intervals of a fluent are those of the checkpoint up to B, joined with what its rows and rules derive for the
// time after B. A statically determined fluent that is `recomputed` is computed from whole lists instead, and has
// nothing in the checkpoint.
struct TableInfo {
  std::string label;
  Role role = Role::kInputEvent;
  Index columns = 0;
  Time keep = kForever;
  bool recomputed = false;
  bool is_hidden = false;  // rules read it, but it is not visible in results

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

// How the rows of a table reach a stage: the key at each place of the row, or, if the route is shared, all keys.
struct Route {
  Index table = 0;
  std::vector<std::vector<Index>> places;
  bool is_shared = false;
  // By place, for a route by partial key: each place is one column, and the row goes to the keys that have its value at
  // one of these parts.
  std::vector<std::vector<Index>> parts;

  [[nodiscard]] bool is_partial() const { return !parts.empty(); }
};

// Components with the same key. `key` is the number of columns of the key. If `is_tied`, rows that have the key at
// several places tie these keys, and `fact_ties` tie groups of keys. Tied keys are evaluated as one, and have one
// column.
struct Stage {
  std::vector<Component> components;
  Index key = 0;
  std::vector<Route> members;
  std::vector<Route> inputs;
  bool is_tied = false;
  std::vector<std::vector<Value>> fact_ties;
};

// Rows up to the border never change. Results are final up to `settle` time-points before the border; a checkpoint can
// be taken there.
struct Plan {
  Fingerprint fingerprint{};  // equal for plans with the same meaning: see holdsfor/physical/encode.py
  std::vector<TableInfo> tables;
  std::vector<FactTable> facts;
  Index goals = 0;  // number of conditions that the host solves
  std::vector<Stage> stages;
  std::vector<Condition> initially;
  std::vector<Condition> postpones;
  std::vector<Condition> groundings;
  std::int64_t max_delayed_effects = 0;
  Time settle = kForever;
  bool is_rational = false;  // times of rows are cells of the doubled time-line, see metric_plan.h
};

// Reads a plan. Throws std::invalid_argument with a reason if the bytes are not a plan.
Plan read_plan(std::span<const std::byte> bytes, TermTable& terms);

}  // namespace holdsfor
