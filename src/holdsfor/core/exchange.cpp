#include "exchange.h"

#include <algorithm>

#include "rows_io.h"

namespace holdsfor {
namespace {

// Cells before the values in an interval row: head, start, end, pushed start.
constexpr std::size_t kPlainIntervalCells = 4;

void write_flags(StateWriter& into, const std::vector<bool>& flags, std::size_t count) {
  for (std::size_t row = 0; row < count; ++row) into.put(row < flags.size() && flags[row] ? 1 : 0);
}

// The causes of rows for one bucket: inputs, and for each cause the inputs behind it.
class SentCauses {
 public:
  SentCauses(StateWriter& into, const Inputs& inputs, const Exchange::InputsBehind& inputs_behind)
      : into_(into), inputs_(inputs), inputs_behind_(inputs_behind) {}

  void collect(const Deliveries& deliveries) {
    for (const Arrivals& some : deliveries.events) {
      for (std::size_t row = 0; row < some.rows.size(); ++row) add(some.cause_of(row));
    }
    for (const IntervalArrivals& some : deliveries.intervals)
      std::for_each(some.causes.begin(), some.causes.end(), adder());
    for (const EffectArrivals& some : deliveries.effects)
      std::for_each(some.causes.begin(), some.causes.end(), adder());
    write_inputs();
    into_.put(lists_.size());
    for (const std::vector<std::uint64_t>& list : lists_) {
      into_.put(list.size());
      for (const std::uint64_t input : list) into_.put(input);
    }
  }
  // Writes the number of a cause, counted from 1; 0: no cause.
  void put(Cause cause) const {
    const auto found = list_of_.find(cause);
    into_.put(found == list_of_.end() ? 0 : found->second + 1);
  }

 private:
  std::function<void(Cause)> adder() {
    return [this](Cause cause) { add(cause); };
  }
  void add(Cause cause) {
    if (cause == kNoCause || list_of_.contains(cause)) return;
    std::vector<std::uint64_t> list;
    for (const Cause input : inputs_behind_(cause)) {
      if (inputs_.find(input) == nullptr) continue;
      const auto [at, is_new] = number_of_.try_emplace(input, sent_.size());
      if (is_new) sent_.push_back(input);
      list.push_back(at->second);
    }
    if (list.empty()) return;
    list_of_.emplace(cause, lists_.size());
    lists_.push_back(std::move(list));
  }
  void write_inputs() const {
    into_.put(sent_.size());
    for (const Cause input : sent_) {
      const InputBatch& batch = *inputs_.find(input);
      const auto row = static_cast<std::size_t>(input - batch.first);
      into_.put(batch.table);
      into_.put(static_cast<std::uint64_t>(batch.kind_of(row)));
      into_.put_time(batch.starts[row]);
      into_.put_values(std::span(batch.args).subspan(row * batch.width, batch.width));
      if (batch.is_event()) continue;
      into_.put_time(batch.ends[row]);
      into_.put_value(batch.values[row]);
    }
  }

