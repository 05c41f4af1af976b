// Calendar fields and wall-clock fields of a time-point.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "host.h"
#include "terms.h"

namespace holdsfor {

// The order matches the names in the compiler.
enum class CalendarField : std::uint8_t { kYear, kMonth, kDay, kWeekday, kHour, kMinute, kTimeOfDay };

// Caches time zone offsets: asks the host once for each zone and day.
class Calendar {
 public:
  explicit Calendar(Host& host) : host_(host) {}

  // A field of a time-point, counted from 1970 in units of `unit` nanoseconds.
  [[nodiscard]] Value value(CalendarField field, Time time, std::int64_t unit, Value zone, TermTable& terms);

 private:
  struct Key {
    Value zone;
    std::int64_t day;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return mix(key.zone.word(), static_cast<std::uint64_t>(key.day)); }
  };
  const ZoneDay& zone_day(Value zone, std::int64_t day);

  // Days in the cache. A full cache is cleared, to bound memory.
  static constexpr std::size_t kMostDays = 65536;

  Host& host_;
  std::unordered_map<Key, ZoneDay, Hash> days_;
  Key last_{};
  ZoneDay last_day_{};
  bool has_last_ = false;
};

}  // namespace holdsfor
