// The Python class of a core: inserting and retracting rows.
#include "bindings_core.h"

namespace holdsfor {

void Core::set_window(std::optional<std::int64_t> size, std::optional<std::int64_t> start) {
  if (size && *size < 1) throw nb::value_error("a window has at least one time-point");
  if (start && *start == kForever) throw nb::value_error("the start is no time-point");
  engine_->set_window({.size = size, .start = start.value_or(kNever), .origin = engine_->window().origin});
}

template <bool is_retraction>
Cause Core::edit_events(Index table, TimeArray times, WordArray words, bool is_correction, bool is_cause) {
  const std::size_t width = info(table, true).columns;
  if (words.size() != times.size() * width) throw nb::value_error("not as many words as the rows have columns");
  const std::span<const Time> all_times{times.data(), times.size()};
  const std::span<const std::uint64_t> all_words{words.data(), words.size()};
  const Cause cause =
      keeps_changes() && is_cause
          ? engine_->inputs().add_events(input_head(table, is_retraction, is_correction), all_times, all_words, width)
          : kNoCause;
  engine_->edits().add_events(table, is_retraction, cause, EventRows::borrowed(all_times, all_words, width));
  lent_.emplace_back(times, words);
  return cause;
}

template <bool is_retraction>
Cause Core::edit_intervals(Index table, TimeArray starts, TimeArray ends, WordArray values, WordArray words,
                           FlagArray is_point, bool is_correction, bool is_cause) {
  const std::size_t width = info(table, false).columns;
  const std::size_t count = starts.size();
  if (ends.size() != count || values.size() != count || is_point.size() != count || words.size() != count * width) {
    throw nb::value_error("columns of different lengths");
  }
  const Cause cause =
      keeps_changes() && is_cause
          ? engine_->inputs().add_intervals(input_head(table, is_retraction, is_correction), {starts.data(), count},
                                            {ends.data(), count}, {values.data(), count}, {words.data(), words.size()},
                                            {is_point.data(), count}, width)
          : kNoCause;
  engine_->edits().add_intervals(table, is_retraction, cause,
                                 {.starts = starts.data(),
                                  .ends = ends.data(),
                                  .values = values.data(),
                                  .words = words.data(),
                                  .is_point = is_point.data(),
                                  .size = count},
                                 width);
  return cause;
}

std::size_t Core::push_facts(Index table, const TimeArray& starts, const TimeArray& ends, const WordArray& words) {
  const std::size_t width = info(table, false).columns;
  const std::size_t count = starts.size();
  if (ends.size() != count || words.size() != count * width) throw nb::value_error("columns of different lengths");
  MetricFlow* flow = engine_->flow();
  if (flow == nullptr || !flow->reads(table)) throw nb::value_error("the table is no input of a final stream");
  std::size_t late = 0;
  std::vector<Value> tuple(width);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < width; ++i) tuple[i] = Value::from_word(words(row * width + i));
    const Interval during{starts(row), ends(row)};
    if (!is_empty(during) && flow->push(table, tuple, during)) ++late;
  }
  return late;
}

template <bool is_retraction>
void Core::edit_one(Index table, Time time, nb::tuple args) {
  const std::size_t width = info(table, true).columns;
  if (args.size() != width) throw nb::value_error("not as many arguments as the table has columns");
  one_row_.clear();
  for (const nb::handle arg : args) {
    const auto value = value_of_object(terms_, arg);
    if (!value) throw nb::type_error("an argument is neither text nor a number");
    one_row_.push_back(value->word());
  }
  const Cause cause = keeps_changes() ? engine_->inputs().add_events(input_head(table, is_retraction, false),
                                                                     {&time, 1}, one_row_, width)
                                      : kNoCause;
  engine_->edits().edit_for_event(table, is_retraction, cause, width).events.add(time, one_row_.data());
}

template Cause Core::edit_events<false>(Index, TimeArray, WordArray, bool, bool);
template Cause Core::edit_events<true>(Index, TimeArray, WordArray, bool, bool);
template Cause Core::edit_intervals<false>(Index, TimeArray, TimeArray, WordArray, WordArray, FlagArray, bool, bool);
template Cause Core::edit_intervals<true>(Index, TimeArray, TimeArray, WordArray, WordArray, FlagArray, bool, bool);
template void Core::edit_one<false>(Index, Time, nb::tuple);
template void Core::edit_one<true>(Index, Time, nb::tuple);

}  // namespace holdsfor
