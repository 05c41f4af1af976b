#include "metric_table.h"

#include <algorithm>
#include <numeric>

namespace holdsfor {
namespace {

constexpr std::size_t kFewest = 16;

std::vector<Index> all_columns(std::size_t width) {
  std::vector<Index> found(width);
  std::iota(found.begin(), found.end(), Index{0});
  return found;
}

}  // namespace

std::uint64_t RowIndex::hash(const Value* row) const {
  std::uint64_t found = 0;
  for (const Index column : columns_) found = mix(found, row[column].word());
  return found;
}

void RowIndex::add(Index row, const Value* args) {
  Index& head = heads_[hash(args) & (heads_.size() - 1)];
  next_[row] = head;
  head = row;
}

void RowIndex::update(std::span<const Value> cells, std::size_t width, Index rows) {
  auto known = static_cast<Index>(next_.size());
  if (known == rows) return;
  if (rows > heads_.size() / 2) {
    heads_.assign(std::max(kFewest, std::bit_ceil(std::size_t{rows} * 2)), kNoRow);
    known = 0;
  }
  next_.resize(rows);
  for (Index row = known; row < rows; ++row) add(row, cells.data() + std::size_t{row} * width);
}

void RowIndex::clear() {
  // Clearing many slots for few rows would make every step as slow as the largest one.
  if (heads_.size() > 8 * std::max(kFewest, next_.size())) {
    heads_.assign(kFewest, kNoRow);
  } else {
    std::fill(heads_.begin(), heads_.end(), kNoRow);
  }
  next_.clear();
}

MetricTable::MetricTable(std::size_t width) : width_(width), all_(all_columns(width)) {}

MetricTable::MetricTable(const MetricTable& other)
    : width_(other.width_),
      rows_(other.rows_),
      cells_(other.cells_),
      lists_(other.lists_.begin(), other.lists_.begin() + other.rows_),
      all_(other.all_) {}

MetricTable& MetricTable::operator=(const MetricTable& other) {
  if (this != &other) *this = MetricTable(other);
  return *this;
}

Index MetricTable::find(std::span<const Value> tuple) const {
  for (Index row = all_.first(hash_of(tuple)); row != kNoRow; row = all_.next(row)) {
    if (std::equal(tuple.begin(), tuple.end(), args(row).begin())) return row;
  }
  return kNoRow;
}

Index MetricTable::row_of(std::span<const Value> tuple) {
  if (const Index known = find(tuple); known != kNoRow) return known;
  cells_.insert(cells_.end(), tuple.begin(), tuple.end());
  if (rows_ == lists_.size()) {
    lists_.emplace_back();
  } else {
    lists_[rows_].clear();
  }
  ++rows_;
  all_.update(cells_, width_, rows_);
  return rows_ - 1;
}

void MetricTable::add(std::span<const Value> tuple, Interval during) {
  spare_.clear();
  add_interval(lists_[row_of(tuple)], during, spare_);
}

std::size_t MetricTable::intervals() const {
  std::size_t found = 0;
  for (Index row = 0; row < rows_; ++row) found += lists_[row].size();
  return found;
}

const RowIndex& MetricTable::index(const std::vector<Index>& columns) const {
  if (columns.size() == width_) return all_;
  for (const auto& known : indexes_) {
    if (known->columns() == columns) {
      known->update(cells_, width_, rows_);
      return *known;
    }
  }
  indexes_.push_back(std::make_unique<RowIndex>(columns));
  indexes_.back()->update(cells_, width_, rows_);
  return *indexes_.back();
}

void MetricTable::clear() {
  rows_ = 0;
  cells_.clear();
  all_.clear();
  for (const auto& known : indexes_) known->clear();
}

}  // namespace holdsfor