  StateWriter& into_;
  const Inputs& inputs_;
  const Exchange::InputsBehind& inputs_behind_;
  std::vector<Cause> sent_;
  std::map<Cause, std::uint64_t> number_of_;  // of an input among the sent ones
  std::vector<std::vector<std::uint64_t>> lists_;
  std::map<Cause, std::uint64_t> list_of_;
};

void write_deliveries(StateWriter& into, const Deliveries& deliveries, const SentCauses& causes) {
  into.put(deliveries.events.size());
  for (const Arrivals& some : deliveries.events) {
    into.put(some.table);
    write_events(into, some.rows);
    write_flags(into, some.is_retraction, some.rows.size());
    for (std::size_t row = 0; row < some.rows.size(); ++row) causes.put(some.cause_of(row));
  }
  into.put(deliveries.intervals.size());
  for (const IntervalArrivals& some : deliveries.intervals) {
    into.put(some.table);
    write_rows(into, some.rows, kPlainIntervalCells);
    for (std::size_t row = 0; row < some.rows.size(); ++row) causes.put(some.cause_of(row));
  }
  into.put(deliveries.effects.size());
  for (const EffectArrivals& some : deliveries.effects) {
    into.put(some.table);
    into.put(some.is_termination ? 1 : 0);
    write_rows(into, some.rows, kEventHead);
    write_flags(into, some.is_retraction, some.rows.size());
    for (const Cause cause : some.causes) causes.put(cause);
  }
}

Index read_table(StateReader& from, const Plan& plan, bool is_event) {
  const auto table = static_cast<Index>(from.get_below(plan.tables.size()));
  if (plan.tables[table].is_event() != is_event) StateReader::refuse("the exchange is damaged: rows of another table");
  return table;
}

Cause read_input(StateReader& from, const Plan& plan, const ReceivedCauses* causes) {
  const auto table = static_cast<Index>(from.get_below(plan.tables.size()));
  const auto kind = static_cast<InputKind>(from.get_below(kInputKinds));
  const std::size_t width = plan.tables[table].columns;
  const bool is_event = plan.tables[table].is_event();
  const Time start = from.get_time();
  std::vector<Value> args;
  from.get_values(width, args);
  const Time end = is_event ? kForever : from.get_time();
  const Value value = is_event ? Value::nothing() : from.get_value();
  if (causes == nullptr) return kNoCause;
  std::vector<std::uint64_t> words;
  for (const Value arg : args) words.push_back(arg.word());
  const Inputs::Head head{.table = table, .kind = kind};
  const std::uint64_t value_word = value.word();
  const bool is_point = false;
  if (is_event) return causes->inputs.add_events(head, {&start, 1}, words, width);
  return causes->inputs.add_intervals(head, {&start, 1}, {&end, 1}, {&value_word, 1}, words, {&is_point, 1}, width);
}

// Reads the causes of an exchange, and translates their numbers to causes here.
std::vector<Cause> read_causes(StateReader& from, const Plan& plan, const ReceivedCauses* causes) {
  std::vector<Cause> inputs;
  for (std::size_t count = from.get_count(3); count > 0; --count) inputs.push_back(read_input(from, plan, causes));
  std::vector<Cause> found{kNoCause};
  for (std::size_t count = from.get_count(1); count > 0; --count) {
    const Index report = causes == nullptr ? kNone : causes->reports.add(kNone);
    for (std::size_t size = from.get_count(1); size > 0; --size) {
      const Cause input = inputs.at(from.get_below(inputs.size()));
      if (causes != nullptr) causes->reports.add_cause(report, input);
    }
    found.push_back(causes == nullptr ? kNoCause : report_cause(causes->stage, report));
  }
  return found;
}

void read_event_arrivals(StateReader& from, const Plan& plan, const std::vector<Cause>& causes, Deliveries& into) {
  const Index table = read_table(from, plan, true);
  EventRows rows(plan.tables[table].columns);
  read_events(from, rows);
  std::vector<bool> is_retraction;
  for (std::size_t row = 0; row < rows.size(); ++row) is_retraction.push_back(from.get_below(2) == 1);
  Arrivals& arrivals = into.events_of(table, rows.width());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    arrivals.add(rows.time(row), rows.args(row), causes[from.get_below(causes.size())], is_retraction[row]);
  }
}

void read_interval_arrivals(StateReader& from, const Plan& plan, const std::vector<Cause>& causes, Deliveries& into) {
  const Index table = read_table(from, plan, false);
  IntervalArrivals& arrivals = into.intervals_of(table, plan.tables[table].columns);
  arrivals.is_input = false;
  RowSet rows{arrivals.rows.width, {}};
  read_rows(from, rows, kPlainIntervalCells);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* cells = rows.row(row);
    const IntervalHead head = interval_head(cells);
    if (head.table != table || head.width != rows.width || head.flags > kIsRetraction) {
      StateReader::refuse("the exchange is damaged: no such interval");
    }
    arrivals.add(cells, causes[from.get_below(causes.size())]);
  }
}

