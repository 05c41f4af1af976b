#include "changes.h"

#include "window.h"

namespace holdsfor {
namespace {

bool is_in_sight(const Reported& one, Time low) { return reaches_into_window(one.end, low); }

ChangeOp became(const Reported& last, const Reported& now, Time before) {
  if (last.start == now.start && now.end > last.end) return ChangeOp::kExtend;
  if (last.start == now.start && last.end == kForever && now.end > before) return ChangeOp::kClose;
  return ChangeOp::kRevise;
}

}  // namespace

void compare(std::span<const Reported> last, std::span<Reported> now, const ReportTimes& times,
             std::vector<Change>& changes) {
  std::size_t first = 0;  // the first report that the interval may overlap
  Time end_before = kNever;
  std::vector<bool> goes_on(last.size());
  for (Reported& one : now) {
    while (first < last.size() && last[first].end <= one.start) ++first;
    // If the previous interval also overlaps a report, the report belongs to that one. The next report cannot overlap
    // the previous interval.
    const bool is_shared = first < last.size() && end_before > last[first].start;
    const std::size_t place = is_shared ? first + 1 : first;
    end_before = one.end;
    const bool has_partner = place < last.size() && last[place].start < one.end;
    if (!has_partner) {
      one.first_start = one.start;
      one.first_query = times.query;
      if (is_in_sight(one, times.low)) changes.push_back({ChangeOp::kOpen, one, one});
      continue;
    }
    const Reported& partner = last[place];
    goes_on[place] = true;
    one.first_start = partner.first_start;
    one.first_query = partner.first_query;
    const bool is_same = one.start == partner.start && one.end == partner.end;
    // A report stays unchanged if the window has passed both the old and the new interval.
    if (is_same || !(is_in_sight(one, times.low) || is_in_sight(partner, times.low))) continue;
    changes.push_back({became(partner, one, times.before), one, partner});
  }
  std::size_t after = 0;  // the first interval that begins after the report
  for (std::size_t i = 0; i < last.size(); ++i) {
    while (after < now.size() && now[after].start < last[i].end) ++after;
    if (goes_on[i]) continue;
    // Of the intervals that overlap the report, the window sees the last one longest.
    const bool is_met = after > 0 && now[after - 1].end > last[i].start && is_in_sight(now[after - 1], times.low);
    if (is_met || is_in_sight(last[i], times.low)) changes.push_back({ChangeOp::kRetract, last[i], last[i]});
  }
}

}  // namespace holdsfor
