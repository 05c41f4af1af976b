#include "rows.h"

#include <algorithm>
#include <bit>

#include "tables.h"

namespace holdsfor {

namespace {

constexpr Index kNoKey = kNone;

// The keys of each row, one column for each of the places; a key that a row has twice is kNoKey the second time.
std::vector<Index> keys_of(const RowSet& rows, std::size_t head, const std::vector<std::vector<Index>>& places,
                           KeyNumbers& keys) {
  std::vector<Index> found;
  found.reserve(rows.size() * places.size());
  std::vector<Value> key;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* args = rows.row(row) + head;
    const std::size_t first = found.size();
    for (const auto& some : places) {
      key.clear();
      for (const Index place : some) key.push_back(args[place]);
      const Index number = keys.number(key);
      const bool is_known =
          std::find(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), number) != found.end();
      found.push_back(is_known ? kNoKey : number);
    }
  }
  return found;
}

}  // namespace

Grouped group_rows(const RowSet& rows, std::size_t head, const std::vector<std::vector<Index>>& places,
                   KeyNumbers& keys) {
  const std::vector<Index> of_row = keys_of(rows, head, places, keys);
  Grouped found;
  found.rows.width = rows.width;
  found.begin.assign(keys.size() + 1, 0);
  std::vector<std::uint32_t> at(keys.size() + 1, 0);
  for (const Index key : of_row) {
    if (key != kNoKey) ++at[key + 1];
  }
  for (std::size_t key = 0; key < keys.size(); ++key) at[key + 1] += at[key];
  std::vector<std::uint32_t> order(at.back());
  {
    std::vector<std::uint32_t> next(at.begin(), at.end());
    for (std::size_t i = 0; i < of_row.size(); ++i) {
      if (of_row[i] != kNoKey) order[next[of_row[i]]++] = static_cast<std::uint32_t>(i / places.size());
    }
  }
  found.rows.cells.reserve(order.size() * rows.width);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return time_of(*rows.row(a)) < time_of(*rows.row(b)); };
  for (std::size_t key = 0; key < keys.size(); ++key) {
    const auto from = order.begin() + at[key];
    const auto to = order.begin() + at[key + 1];
    if (!std::is_sorted(from, to, earlier)) std::stable_sort(from, to, earlier);
    const std::size_t first = found.rows.size();
    for (auto one = from; one != to; ++one) {
      const Value* row = rows.row(*one);
      bool is_known = false;
      for (std::size_t known = found.rows.size(); known > first && !is_known; --known) {
        const Value* other = found.rows.row(known - 1);
        if (other[0] != row[0]) break;
        is_known = std::equal(row, row + rows.width, other);
      }
      if (!is_known) found.rows.cells.insert(found.rows.cells.end(), row, row + rows.width);
    }
    found.begin[key + 1] = static_cast<std::uint32_t>(found.rows.size());
  }
  return found;
}

}  // namespace holdsfor
