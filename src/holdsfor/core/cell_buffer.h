// Cells that are written before they are read: no time is spent on what they are at first.
#pragma once

#include <memory>

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

}  // namespace holdsfor
