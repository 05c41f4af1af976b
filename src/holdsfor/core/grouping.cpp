#include "grouping.h"

#include <algorithm>

#include "tables.h"

namespace holdsfor {
namespace {

// Cells from which rows stay in the shared buffer instead of a copy for each key.
constexpr std::size_t kManyCells = std::size_t{1} << 16U;

}  // namespace

IntakeCrew IntakeCrew::alone(RowTester& tester) {
  return {.threads = 1,
          .tester = [&tester](unsigned) -> RowTester& { return tester; },
          .share =
              [](std::size_t count, const Work& work) {
                for (std::size_t number = 0; number < count; ++number) work(0, number);
              }};
}

bool Grouping::can_lend() const { return cells_->size() >= kManyCells; }

// Null if rows of the table do not go to keys, or go to all keys at once.
const Route* Grouping::route_of(Index table) const {
  for (const Route& route : stage_->inputs) {
    if (route.table != table) continue;
    const bool is_wanted =
        is_shared_ ? route.is_shared : !route.is_shared && !route.is_partial() && !route.places.empty();
    return is_wanted ? &route : nullptr;
  }
  return nullptr;
}

void Grouping::begin(bool has_causes, bool is_shared) {
  keys_.clear();
  ends_.clear();
  blocks_.clear();
  places_ = 0;
  has_causes_ = has_causes;
  is_shared_ = is_shared;
}

void Grouping::add(const Rows& rows) {
  const Route* route = rows.size > 0 ? route_of(rows.table) : nullptr;
  if (route == nullptr) return;
  // All keys of a row that ties them are one group.
  const std::size_t ways = is_shared_ ? 0 : stage_->is_tied ? 1 : route->places.size();
  for (std::size_t first = 0; first < rows.size; first += kRowsAtOnce) {
    const std::size_t size = std::min(kRowsAtOnce, rows.size - first);
    blocks_.push_back({.rows = rows, .ways = ways, .route = route, .first = first, .size = size, .found = places_});
    places_ += size * ways;
  }
}

// Splits the blocks into ranges with about equal numbers of rows. The blocks do not depend on the number of ranges.
void Grouping::split(std::size_t ranges) {
  ranges_.resize(std::clamp<std::size_t>(ranges, 1, std::max<std::size_t>(blocks_.size(), 1)));
  for (std::size_t number = 0; number < ranges_.size(); ++number) {
    Range& range = ranges_[number];
    range.first = blocks_.size() * number / ranges_.size();
    range.end = blocks_.size() * (number + 1) / ranges_.size();
    range.ends.clear();
    range.groups.clear();
  }
}

// The first range assigns final group numbers.
inline Index Grouping::group_of(Index key, Range& range) {
  Index& group = group_of_[key];
  if (group == kNone) {
    group = static_cast<Index>(keys_.size());
    keys_.push_back(key);
    range.ends.push_back(0);
  }
  return group;
}

// Finds the groups of each row, one for each place, and counts the cells of each group. If a row has a key twice, the
// second group is kNone.
void Grouping::find_groups(Range& range, KeyNumbers& keys, const KeyTies* ties, bool is_first) {
  for (const Block& block : blocks(range)) {
    const Rows& rows = block.rows;
    for (std::size_t way = 0; way < block.ways; ++way) {
      const std::span<Index> column(found_.get() + block.found + way * block.size, block.size);
      keys.numbers(rows.args + block.first * rows.stride, rows.stride, block.route->places[way], column);
      if (is_first && group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
      if (!is_first) range.ends.resize(keys.size());
      if (block.ways == 1 && ties == nullptr) {
        if (is_first) {
          for (Index& one : column) one = group_of(one, range);
        }
        std::size_t* const ends = range.ends.data();
        for (const Index one : column) ends[one] += rows.cells;
        continue;
      }
      for (std::size_t i = 0; i < block.size; ++i) {
        if (ties != nullptr) column[i] = ties->root(column[i]);
        Index group = is_first ? group_of(column[i], range) : column[i];
        for (std::size_t earlier = 0; earlier < way; ++earlier) {
          if (found_[block.found + earlier * block.size + i] == group) group = kNone;
        }
        column[i] = group;
        if (group != kNone) range.ends[group] += rows.cells;
      }
    }
  }
}

// Assigns final numbers to the groups of all ranges, in the order in which rows reach them: first the groups of the
// first range, then the new groups of each following range.
void Grouping::join(std::span<const KeyNumbers> others, KeyNumbers& keys) {
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

void Grouping::find(KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties) {
  if (places_ > found_room_) {
    found_ = std::make_unique_for_overwrite<Index[]>(places_);
    found_room_ = places_;
  }
  // Several keys may share a group. A single thread keeps the rows of a group in order.
  split(ties != nullptr ? 1 : crew.threads);
  // Ranges after the first one start with their own numbering.
  std::vector<KeyNumbers> others(ranges_.size() - 1, KeyNumbers(keys.width()));
  crew.share(ranges_.size(), [&](unsigned, std::size_t number) {
    find_groups(ranges_[number], number == 0 ? keys : others[number - 1], ties, number == 0);
  });
  join(others, keys);
  for (const Index key : keys_) group_of_[key] = kNone;
  make_room();
}

void Grouping::find_shared() {
  split(1);
  if (blocks_.empty()) return;
  keys_.push_back(kNone);
  std::size_t size = 0;
  for (const Block& block : blocks_) size += block.size * block.rows.cells;
  ranges_[0].ends.push_back(size);
  make_room();
}

void Grouping::finish() {
  if (found_room_ <= kManyCells) return;
  found_.reset();
  found_room_ = 0;
  std::vector<Block>().swap(blocks_);
  std::vector<Range>().swap(ranges_);
}

// Converts cell counts to positions: groups are consecutive, and within a group the rows of the ranges are consecutive.
void Grouping::make_room() {
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
  // Logs may still borrow rows from the old buffer.
  if (cells_.use_count() > 1) cells_ = std::make_shared<CellBuffer>();
  cells_->reset(size);
}

}  // namespace holdsfor
