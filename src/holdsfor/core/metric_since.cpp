#include "metric_since.h"

#include <algorithm>
#include <optional>

namespace holdsfor {
namespace {

std::optional<Index> place_of(const MetricScan& scan, Index reg) {
  for (Index column = 0; column < scan.columns.size(); ++column) {
    if (scan.columns[column].reg == reg) return column;
  }
  return std::nullopt;
}

// The interval of a list that contains a piece.
Interval around(const Intervals& list, Interval piece) { return *first_after(list, piece.start); }

}  // namespace

MetricSince::MetricSince(const MetricLast& rule) : rule_(rule) {
  for (Index column = 0; column < rule.left.columns.size(); ++column) {
    const Index reg = rule.left.columns[column].reg;
    if (const auto right = place_of(rule.right, reg)) {
      shared_left_.push_back(column);
      shared_right_.push_back(*right);
    }
    const auto at = std::find(rule.columns.begin(), rule.columns.end(), reg);
    left_in_head_.push_back(static_cast<Index>(at - rule.columns.begin()));
  }
  for (Index column = 0; column < rule.right.columns.size(); ++column) {
    if (const auto left = place_of(rule.left, rule.right.columns[column].reg)) {
      sorted_right_.push_back(column);
      sorted_left_.push_back(*left);
    }
  }
  for (const Index reg : rule.columns) {
    const auto right = place_of(rule.right, reg);
    head_.emplace_back(right.has_value(), right ? *right : place_of(rule.left, reg).value_or(0));
  }
  tuple_.resize(head_.size());
}

void MetricSince::put_together(std::span<const Value> left, std::span<const Value> right) {
  for (std::size_t i = 0; i < head_.size(); ++i) {
    const auto [is_right, column] = head_[i];
    tuple_[i] = (is_right ? right : left)[column];
  }
}

void MetricSince::add(Interval during, Derived& out) const {
  if (is_empty(during)) return;
  out.cells.insert(out.cells.end(), tuple_.begin(), tuple_.end());
  out.during.push_back(during);
}

// Derives what holds because the right side holds inside an interval of the left side. Only results between two points
// that have part of `near` between them are needed.
void MetricSince::add_lasting(Interval left, const Intervals& right, Interval near, Derived& out) const {
  const Interval span = closed(left);
  const Interval wanted = closed(near);
  // The relevant points of the right side are no further away than the length of the offsets.
  Interval reach = span;
  if (!is_infinite(wanted.start) && !is_infinite(wanted.end)) {
    const Offsets& offsets = rule_.offsets;
    const Interval away =
        rule_.is_until
            ? reached(wanted, {.low = 0, .high = offsets.low ? std::optional(-*offsets.low) : std::nullopt})
            : reached(wanted, {.low = offsets.high ? std::optional(-*offsets.high) : std::nullopt, .high = 0});
    reach = common(span, away);
  }
  for (auto at = first_after(right, reach.start); at != right.end() && at->start < reach.end; ++at) {
    add(common(reached(common(*at, span), rule_.offsets), span), out);
  }
}

template <typename See>
void MetricSince::each_partner(const MetricTable& table, bool is_left, std::span<const Value> other, const See& see) {
  const auto& own = is_left ? shared_left_ : sorted_right_;
  const auto& others = is_left ? shared_right_ : sorted_left_;
  if (own.empty()) {
    for (Index row = 0; row < table.rows(); ++row) see(row);
    return;
  }
  const RowIndex& index = table.index(own);
  std::uint64_t hash = 0;
  for (const Index column : others) hash = mix(hash, other[column].word());
  for (Index row = index.first(hash); row != kNoRow; row = index.next(row)) {
    const auto args = table.args(row);
    bool agrees = true;
    for (std::size_t i = 0; i < own.size(); ++i) agrees = agrees && args[own[i]] == other[others[i]];
    if (agrees) see(row);
  }
}

void MetricSince::solve(const MetricTable& left, const MetricTable& right, Derived& out) {
  if (left.is_empty()) return;
  for (Index row = 0; row < right.rows(); ++row) {
    each_partner(left, true, right.args(row), [&](Index other) {
      put_together(left.args(other), right.args(row));
      for (const Interval& one : left.list(other)) add_lasting(one, right.list(row), kAllTime, out);
    });
  }
}

void MetricSince::solve_right(const MetricTable& left, const MetricTable& fresh_of, const Fresh& fresh, Derived& out) {
  if (left.is_empty()) return;
  for (const FreshPiece& piece : fresh) {
    const auto args = fresh_of.args(piece.row);
    each_partner(left, true, args, [&](Index other) {
      put_together(left.args(other), args);
      const Intervals& list = left.list(other);
      // Intervals whose end-points touch the piece also count.
      auto at = first_after(list, piece.during.start - (is_infinite(piece.during.start) ? 0 : 1));
      for (; at != list.end() && closed(*at).start < piece.during.end; ++at) {
        const Interval span = closed(*at);
        const Interval both = common(piece.during, span);
        if (!is_empty(both)) add(common(reached(both, rule_.offsets), span), out);
      }
    });
  }
}

void MetricSince::solve_left(const MetricTable& left, const MetricTable& right, const MetricTable& fresh_of,
                             const Fresh& fresh, Derived& out) {
  if (right.is_empty()) return;
  for (const FreshPiece& piece : fresh) {
    const auto args = fresh_of.args(piece.row);
    const Interval whole = around(left.list(left.find(args)), piece.during);
    each_partner(right, false, args, [&](Index other) {
      put_together(args, right.args(other));
      add_lasting(whole, right.list(other), piece.during, out);
    });
  }
}

// Calls `see` with an armed row and the interval of the left side that continues at `low`.
template <typename See>
void MetricSince::each_armed(const MetricTable& armed, const MetricTable& left, Time low, const See& see) {
  for (Index row = 0; row < armed.rows(); ++row) {
    const auto args = armed.args(row);
    left_tuple_.clear();
    for (const Index place : left_in_head_) left_tuple_.push_back(args[place]);
    const Index known = left.find(left_tuple_);
    if (known == kNoRow) continue;
    const Intervals& list = left.list(known);
    const auto at = first_after(list, low);
    if (at != list.end() && at->start < low) see(row, *at);
  }
}

void MetricSince::solve_armed(const MetricTable& armed, const MetricTable& left, Time low, Derived& out) {
  each_armed(armed, left, low, [&](Index row, Interval span) {
    const auto args = armed.args(row);
    tuple_.assign(args.begin(), args.end());
    for (const Interval& one : armed.list(row)) add(common(one, closed(span)), out);
  });
}

void MetricSince::arm(const MetricTable& armed, const MetricTable& left, const MetricTable& right, Interval slice,
                      MetricTable& into) {
  const auto promise = [&](Interval during) {
    const Interval later = common(during, {slice.end, kEndless});
    if (!is_empty(later)) into.add(tuple_, later);
  };
  for (Index row = 0; row < left.rows(); ++row) {
    if (left.list(row).back().end < slice.end) continue;
    const Interval span = closed(left.list(row).back());
    each_partner(right, false, left.args(row), [&](Index other) {
      put_together(left.args(row), right.args(other));
      const Intervals& list = right.list(other);
      for (auto at = first_after(list, span.start); at != list.end() && at->start < span.end; ++at) {
        promise(reached(common(*at, span), rule_.offsets));
      }
    });
  }
  each_armed(armed, left, slice.start, [&](Index row, Interval span) {
    if (span.end < slice.end) return;
    const auto args = armed.args(row);
    tuple_.assign(args.begin(), args.end());
    for (const Interval& one : armed.list(row)) promise(one);
  });
}

}  // namespace holdsfor
