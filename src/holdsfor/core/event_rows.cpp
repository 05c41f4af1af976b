#include "event_rows.h"

namespace holdsfor {

EventRows EventRows::borrowed(std::span<const Time> times, std::span<const std::uint64_t> words, std::size_t width) {
  EventRows found(width);
  found.is_borrowed_ = true;
  found.times_ = times;
  found.words_ = words;
  return found;
}

void EventRows::add(Time time, const std::uint64_t* args) {
  own_times_.push_back(time);
  own_words_.insert(own_words_.end(), args, args + width_);
  show();
}

void EventRows::add(Time time, std::span<const Value> args) {
  own_times_.push_back(time);
  for (const Value arg : args) own_words_.push_back(arg.word());
  show();
}

void EventRows::show() {
  times_ = own_times_;
  words_ = own_words_;
}

}  // namespace holdsfor
