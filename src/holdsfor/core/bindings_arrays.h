// Passes columns to Python without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "answers.h"

namespace holdsfor {

template <typename T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> array_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const std::size_t size = kept->size();
  // From here on Python owns the memory.
  const nanobind::capsule owner(kept.release(), [](void* mine) noexcept {
    std::default_delete<std::vector<T>>()(static_cast<std::vector<T>*>(mine));
  });
  return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {size}, owner);
}

template <typename T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> array_of(SizedColumn<T> column) {
  T* data = column.cells.release();
  // From here on Python owns the memory.
  const nanobind::capsule owner(data, [](void* mine) noexcept { std::default_delete<T[]>()(static_cast<T*>(mine)); });
  return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {column.size}, owner);
}

}  // namespace holdsfor
