// Recursion inside a stratum. Processes new pieces key by key in time order, so that intervals are joined before they
// are used.
#include <algorithm>
#include <numeric>

#include "metric_stratum.h"

namespace holdsfor {
namespace {

// Number of pieces below which sorting by key does not pay.
constexpr std::size_t kFewPieces = 256;

}  // namespace

bool MetricStratumRun::recurse(std::size_t most_rounds, const MetricWatch& watch) {
  std::vector<Pending> pieces = all_pieces();
  std::vector<std::size_t> ends{pieces.size()};
  if (!stratum_.key.empty() && pieces.size() > kFewPieces) group_by_key(pieces, ends);
  is_recursing_ = true;
  pending_.clear();
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    for (; first < end; ++first) note_fresh(pieces[first].place, pieces[first].piece);
    if (!finish_rounds(most_rounds, watch)) return false;
  }
  is_recursing_ = false;
  return true;
}

bool MetricStratumRun::finish_rounds(std::size_t most_rounds, const MetricWatch& watch) {
  for (std::size_t round = 0; !pending_.empty(); ++round) {
    if (round >= most_rounds) return false;
    take_next();
    for (const RuleRun& run : rules_) {
      if (run.is_recursive) derive_fresh(run);
    }
    watch();
  }
  return true;
}

// The pieces that are known before the first round.
std::vector<MetricStratumRun::Pending> MetricStratumRun::all_pieces() const {
  std::vector<Pending> found;
  for (Index place = 0; place < stratum_.relations.size(); ++place) {
    const MetricTable& table = tables_[stratum_.relations[place]];
    for (Index row = 0; row < table.rows(); ++row) {
      for (const Interval& one : table.list(row)) found.push_back({0, place, {row, one}});
    }
  }
  return found;
}

void MetricStratumRun::group_by_key(std::vector<Pending>& pieces, std::vector<std::size_t>& ends) const {
  MetricTable keys(1);
  std::vector<Index> key_of;
  std::vector<std::size_t> begins;  // of the next piece of each key
  for (const Pending& one : pieces) {
    const auto args = tables_[stratum_.relations[one.place]].args(one.piece.row);
    key_of.push_back(keys.row_of(args.subspan(stratum_.key[one.place], 1)));
    begins.resize(keys.rows());
    ++begins[key_of.back()];
  }
  ends.resize(begins.size());
  std::inclusive_scan(begins.begin(), begins.end(), ends.begin());
  for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = ends[i] - begins[i];
  std::vector<Pending> sorted(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) sorted[begins[key_of[i]]++] = pieces[i];
  pieces = std::move(sorted);
}

void MetricStratumRun::note_fresh(Index place, FreshPiece piece) {
  pending_.push_back({stratum_.is_backward ? -piece.during.end : piece.during.start, place, piece});
  if (stratum_.stride == 0) return;
  std::push_heap(pending_.begin(), pending_.end(),
                 [](const Pending& one, const Pending& other) { return one.time > other.time; });
}

// Takes the pieces of the next round: all of them, or those within the stride of the recursion.
void MetricStratumRun::take_next() {
  for (Fresh& one : fresh_) one.clear();
  if (stratum_.stride == 0) {
    for (const Pending& one : pending_) fresh_[one.place].push_back(one.piece);
    pending_.clear();
    return;
  }
  const Time first = pending_.front().time;
  const Time last =
      is_infinite(first) ? first : std::min(first + 2 * std::min(stratum_.stride, kEndless / 4), kEndless);
  do {
    fresh_[pending_.front().place].push_back(pending_.front().piece);
    std::pop_heap(pending_.begin(), pending_.end(),
                  [](const Pending& one, const Pending& other) { return one.time > other.time; });
    pending_.pop_back();
  } while (!pending_.empty() && pending_.front().time < last);
}

void MetricStratumRun::derive_fresh(const RuleRun& run) {
  if (const auto* moves = std::get_if<MetricMove>(run.rule)) return move_fresh(*moves, run.head_rows);
  if (run.since) return last_fresh(run);
  join_fresh(run);
}

void MetricStratumRun::move_fresh(const MetricMove& rule, std::vector<Index>& head_rows) {
  if (!is_own(rule.source) || fresh(rule.source).empty()) return;
  const MetricTable& source = tables_[rule.source];
  head_rows.resize(source.rows(), kNoRow);
  Index last_row = kNoRow;
  Interval last_whole;
  for (const FreshPiece& piece : fresh(rule.source)) {
    Interval moved;
    if (rule.is_box) {
      const MetricTable& table = grown(rule.source);
      const Index row = &table == &source ? piece.row : table.find(source.args(piece.row));
      const Interval whole = *first_after(table.list(row), piece.during.start);
      if (piece.row == last_row && whole == last_whole) continue;
      last_row = piece.row;
      last_whole = whole;
      moved = eroded(whole, rule.offsets);
    } else {
      moved = reached(piece.during, rule.offsets);
    }
    if (is_empty(moved)) continue;
    const Interval inside = common(moved, slice_);
    was_cut_ = was_cut_ || inside != moved;
    if (!is_empty(inside)) {
      if (head_rows[piece.row] == kNoRow) {
        // The tuple may be in a table that grows, so copy it.
        const auto args = source.args(piece.row);
        tuple_.assign(args.begin(), args.end());
        head_rows[piece.row] = tables_[rule.head].row_of(tuple_);
        head_rows.resize(source.rows(), kNoRow);
      }
      insert_row(rule.head, head_rows[piece.row], inside);
    }
    note_later(rule.head, source.args(piece.row), moved);
  }
}

void MetricStratumRun::last_fresh(const RuleRun& run) {
  const auto& rule = std::get<MetricLast>(*run.rule);
  const bool is_left_fresh = is_own(rule.left.relation) && !fresh(rule.left.relation).empty();
  const bool is_right_fresh = is_own(rule.right.relation) && !fresh(rule.right.relation).empty();
  if (!is_left_fresh && !is_right_fresh) return;
  if (rule.waits != 0) return wait(rule, *run.since);
  const MetricTable& left = grown(rule.left.relation);
  if (is_right_fresh) {
    run.since->solve_right(left, tables_[rule.right.relation], fresh(rule.right.relation), derived_);
  }
  if (is_left_fresh) {
    run.since->solve_left(left, grown(rule.right.relation), tables_[rule.left.relation], fresh(rule.left.relation),
                          derived_);
    if (carried_ != nullptr) run.since->solve_armed(carried_->armed[run.armed], left, slice_.start, derived_);
  }
  insert_all(rule.head);
}

void MetricStratumRun::join_fresh(const RuleRun& run) {
  const auto& rule = std::get<MetricJoin>(*run.rule);
  for (std::size_t number = 0; number < rule.literals.size(); ++number) {
    const auto* scan = std::get_if<MetricScan>(&rule.literals[number]);
    if (scan == nullptr || scan->negated || !is_own(scan->relation) || fresh(scan->relation).empty()) continue;
    run.body->solve([&](Index relation) -> const MetricTable& { return tables_[relation]; }, derived_, number,
                    &fresh(scan->relation));
    insert_all(rule.head);
  }
}

}  // namespace holdsfor
