// Cells that are written before they are read: no time is spent on what they are at first.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "value.h"

namespace holdsfor {

class CellBuffer {
 public:
  // Makes room for so many cells; what they were is lost.
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

// Cells of one key: its own, or lent by a buffer that keys share, until they change. Nobody else writes there.
class KeyCells {
 public:
  [[nodiscard]] std::span<const Value> view() const { return lender_ ? lent_ : std::span<const Value>(own_); }
  // To be changed where they are.
  [[nodiscard]] std::span<Value> edit() { return lender_ ? lent_ : std::span<Value>(own_); }
  // Its own from now on. There is room for so many more, if they were lent.
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
