#include "calendar.h"

#include "wide.h"

namespace holdsfor {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

struct Date {
  std::int64_t year;
  std::int64_t month;
  std::int64_t day;
};

std::int64_t floor_div(std::int64_t left, std::int64_t right) {
  return left / right - static_cast<std::int64_t>(left % right != 0 && (left < 0) != (right < 0));
}

// The date `days` days after 1970-01-01. Years begin in March, so that a leap day is the last day of its year.
Date date_of(std::int64_t days) {
  constexpr std::int64_t kCycle = 146'097;  // days of 400 years
  constexpr std::int64_t kFrom0000March = 719'468;
  const std::int64_t shifted = days + kFrom0000March;
  const std::int64_t cycle = floor_div(shifted, kCycle);
  const std::int64_t day = shifted - cycle * kCycle;
  const std::int64_t year = (day - day / 1460 + day / 36'524 - day / 146'096) / 365;
  const std::int64_t of_year = day - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const bool is_next_year = month >= 10;
  return {.year = year + cycle * 400 + static_cast<std::int64_t>(is_next_year),
          .month = is_next_year ? month - 9 : month + 3,
          .day = of_year - (153 * month + 2) / 5 + 1};
}

}  // namespace

const ZoneDay& Calendar::zone_day(Value zone, std::int64_t day) {
  const Key key{zone, day};
  if (has_last_ && last_ == key) return last_day_;
  auto at = days_.find(key);
  if (at == days_.end()) {
    if (days_.size() >= kMostDays) days_.clear();
    at = days_.emplace(key, host_.zone_day(zone, day)).first;
  }
  last_ = key;
  last_day_ = at->second;
  has_last_ = true;
  return last_day_;
}

Value Calendar::value(CalendarField field, Time time, std::int64_t unit, Value zone, TermTable& terms) {
  const auto whole = static_cast<Wide>(time) * unit;
  auto seconds = static_cast<std::int64_t>(whole / kSecond);
  auto rest = static_cast<std::int64_t>(whole % kSecond);
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  const std::int64_t utc_day = floor_div(seconds, kDay);
  const ZoneDay& offsets = zone_day(zone, utc_day);
  const std::int64_t local = seconds + (seconds < offsets.change ? offsets.before : offsets.after);
  const std::int64_t days = floor_div(local, kDay);
  const std::int64_t clock = local - days * kDay;
  switch (field) {
    case CalendarField::kWeekday:
      return Value::integer(((days + 3) % 7 + 7) % 7 + 1);
    case CalendarField::kHour:
      return Value::integer(clock / 3600);
    case CalendarField::kMinute:
      return Value::integer(clock / 60 % 60);
    case CalendarField::kTimeOfDay: {
      const std::int64_t nanoseconds = clock * kSecond + rest;
      if (nanoseconds % unit == 0) return terms.integer(nanoseconds / unit);
      return terms.number(static_cast<double>(nanoseconds) / static_cast<double>(unit));
    }
    default:
      break;
  }
  const Date date = date_of(days);
  return Value::integer(field == CalendarField::kYear    ? date.year
                        : field == CalendarField::kMonth ? date.month
                                                         : date.day);
}

}  // namespace holdsfor
