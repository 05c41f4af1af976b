#include "intake.h"

#include <algorithm>
#include <array>

#include "key_log.h"
#include "tables.h"

namespace holdsfor {
namespace {

// So many cells are worth to be kept in one piece.
constexpr std::size_t kManyCells = std::size_t{1} << 16U;

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

bool Intake::can_lend() const { return cells_->size() >= kManyCells; }

void Intake::begin(std::span<const Arrivals> arrivals) {
  keys_.clear();
  ends_.clear();
  has_causes_ = std::any_of(arrivals.begin(), arrivals.end(), [](const Arrivals& some) { return some.has_causes(); });
}

Index Intake::group_of(Index key) {
  Index& group = group_of_[key];
  if (group == kNone) {
    group = static_cast<Index>(keys_.size());
    keys_.push_back(key);
    ends_.push_back(0);
  }
  return group;
}

// The groups of each row, one for each of the places, and how many cells each group needs. A key that a row has twice
// is kNone the second time.
void Intake::find_groups(const Arrivals& arrivals, const Route& route, KeyNumbers& keys) {
  const EventRows& rows = arrivals.rows;
  const std::size_t count = rows.size();
  const std::size_t begin = found_.size();
  const std::size_t cells = cells_of(arrivals);
  found_.resize(begin + count * route.places.size());
  for (std::size_t way = 0; way < route.places.size(); ++way) {
    for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
      const std::size_t some = std::min(kRowsAtOnce, count - first);
      const std::span<Index> column(found_.data() + begin + way * count + first, some);
      keys.numbers(rows.args(first), rows.width(), route.places[way], column);
      if (group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
      for (std::size_t i = 0; i < some; ++i) {
        Index group = group_of(column[i]);
        for (std::size_t earlier = 0; earlier < way; ++earlier) {
          if (found_[begin + earlier * count + first + i] == group) group = kNone;
        }
        column[i] = group;
        if (group != kNone) ends_[group] += cells;
      }
    }
  }
}

void Intake::group(std::span<const Arrivals> arrivals, KeyNumbers& keys, RowTester& tester) {
  begin(arrivals);
  found_.clear();
  const auto for_routes = [&](const auto& apply) {
    for (const Arrivals& some : arrivals) {
      const Route* route = route_of(some, false);
      if (route != nullptr) apply(some, *route);
    }
  };
  std::size_t places = 0;
  for_routes([&](const Arrivals& some, const Route& route) { places += some.rows.size() * route.places.size(); });
  found_.reserve(places);
  for_routes([&](const Arrivals& some, const Route& route) { find_groups(some, route, keys); });
  for (const Index key : keys_) group_of_[key] = kNone;
  make_room();
  const Index* groups = found_.data();
  for_routes([&](const Arrivals& some, const Route& route) {
    place(some, route.places.size(), groups, tester);
    groups += some.rows.size() * route.places.size();
  });
  // What was needed once, for many rows, is not kept.
  if (found_.capacity() > kManyCells) std::vector<Index>().swap(found_);
}

void Intake::group_shared(std::span<const Arrivals> arrivals, RowTester& tester) {
  begin(arrivals);
  const auto is_shared = [&](const Arrivals& some) { return route_of(some, true) != nullptr; };
  std::size_t size = 0;
  for (const Arrivals& some : arrivals) {
    if (is_shared(some)) size += some.rows.size() * cells_of(some);
  }
  if (size == 0) return;
  keys_.push_back(kNone);
  ends_.push_back(size);
  make_room();
  const std::array<Index, kRowsAtOnce> one_group{};
  for (const Arrivals& some : arrivals) {
    if (is_shared(some)) place(some, 0, one_group.data(), tester);
  }
}

// How many cells a row takes on its way.
std::size_t Intake::cells_of(const Arrivals& arrivals) const {
  return arrivals.rows.width() + kLogHead + static_cast<std::size_t>(has_causes_);
}

// Groups stand one after the other: from how many cells each needs to where its first row goes.
void Intake::make_room() {
  std::size_t size = 0;
  for (std::size_t& one : ends_) {
    const std::size_t needed = one;
    one = size;
    size += needed;
  }
  // Logs may still have their rows in what there is.
  if (cells_.use_count() > 1) cells_ = std::make_shared<CellBuffer>();
  cells_->reset(size);
}

void Intake::place(const Arrivals& arrivals, std::size_t ways, const Index* groups, RowTester& tester) {
  const EventRows& rows = arrivals.rows;
  const std::size_t count = rows.size();
  std::array<Passes, kRowsAtOnce> tested;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are read
  for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
    const std::span<Passes> passes(tested.data(), std::min(kRowsAtOnce, count - first));
    tester.test(arrivals.table, rows, first, passes);
    if (ways <= 1 && arrivals.is_retraction.empty() && !has_causes_) {
      place_plain(arrivals, first, passes, groups + ways * first);
      continue;
    }
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (ways == 0) put(arrivals, first + i, passes[i], true, 0);
      for (std::size_t way = 0; way < ways; ++way) {
        const Index group = groups[way * count + first + i];
        if (group != kNone) put(arrivals, first + i, passes[i], way == 0, group);
      }
    }
  }
}

// The same for rows that are many: each reaches one key, and there is nothing to tell of it.
void Intake::place_plain(const Arrivals& arrivals, std::size_t first, std::span<const Passes> passes,
                         const Index* groups) {
  const std::size_t width = arrivals.rows.width();
  const Time* times = arrivals.rows.times().data() + first;
  const std::uint64_t* args = arrivals.rows.args(first);
  Value* const cells = cells_->data();
  RowHead head{.table = static_cast<std::uint16_t>(arrivals.table)};
  const auto place_all = [&](auto row_width) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      std::size_t& end = ends_[groups[i]];
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
  switch (width) {
    case 1:
      place_all(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      place_all(std::integral_constant<std::size_t, 2>());
      break;
    default:
      place_all(width);
  }
}

void Intake::put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, Index group) {
  const bool takes_back = !arrivals.is_retraction.empty() && arrivals.is_retraction[row];
  const int flags = takes_back ? kTakesBack | (is_home && arrivals.is_counted ? kIsCounted : 0) : 0;
  const RowHead head{
      .table = static_cast<std::uint16_t>(arrivals.table), .flags = static_cast<std::uint8_t>(flags), .passes = passes};
  Value* into = cells_->data() + ends_[group];
  *into++ = time_cell(arrivals.rows.time(row));
  *into++ = head.word();
  const std::uint64_t* args = arrivals.rows.args(row);
  for (std::size_t i = 0; i < arrivals.rows.width(); ++i) *into++ = Value::from_word(args[i]);
  if (has_causes_) *into++ = Value::from_word(static_cast<std::uint64_t>(arrivals.cause_of(row)));
  ends_[group] = static_cast<std::size_t>(into - cells_->data());
}

}  // namespace holdsfor
