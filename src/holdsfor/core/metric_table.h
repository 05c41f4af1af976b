// Tables of tuples with the intervals during which they hold, and indexes by some of their columns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "metric_time.h"

namespace holdsfor {

inline constexpr Index kNoRow = UINT32_MAX;

// Finds rows by the values of some columns. Rows are only added, until all are dropped.
class RowIndex {
 public:
  explicit RowIndex(std::vector<Index> columns) : columns_(std::move(columns)) {}

  [[nodiscard]] const std::vector<Index>& columns() const { return columns_; }
  // Adds the rows that were appended since the last call.
  void update(std::span<const Value> cells, std::size_t width, Index rows);
  // The first row in the chain of a hash. Other rows of the chain follow by `next`.
  [[nodiscard]] Index first(std::uint64_t hash) const {
    return heads_.empty() ? kNoRow : heads_[hash & (heads_.size() - 1)];
  }
  [[nodiscard]] Index next(Index row) const { return next_[row]; }
  [[nodiscard]] std::uint64_t hash(const Value* row) const;
  void clear();

 private:
  void add(Index row, const Value* args);

  std::vector<Index> columns_;
  std::vector<Index> heads_;  // the size is a power of two
  std::vector<Index> next_;   // by row
};

class MetricTable {
 public:
  explicit MetricTable(std::size_t width = 0);
  ~MetricTable() = default;
  // A copy has the rows, but builds its own indexes.
  MetricTable(const MetricTable& other);
  MetricTable& operator=(const MetricTable& other);
  MetricTable(MetricTable&&) = default;
  MetricTable& operator=(MetricTable&&) = default;

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] bool is_empty() const { return rows_ == 0; }
  [[nodiscard]] std::span<const Value> args(Index row) const {
    return {cells_.data() + std::size_t{row} * width_, width_};
  }
  [[nodiscard]] const Intervals& list(Index row) const { return lists_[row]; }
  [[nodiscard]] Intervals& list(Index row) { return lists_[row]; }
  // The row of a tuple; kNoRow if there is none.
  [[nodiscard]] Index find(std::span<const Value> tuple) const;
  // The row of a tuple. A new tuple gets a row with an empty list.
  Index row_of(std::span<const Value> tuple);
  // Adds an interval to the list of a tuple.
  void add(std::span<const Value> tuple, Interval during);
  // The number of intervals.
  [[nodiscard]] std::size_t intervals() const;
  // The index by some columns, up to date.
  const RowIndex& index(const std::vector<Index>& columns) const;
  void clear();

 private:
  std::size_t width_;
  Index rows_ = 0;
  std::vector<Value> cells_;
  std::vector<Intervals> lists_;  // entries behind the rows keep their memory
  RowIndex all_;
  mutable std::vector<std::unique_ptr<RowIndex>> indexes_;
  Intervals spare_;
};

}  // namespace holdsfor
