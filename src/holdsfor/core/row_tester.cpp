// Tests rows with the conditions of a stage, whole columns at a time.
#include <algorithm>
#include <optional>

#include "host.h"
#include "machine.h"
#include "row_conditions.h"
#include "world.h"

namespace holdsfor {
namespace {

// A host that answers nothing, and records that it was asked.
class SilentHost : public Host {
 public:
  bool was_asked = false;

  std::optional<Value> apply(std::uint8_t /*function*/, std::span<const Value> /*args*/) override { return asked(); }
  std::optional<Value> evaluate(Value /*term*/) override { return asked(); }
  std::optional<Value> aggregate(std::uint8_t /*kind*/, std::span<const Value> /*items*/) override { return asked(); }
  int compare(Value /*left*/, Value /*right*/) override {
    was_asked = true;
    return 0;
  }
  std::vector<Value> solve(std::uint32_t /*goal*/, std::span<const Value> /*inputs*/, std::size_t& answers) override {
    was_asked = true;
    answers = 0;
    return {};
  }
  std::vector<ListAnswer> solve_lists(std::uint32_t /*goal*/, std::span<const Value> /*inputs*/,
                                      std::span<const Intervals* const> /*lists*/, Time /*query*/) override {
    was_asked = true;
    return {};
  }
  ZoneDay zone_day(Value /*zone*/, std::int64_t /*day*/) override {
    was_asked = true;
    return {};
  }
  std::uint32_t why(std::uint8_t /*kind*/, std::span<const Value> /*items*/) override { return 0; }
  void failed(std::uint32_t /*site*/, std::span<const Value> /*row*/, std::uint32_t /*reason*/) override {
    was_asked = true;
  }

 private:
  std::optional<Value> asked() {
    was_asked = true;
    return std::nullopt;
  }
};

// A number of a row, if it has an exact float.
inline std::optional<double> number_at(Value value) {
  if (value.is_real()) return value.as_real();
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  if (!value.is_integer() || value.as_integer() >= kExact || value.as_integer() <= -kExact) return std::nullopt;
  return static_cast<double>(value.as_integer());
}

// The position of rows without a number.
constexpr std::uint32_t kNoPosition = std::uint32_t{1} << 31U;

}  // namespace

struct RowTester::Rest {
  Rest(const Prepared& prepared, TermTable& terms) : world(prepared, terms, host), machine(world) {}

  SilentHost host;
  World world;
  Machine machine;
};

RowTester::RowTester(const RowConditions& conditions, TermTable& terms)
    : conditions_(&conditions), terms_(&terms), columns_(conditions.prepared_) {}
RowTester::~RowTester() = default;
RowTester::RowTester(RowTester&&) noexcept = default;

Passes RowConditions::test(const Words& words, std::uint64_t word) {
  const auto at = std::lower_bound(words.passes.begin(), words.passes.end(), word,
                                   [](const auto& some, std::uint64_t wanted) { return some.first < wanted; });
  return at != words.passes.end() && at->first == word ? at->second : words.others;
}

void RowTester::test(Index number, const EventRows& rows, std::size_t first, std::span<Passes> passes) {
  const RowConditions::OfTable& table = conditions_->tables_[number];
  std::fill(passes.begin(), passes.end(), table.all);
  if (table.all == 0) return;
  const auto test_words = [&](const std::vector<RowConditions::Words>& all) {
    for (const RowConditions::Words& words : all) {
      const std::uint64_t* word = rows.args(first) + words.place;
      for (Passes& one : passes) {
        one &= RowConditions::test(words, *word);
        word += rows.width();
      }
    }
  };
  test_words(table.columns);
  // Save the rules whose event pattern matches. A rule that compares a non-number must report it, whatever the later
  // tests give.
  if (!table.limits.empty()) begun_.assign(passes.begin(), passes.end());
  for (const RowConditions::Limits& limits : table.limits) test_limits(limits, rows, first, passes);
  test_words(table.words);
  for (std::size_t row = 0; row < passes.size() && !table.limits.empty(); ++row) {
    if ((begun_[row] & RowHead::kUnknownBit) != 0) passes[row] = RowHead::kUnknown;
  }
  if (table.rest.empty()) return;
  columns_.begin(table.column_tests, rows, first, passes.size());
  for (const RowConditions::Rest& rest : table.rest) test_rest(rest, rows, first, passes);
}

// Computes the position of each number among the limits, for all rows at once. Marks rows without a number in `begun_`.
void RowTester::test_limits(const RowConditions::Limits& limits, const EventRows& rows, std::size_t first,
                            std::span<Passes> passes) {
  const std::size_t count = passes.size();
  numbers_.resize(count);
  positions_.assign(count, 0);
  for (std::size_t row = 0; row < count; ++row) {
    const Time time = rows.time(first + row);
    const Value value = limits.place != RowConditions::kTime ? Value::from_word(rows.args(first + row)[limits.place])
                        : Value::fits(time)                  ? Value::integer(time)
                                                             : Value::nothing();
    const auto known = number_at(value);
    numbers_[row] = known.value_or(0);
    if (known) continue;
    if ((begun_[row] & limits.bits) != 0) begun_[row] |= RowHead::kUnknownBit;
    positions_[row] = kNoPosition;
  }
  for (const double limit : limits.limits) {
    for (std::size_t row = 0; row < count; ++row) {
      const double number = numbers_[row];
      positions_[row] += static_cast<std::uint32_t>(number >= limit) + static_cast<std::uint32_t>(number > limit);
    }
  }
  for (std::size_t row = 0; row < count; ++row) {
    if (positions_[row] < kNoPosition) passes[row] &= limits.passes[positions_[row]];
  }
}

void RowTester::test_rest(const RowConditions::Rest& rest, const EventRows& rows, std::size_t first,
                          std::span<Passes> passes) {
  selected_.clear();
  undecided_.clear();
  for (std::uint32_t row = 0; row < passes.size(); ++row) {
    if ((passes[row] & rest.bit) != 0 && passes[row] != RowHead::kUnknown) selected_.push_back(row);
  }
  if (rest.columns) {
    for (const std::uint32_t row : selected_) passes[row] &= ~rest.bit;
    columns_.test(*rest.columns, selected_, undecided_);
    for (const std::uint32_t row : selected_) passes[row] |= rest.bit;
  } else {
    undecided_.swap(selected_);
  }
  for (const std::uint32_t row : undecided_) {
    args_.clear();
    for (std::size_t i = 0; i < rows.width(); ++i) args_.push_back(Value::from_word(rows.args(first + row)[i]));
    passes[row] = run(rest, rows.time(first + row), args_, passes[row] | rest.bit);
  }
}

// Lets the machine decide.
Passes RowTester::run(const RowConditions::Rest& rest, Time time, std::span<const Value> args, Passes passes) {
  if (!rest_) rest_ = std::make_unique<Rest>(conditions_->prepared_, *terms_);
  rest_->world.set_now(time);
  rest_->host.was_asked = false;
  bool is_found = false;
  // Visit all solutions, because each may report something.
  rest_->machine.run_on_row(rest.program, args, [&](const Machine::Frame&) {
    is_found = true;
    return false;
  });
  if (rest_->host.was_asked) return RowHead::kUnknown;
  return is_found ? passes : passes & ~rest.bit;
}

}  // namespace holdsfor