void read_effect_arrivals(StateReader& from, const Plan& plan, const std::vector<Cause>& causes, Deliveries& into) {
  const Index table = read_table(from, plan, false);
  const bool is_termination = from.get_below(2) == 1;
  EffectArrivals& arrivals = into.effects_of(table, is_termination, plan.tables[table].columns);
  const std::size_t before = arrivals.rows.size();
  read_rows(from, arrivals.rows, kEventHead);
  const std::size_t count = arrivals.rows.size() - before;
  for (std::size_t row = 0; row < count; ++row) arrivals.is_retraction.push_back(from.get_below(2) == 1);
  for (std::size_t row = 0; row < count; ++row) arrivals.causes.push_back(causes[from.get_below(causes.size())]);
}

}  // namespace

Exchange::Exchange(const Stage& stage, const BucketGrid& grid, const TermTable& terms)
    : stage_(stage), grid_(grid), terms_(terms) {}

const Route* Exchange::route_of(Index table, const std::vector<bool>& wanted) const {
  if (!wanted[table]) return nullptr;
  const auto found = std::find_if(stage_.inputs.begin(), stage_.inputs.end(),
                                  [&](const Route& route) { return route.table == table; });
  return found == stage_.inputs.end() ? nullptr : &*found;
}

void Exchange::add(const Deliveries& deliveries, const std::vector<bool>& wanted) {
  std::vector<Value> args;
  for (const Arrivals& some : deliveries.events) {
    const Route* route = route_of(some.table, wanted);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      args.clear();
      for (std::size_t i = 0; i < some.rows.width(); ++i) args.push_back(Value::from_word(some.rows.args(row)[i]));
      grid_.find(*route, args.data(), terms_, targets_);
      const bool is_retraction = !some.is_retraction.empty() && some.is_retraction[row];
      for (const Index bucket : targets_) {
        Arrivals& arrivals = by_bucket_[bucket].events_of(some.table, some.rows.width());
        arrivals.add(some.rows.time(row), some.rows.args(row), some.cause_of(row), is_retraction);
      }
    }
  }
  for (const IntervalArrivals& some : deliveries.intervals) {
    const Route* route = route_of(some.table, wanted);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      const Value* cells = some.rows.row(row);
      grid_.find(*route, cells + kIntervalRowHead, terms_, targets_);
      for (const Index bucket : targets_) {
        IntervalArrivals& arrivals = by_bucket_[bucket].intervals_of(some.table, some.rows.width - kIntervalRowHead);
        arrivals.add(cells, some.cause_of(row));
      }
    }
  }
  for (const EffectArrivals& some : deliveries.effects) {
    const Route* route = route_of(some.table, wanted);
    const std::size_t columns = some.rows.width - kEventHead - 1;
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      const Value* cells = some.rows.row(row);
      grid_.find(*route, cells + kEventHead, terms_, targets_);
      for (const Index bucket : targets_) {
        EffectArrivals& arrivals = by_bucket_[bucket].effects_of(some.table, some.is_termination, columns);
        arrivals.rows.cells.insert(arrivals.rows.cells.end(), cells, cells + some.rows.width);
        arrivals.is_retraction.push_back(some.is_retraction[row]);
        arrivals.causes.push_back(some.causes[row]);
      }
    }
  }
}

std::vector<std::pair<Index, std::string>> Exchange::finish(std::uint64_t fingerprint, const Inputs& inputs,
                                                            const InputsBehind& inputs_behind) const {
  std::vector<std::pair<Index, std::string>> found;
  for (const auto& [bucket, deliveries] : by_bucket_) {
    StateWriter into(terms_);
    SentCauses causes(into, inputs, inputs_behind);
    causes.collect(deliveries);
    write_deliveries(into, deliveries, causes);
    found.emplace_back(bucket, into.finish(fingerprint));
  }
  return found;
}

void read_exchange(StateReader& from, const Plan& plan, Deliveries& into, const ReceivedCauses* causes) {
  const std::vector<Cause> known = read_causes(from, plan, causes);
  for (std::size_t count = from.get_count(2); count > 0; --count) read_event_arrivals(from, plan, known, into);
  for (std::size_t count = from.get_count(2); count > 0; --count) read_interval_arrivals(from, plan, known, into);
  for (std::size_t count = from.get_count(3); count > 0; --count) read_effect_arrivals(from, plan, known, into);
  if (!from.is_at_end()) StateReader::refuse("the exchange is damaged: something follows it");
}

}  // namespace holdsfor
