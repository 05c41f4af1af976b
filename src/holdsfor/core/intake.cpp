#include "intake.h"

#include <algorithm>
#include <array>

#include "key_log.h"
#include "prefetch.h"
#include "tables.h"

namespace holdsfor {
namespace {

// So many cells are worth to be kept in one piece.
constexpr std::size_t kManyCells = std::size_t{1} << 16U;
// How far ahead the places of rows are fetched.
constexpr std::size_t kAhead = 16;

}  // namespace

Intake::Intake(const Stage& stage) : stage_(&stage), cells_(std::make_shared<CellBuffer>()) {}

// Null if rows of the table do not go to keys, or to all of them at once.
const Route* Intake::route_of(const Arrivals& arrivals, bool is_shared) const {
  for (const Route& route : stage_->inputs) {
    if (route.table != arrivals.table) continue;
    const bool is_wanted =
        is_shared ? route.is_shared : !route.is_shared && !route.is_partial() && !route.places.empty();
    return is_wanted && arrivals.rows.size() > 0 ? &route : nullptr;
  }
  return nullptr;
}

IntakeCrew IntakeCrew::alone(RowTester& tester) {
  return {.threads = 1,
          .tester = [&tester](unsigned) -> RowTester& { return tester; },
          .share =
              [](std::size_t count, const Work& work) {
                for (std::size_t number = 0; number < count; ++number) work(0, number);
              }};
}

bool Intake::can_lend() const { return cells_->size() >= kManyCells; }

// Finds the blocks of rows that are wanted.
void Intake::begin(std::span<const Arrivals> arrivals, bool is_shared) {
  keys_.clear();
  ends_.clear();
  blocks_.clear();
  has_causes_ = std::any_of(arrivals.begin(), arrivals.end(), [](const Arrivals& some) { return some.has_causes(); });
  std::size_t places = 0;
  for (const Arrivals& some : arrivals) {
    const Route* route = route_of(some, is_shared);
    if (route == nullptr) continue;
    // All keys of a row that ties them are one.
    const std::size_t ways = is_shared ? 0 : stage_->is_tied ? 1 : route->places.size();
    for (std::size_t first = 0; first < some.rows.size(); first += kRowsAtOnce) {
      const std::size_t size = std::min(kRowsAtOnce, some.rows.size() - first);
      blocks_.push_back(
          {.arrivals = &some, .ways = ways, .route = route, .first = first, .size = size, .found = places});
      places += size * ways;
    }
  }
  if (places <= found_room_) return;
  found_ = std::make_unique_for_overwrite<Index[]>(places);
  found_room_ = places;
}

// Ranges of about as many rows each; the same blocks for any number of them.
void Intake::split(std::size_t ranges) {
  ranges_.resize(std::clamp<std::size_t>(ranges, 1, std::max<std::size_t>(blocks_.size(), 1)));
  for (std::size_t number = 0; number < ranges_.size(); ++number) {
    Range& range = ranges_[number];
    range.first = blocks_.size() * number / ranges_.size();
    range.end = blocks_.size() * (number + 1) / ranges_.size();
    range.ends.clear();
    range.groups.clear();
  }
}

// In the first range, groups are numbered for good.
inline Index Intake::group_of(Index key, Range& range) {
  Index& group = group_of_[key];
  if (group == kNone) {
    group = static_cast<Index>(keys_.size());
    keys_.push_back(key);
    range.ends.push_back(0);
  }
  return group;
}

// The groups of each row, one for each of the places, and how many cells each group needs. A key that a row has twice
// is kNone the second time.
void Intake::find_groups(Range& range, KeyNumbers& keys, const KeyTies* ties, bool is_first) {
  for (std::size_t number = range.first; number < range.end; ++number) {
    const Block& block = blocks_[number];
    const EventRows& rows = block.arrivals->rows;
    const std::size_t cells = cells_of(*block.arrivals);
    for (std::size_t way = 0; way < block.ways; ++way) {
      const std::span<Index> column(found_.get() + block.found + way * block.size, block.size);
      keys.numbers(rows.args(block.first), rows.width(), block.route->places[way], column);
      if (is_first && group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
      if (!is_first) range.ends.resize(keys.size());
      if (block.ways == 1 && ties == nullptr) {
        for (Index& one : column) {
          if (is_first) one = group_of(one, range);
          range.ends[one] += cells;
        }
        continue;
      }
      for (std::size_t i = 0; i < block.size; ++i) {
        if (ties != nullptr) column[i] = ties->root(column[i]);
        Index group = is_first ? group_of(column[i], range) : column[i];
        for (std::size_t earlier = 0; earlier < way; ++earlier) {
          if (found_[block.found + earlier * block.size + i] == group) group = kNone;
        }
        column[i] = group;
        if (group != kNone) range.ends[group] += cells;
      }
    }
  }
}

// Numbers the groups of all ranges in the order in which rows reach them: those of the first, then those of the next
// that are new.
void Intake::join(std::span<const KeyNumbers> others, KeyNumbers& keys) {
  for (std::size_t number = 0; number < others.size(); ++number) {
    const KeyNumbers& other = others[number];
    std::vector<Index>& groups = ranges_[number + 1].groups;
    groups.reserve(other.size());
    for (Index own = 0; own < other.size(); ++own) {
      const Index key = keys.number(other.key(own));
      if (group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
      groups.push_back(group_of(key, ranges_[0]));
    }
  }
}

void Intake::group(std::span<const Arrivals> arrivals, KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties) {
  begin(arrivals, false);
  // Several keys may have one group: one thread keeps its rows in order.
  split(ties != nullptr ? 1 : crew.threads);
  // All but the first range have numbers of their own at first.
  std::vector<KeyNumbers> others(ranges_.size() - 1, KeyNumbers(keys.width()));
  crew.share(ranges_.size(), [&](unsigned, std::size_t number) {
    find_groups(ranges_[number], number == 0 ? keys : others[number - 1], ties, number == 0);
  });
  join(others, keys);
  for (const Index key : keys_) group_of_[key] = kNone;
  make_room();
  crew.share(ranges_.size(), [&](unsigned thread, std::size_t number) { place(ranges_[number], crew.tester(thread)); });
  // What was needed once, for many rows, is not kept.
  if (found_room_ > kManyCells) {
    found_.reset();
    found_room_ = 0;
    std::vector<Block>().swap(blocks_);
    std::vector<Range>().swap(ranges_);
  }
}

void Intake::group_shared(std::span<const Arrivals> arrivals, RowTester& tester) {
  begin(arrivals, true);
  if (blocks_.empty()) return;
  split(1);
  keys_.push_back(kNone);
  std::size_t size = 0;
  for (const Block& block : blocks_) size += block.size * cells_of(*block.arrivals);
  ranges_[0].ends.push_back(size);
  make_room();
  place(ranges_[0], tester);
}

// How many cells a row takes on its way.
std::size_t Intake::cells_of(const Arrivals& arrivals) const {
  return arrivals.rows.width() + kLogHead + static_cast<std::size_t>(has_causes_);
}

// Groups stand one after the other, and in each the rows of one range after those of another: from how many cells each
// needs to where its first row goes.
void Intake::make_room() {
  ends_.assign(keys_.size(), 0);
  const auto for_groups = [&](const auto& apply) {
    for (Range& range : ranges_) {
      for (std::size_t own = 0; own < range.ends.size(); ++own) {
        apply(range.ends[own], range.groups.empty() ? own : range.groups[own]);
      }
    }
  };
  for_groups([&](std::size_t needed, std::size_t group) { ends_[group] += needed; });
  std::size_t size = 0;
  for (std::size_t& one : ends_) {
    const std::size_t needed = one;
    one = size;
    size += needed;
  }
  for_groups([&](std::size_t& one, std::size_t group) {
    const std::size_t needed = one;
    one = ends_[group];
    ends_[group] += needed;
  });
  // Logs may still have their rows in what there is.
  if (cells_.use_count() > 1) cells_ = std::make_shared<CellBuffer>();
  cells_->reset(size);
}

void Intake::place(Range& range, RowTester& tester) {
  std::array<Passes, kRowsAtOnce> tested;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are read
  for (std::size_t number = range.first; number < range.end; ++number) {
    const Block& block = blocks_[number];
    const Arrivals& arrivals = *block.arrivals;
    const std::span<Passes> passes(tested.data(), block.size);
    tester.test(arrivals.table, arrivals.rows, block.first, passes);
    if (block.ways == 1 && arrivals.is_retraction.empty() && !has_causes_) {
      place_plain(block, passes, range);
      continue;
    }
    for (std::size_t i = 0; i < block.size; ++i) {
      if (block.ways == 0) put(arrivals, block.first + i, passes[i], true, range.ends[0]);
      for (std::size_t way = 0; way < block.ways; ++way) {
        const Index group = found_[block.found + way * block.size + i];
        if (group != kNone) put(arrivals, block.first + i, passes[i], way == 0, range.ends[group]);
      }
    }
  }
}

// The same for rows that are many: each reaches one key, and there is nothing to tell of it.
void Intake::place_plain(const Block& block, std::span<const Passes> passes, Range& range) {
  const EventRows& rows = block.arrivals->rows;
  const Time* times = rows.times().data() + block.first;
  const std::uint64_t* args = rows.args(block.first);
  const Index* groups = found_.get() + block.found;
  std::size_t* const ends = range.ends.data();
  Value* const cells = cells_->data();
  RowHead head{.table = static_cast<std::uint16_t>(block.arrivals->table)};
  const auto place_all = [&](auto row_width) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (i + kAhead < passes.size()) prefetch(cells + ends[groups[i + kAhead]]);
      std::size_t& end = ends[groups[i]];
      Value* into = cells + end;
      end += row_width + kLogHead;
      head.passes = passes[i];
      into[0] = time_cell(times[i]);
      into[1] = head.word();
      for (std::size_t column = 0; column < row_width; ++column) {
        into[kLogHead + column] = Value::from_word(args[i * row_width + column]);
      }
    }
  };
  // Most rows have few columns: the compiler knows how many then.
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
  Value* into = cells_->data() + end;
  *into++ = time_cell(arrivals.rows.time(row));
  *into++ = head.word();
  const std::uint64_t* args = arrivals.rows.args(row);
  for (std::size_t i = 0; i < arrivals.rows.width(); ++i) *into++ = Value::from_word(args[i]);
  if (has_causes_) *into++ = Value::from_word(static_cast<std::uint64_t>(arrivals.cause_of(row)));
  end = static_cast<std::size_t>(into - cells_->data());
}

}  // namespace holdsfor
