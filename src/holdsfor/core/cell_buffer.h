// Uninitialised memory for cells that are written before they are read.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "value.h"

namespace holdsfor {

class CellBuffer {
 public:
  // Makes room for `size` cells. Their content is undefined.
  void reset(std::size_t size);
  void clear() { reset(0); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Value* data() { return cells_.get(); }
  [[nodiscard]] const Value* data() const { return cells_.get(); }

 private:
  struct Free {
    void operator()(Value* cells) const noexcept;
  };

  std::unique_ptr<Value[], Free> cells_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Cells of one key: owned, or borrowed from a buffer that keys share, until they change. No other key writes to
// borrowed cells.
class KeyCells {
 public:
  [[nodiscard]] std::span<const Value> view() const { return lender_ ? lent_ : std::span<const Value>(own_); }
  // For changes in place.
  [[nodiscard]] std::span<Value> edit() { return lender_ ? lent_ : std::span<Value>(own_); }
  // Makes the cells owned. If they were borrowed, reserves room for `more` cells.
  std::vector<Value>& own(std::size_t more = 0) {
    if (lender_) {
      own_.reserve(lent_.size() + more);
      own_.assign(lent_.begin(), lent_.end());
      lent_ = {};
      lender_.reset();
    }
    return own_;
  }
  void borrow(std::span<Value> cells, std::shared_ptr<CellBuffer> lender) {
    std::vector<Value>().swap(own_);
    lent_ = cells;
    lender_ = std::move(lender);
  }

 private:
  std::vector<Value> own_;
  std::shared_ptr<CellBuffer> lender_;
  std::span<Value> lent_;
};

}  // namespace holdsfor
