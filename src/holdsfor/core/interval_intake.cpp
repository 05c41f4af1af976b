#include "interval_intake.h"

#include <algorithm>

#include "prefetch.h"

namespace holdsfor {
namespace {

// Prefetch distance for target positions, in rows.
constexpr std::size_t kAhead = 16;

// Reinterprets values as words: a Value consists of one word.
const std::uint64_t* words_of(const Value* cells) {
  static_assert(sizeof(Value) == sizeof(std::uint64_t) && std::is_standard_layout_v<Value>);
  return reinterpret_cast<const std::uint64_t*>(cells);  // NOLINT(*-reinterpret-cast): its only member
}

}  // namespace

void IntervalIntake::begin(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home,
                           bool is_shared) {
  const bool has_some =
      std::any_of(arrivals.begin(), arrivals.end(), [](const IntervalArrivals& some) { return !some.causes.empty(); });
  Grouping::begin(has_some, is_shared);
  arrivals_ = arrivals;
  is_home_ = &is_home;
  is_input_.resize(is_home.size());
  for (std::size_t source = 0; source < arrivals.size(); ++source) {
    const IntervalArrivals& some = arrivals[source];
    is_input_[some.table] = some.is_input;
    if (some.rows.size() == 0) continue;
    add({.source = source,
         .table = some.table,
         .size = some.rows.size(),
         .args = words_of(some.rows.row(0)) + kIntervalRowHead,
         .stride = some.rows.width,
         .cells = some.rows.width + static_cast<std::size_t>(has_some)});
  }
}

void IntervalIntake::group(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home,
                           KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties) {
  begin(arrivals, is_home, false);
  find(keys, crew, ties);
  crew.share(ranges_.size(), [&](unsigned, std::size_t number) { place(ranges_[number]); });
  finish();
}

void IntervalIntake::group_shared(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home) {
  begin(arrivals, is_home, true);
  find_shared();
  place(ranges_[0]);
}

void IntervalIntake::place(Range& range) {
  for (const Block& block : blocks(range)) {
    const IntervalArrivals& arrivals = arrivals_[block.rows.source];
    if (block.ways == 1 && !has_causes()) {
      place_plain(block, range);
      continue;
    }
    for (std::size_t i = 0; i < block.size; ++i) {
      if (block.ways == 0) put(arrivals, block.first + i, true, range.ends[0]);
      for (std::size_t way = 0; way < block.ways; ++way) {
        const Index group = found(block)[way * block.size + i];
        if (group != kNone) put(arrivals, block.first + i, way == 0, range.ends[group]);
      }
    }
  }
}

// Fast path for many rows: each reaches one key, and none has a cause.
void IntervalIntake::place_plain(const Block& block, Range& range) {
  const IntervalArrivals& arrivals = arrivals_[block.rows.source];
  const Value* row = arrivals.rows.row(block.first);
  const Index* groups = found(block);
  std::size_t* const ends = range.ends.data();
  Value* const into = cells();
  const bool is_counted = arrivals.is_input && (*is_home_)[arrivals.table];
  const auto place_all = [&](auto width) {
    for (std::size_t i = 0; i < block.size; ++i, row += width) {
      if (i + kAhead < block.size) prefetch(into + ends[groups[i + kAhead]]);
      std::size_t& end = ends[groups[i]];
      for (std::size_t place = 0; place < width; ++place) into[end + place] = row[place];
      IntervalHead head = interval_head(row);
      if (head.has(kIsRetraction) && is_counted) {
        head.flags |= kIsHome;
        into[end] = interval_head_cell(head);
      }
      end += width;
    }
  };
  // Most rows have few columns. Constant widths let the compiler unroll the copy.
  switch (arrivals.rows.width) {
    case kIntervalRowHead + 1:
      place_all(std::integral_constant<std::size_t, kIntervalRowHead + 1>());
      break;
    case kIntervalRowHead + 2:
      place_all(std::integral_constant<std::size_t, kIntervalRowHead + 2>());
      break;
    default:
      place_all(arrivals.rows.width);
  }
}

void IntervalIntake::put(const IntervalArrivals& arrivals, std::size_t row, bool is_home, std::size_t& end) {
  const Value* from = arrivals.rows.row(row);
  Value* into = cells() + end;
  std::copy_n(from, arrivals.rows.width, into);
  IntervalHead head = interval_head(from);
  if (is_home && head.has(kIsRetraction) && arrivals.is_input && (*is_home_)[arrivals.table]) {
    head.flags |= kIsHome;
    into[0] = interval_head_cell(head);
  }
  end += arrivals.rows.width;
  if (!has_causes()) return;
  into[arrivals.rows.width] = Value::from_word(static_cast<std::uint64_t>(arrivals.cause_of(row)));
  ++end;
}

bool IntervalIntake::takes_back(std::size_t group) const {
  const std::span<const Value> rows = this->rows(group);
  const auto more = static_cast<std::size_t>(has_causes());
  unsigned flags = 0;
  for (std::size_t at = 0; at < rows.size();) {
    const IntervalHead head = interval_head(&rows[at]);
    flags |= head.flags;
    at += head.width + more;
  }
  return (flags & kIsRetraction) != 0;
}

// The first time-point that the row at `at` affects. The rows of its table begin at `from`.
Time IntervalIntake::first_change(std::span<const Value> rows, std::size_t from, std::size_t at) const {
  // Retractions come first, then insertions. Usually there are few rows.
  constexpr std::size_t kNear = 16;
  const Value* own = &rows[at];
  const IntervalHead head = interval_head(own);
  const std::size_t stride = head.width + static_cast<std::size_t>(has_causes());
  if (is_input_[head.table]) return moved(time_of(own[1]), -1);
  const auto is_other = [&](const Value* other) {
    return interval_head(other).has(kIsRetraction) != head.has(kIsRetraction) && other[1] == own[1] &&
           std::equal(own + 4, own + head.width, other + 4);
  };
  const std::size_t before = std::min((at - from) / stride, kNear);
  std::size_t other = head.has(kIsRetraction) ? at + stride : at - before * stride;
  for (std::size_t near = 0; near < kNear && other != at && other < rows.size(); ++near, other += stride) {
    if (interval_head(&rows[other]).table != head.table) break;
    if (is_other(&rows[other])) return moved(std::min(time_of(own[2]), time_of(rows[other + 2])), -1);
  }
  return moved(time_of(own[1]), -1);
}

}  // namespace holdsfor
