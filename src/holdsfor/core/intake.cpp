#include "intake.h"

#include <algorithm>
#include <array>

#include "key_log.h"
#include "prefetch.h"

namespace holdsfor {
namespace {

// Prefetch distance for target positions, in rows.
constexpr std::size_t kAhead = 16;

}  // namespace

void Intake::begin(std::span<const Arrivals> arrivals, bool is_shared) {
  const bool has_some =
      std::any_of(arrivals.begin(), arrivals.end(), [](const Arrivals& some) { return some.has_causes(); });
  Grouping::begin(has_some, is_shared);
  arrivals_ = arrivals;
  for (std::size_t source = 0; source < arrivals.size(); ++source) {
    const EventRows& rows = arrivals[source].rows;
    add({.source = source,
         .table = arrivals[source].table,
         .size = rows.size(),
         .args = rows.words().data(),
         .stride = rows.width(),
         .cells = rows.width() + kLogHead + static_cast<std::size_t>(has_some)});
  }
}

void Intake::group(std::span<const Arrivals> arrivals, KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties) {
  begin(arrivals, false);
  find(keys, crew, ties);
  crew.share(ranges_.size(), [&](unsigned thread, std::size_t number) { place(ranges_[number], crew.tester(thread)); });
  finish();
}

void Intake::group_shared(std::span<const Arrivals> arrivals, RowTester& tester) {
  begin(arrivals, true);
  find_shared();
  place(ranges_[0], tester);
}

void Intake::place(Range& range, RowTester& tester) {
  std::array<Passes, kRowsAtOnce> tested;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are read
  for (const Block& block : blocks(range)) {
    const Arrivals& arrivals = arrivals_[block.rows.source];
    const std::span<Passes> passes(tested.data(), block.size);
    tester.test(arrivals.table, arrivals.rows, block.first, passes);
    if (block.ways == 1 && arrivals.is_retraction.empty() && !has_causes()) {
      place_plain(block, passes, range);
      continue;
    }
    for (std::size_t i = 0; i < block.size; ++i) {
      if (block.ways == 0) put(arrivals, block.first + i, passes[i], true, range.ends[0]);
      for (std::size_t way = 0; way < block.ways; ++way) {
        const Index group = found(block)[way * block.size + i];
        if (group != kNone) put(arrivals, block.first + i, passes[i], way == 0, range.ends[group]);
      }
    }
  }
}

// Fast path for many rows: each reaches one key, and none has flags or causes.
void Intake::place_plain(const Block& block, std::span<const Passes> passes, Range& range) {
  const EventRows& rows = arrivals_[block.rows.source].rows;
  const Time* times = rows.times().data() + block.first;
  const std::uint64_t* args = rows.args(block.first);
  const Index* groups = found(block);
  std::size_t* const ends = range.ends.data();
  Value* const into_cells = cells();
  RowHead head{.table = static_cast<std::uint16_t>(block.rows.table)};
  const auto place_all = [&](auto row_width) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (i + kAhead < passes.size()) prefetch(into_cells + ends[groups[i + kAhead]]);
      std::size_t& end = ends[groups[i]];
      Value* into = into_cells + end;
      end += row_width + kLogHead;
      head.passes = passes[i];
      into[0] = time_cell(times[i]);
      into[1] = head.word();
      for (std::size_t column = 0; column < row_width; ++column) {
        into[kLogHead + column] = Value::from_word(args[i * row_width + column]);
      }
    }
  };
  // Most rows have few columns. Constant widths let the compiler unroll the copy.
  switch (rows.width()) {
    case 1:
      place_all(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      place_all(std::integral_constant<std::size_t, 2>());
      break;
    default:
      place_all(rows.width());
  }
}

void Intake::put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, std::size_t& end) {
  const bool takes_back = !arrivals.is_retraction.empty() && arrivals.is_retraction[row];
  const int flags = takes_back ? kTakesBack | (is_home && arrivals.is_counted ? kIsCounted : 0) : 0;
  const RowHead head{
      .table = static_cast<std::uint16_t>(arrivals.table), .flags = static_cast<std::uint8_t>(flags), .passes = passes};
  Value* into = cells() + end;
  *into++ = time_cell(arrivals.rows.time(row));
  *into++ = head.word();
  const std::uint64_t* args = arrivals.rows.args(row);
  for (std::size_t i = 0; i < arrivals.rows.width(); ++i) *into++ = Value::from_word(args[i]);
  if (has_causes()) *into++ = Value::from_word(static_cast<std::uint64_t>(arrivals.cause_of(row)));
  end = static_cast<std::size_t>(into - cells());
}

}  // namespace holdsfor
