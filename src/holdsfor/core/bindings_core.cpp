// The Python class of a core: terms, evaluation, answers and changes.
#include "bindings_core.h"

#include "arrow_abi.h"
#include "arrow_table.h"

namespace holdsfor {

Core::Core(nb::bytes plan, nb::object host, bool is_traced, const Core* like)
    : shared_terms_(like == nullptr ? std::make_shared<TermTable>() : like->shared_terms_),
      terms_(*shared_terms_),
      host_(std::move(host)),
      prepared_(read_plan(bytes_of(plan), terms_), is_traced),
      fingerprint_(checksum(std::as_bytes(std::span(prepared_.plan.fingerprint)))),
      engine_(std::make_unique<Engine>(prepared_, terms_, host_)) {
  // Terms of the plan are never reclaimed.
  terms_.keep_all();
}

std::uint64_t Core::compound(const std::string& functor, const Words& args) {
  return terms_.compound(terms_.name(functor), values_of(args)).word();
}

std::uint64_t Core::partial_list(const Words& items, std::uint64_t tail) {
  return terms_.list(values_of(items), Value::from_word(tail)).word();
}

std::optional<nb::tuple> Core::table_events(const nb::capsule& table, std::size_t width, Time latest) {
  auto* stream = static_cast<ArrowArrayStream*>(table.data("arrow_array_stream"));
  auto found = read_events(*stream, width, latest, terms_);
  if (!found) return std::nullopt;
  return nb::make_tuple(array_of(std::move(found->times)), array_of(std::move(found->words)), found->last);
}

void Core::reclaim_terms(WordArray keep) {
  TermMarks marks(terms_);
  engine_->mark_terms(marks);
  for (std::size_t i = 0; i < keep.size(); ++i) marks.mark(keep(i));
  host_.forget_answers();
  terms_.reclaim(marks);
}

std::optional<std::size_t> Core::length(std::uint64_t word) const {
  const Value value = Value::from_word(word);
  if (!value.is_code() || !terms_.is_list(value)) return std::nullopt;
  return terms_[value].items.size();
}

nb::tuple Core::describe(std::uint64_t word) const {
  const Value value = Value::from_word(word);
  if (value.is_integer()) return nb::make_tuple("number", value.as_integer());
  if (value.is_real()) return nb::make_tuple("number", value.as_real());
  if (!value.is_code()) return nb::make_tuple("anything", nb::none());
  const Term& term = terms_[value];
  switch (term.kind) {
    case TermKind::kName:
      return nb::make_tuple("name", term.text);
    case TermKind::kReal:
      return nb::make_tuple("number", term.real);
    case TermKind::kBigInteger:
      return nb::make_tuple("big", term.text);
    case TermKind::kList:
      return nb::make_tuple("list", words_of(term.items));
    case TermKind::kCompound:
      break;
  }
  if (terms_.is_partial_list(value)) return nb::make_tuple("partial list", words_of(term.items));
  return nb::make_tuple("compound", terms_[term.functor].text, words_of(term.items));
}

std::vector<std::tuple<std::uint32_t, Words, std::uint32_t>> Core::failures() {
  std::vector<std::tuple<std::uint32_t, Words, std::uint32_t>> found;
  for (const auto& [site, rows] : host_.failures().take()) {
    for (const FailureLog::Row& row : rows) found.emplace_back(site, words_of(row.values), row.reason);
  }
  return found;
}

void Core::advance(std::int64_t query, unsigned threads, bool is_last) {
  watched([&](const std::function<void()>& look) { engine_->advance(query, threads, look, is_last); });
  lent_.clear();
}

void Core::replan(nb::bytes plan) {
  Prepared other(read_plan(bytes_of(plan), terms_));
  if (other.plan.stages.size() != prepared_.plan.stages.size() ||
      other.plan.tables.size() != prepared_.plan.tables.size()) {
    throw nb::value_error("the plan has other tables or stages");
  }
  fingerprint_ = checksum(std::as_bytes(std::span(other.plan.fingerprint)));
  terms_.keep_all();
  prepared_.take_rules(std::move(other));
  engine_->mark_all_dirty();
}

std::optional<std::int64_t> Core::final_until() const {
  const Time found = engine_->final_until();
  return found == kNever ? std::nullopt : std::optional(found);
}

void Core::retire(const std::vector<bool>& tables) {
  if (tables.size() != prepared_.plan.tables.size()) throw nb::value_error("not as many flags as there are tables");
  engine_->retire(tables);
}

void Core::succeed(Core& earlier, const std::vector<std::optional<Index>>& tables, const std::vector<bool>& has_state,
                   const std::vector<std::tuple<Index, Index, Index>>& delays, std::optional<std::int64_t> border,
                   bool is_main) {
  if (&terms_ != &earlier.terms_) throw nb::value_error("the engines do not share their terms");
  Heritage how{.table_of = {}, .has_state = has_state, .delay_of = {}, .is_main = is_main};
  for (const auto& table : tables) how.table_of.push_back(table.value_or(kNone));
  for (const auto& [table, number, now] : delays) how.delay_of[{table, number}] = now;
  engine_->succeed(*earlier.engine_, how, border.value_or(kNever));
  if (!is_main) return;
  lent_.insert(lent_.end(), earlier.lent_.begin(), earlier.lent_.end());
  earlier.lent_.clear();
}

void Core::resume(unsigned threads) {
  watched([&](const std::function<void()>& look) { engine_->resume(threads, look); });
}

void Core::refine(std::int64_t factor, nb::bytes plan) {
  engine_->refine(factor);
  replan(std::move(plan));
}

std::vector<std::tuple<double, std::size_t, std::size_t, std::size_t>> Core::profile() {
  std::vector<std::tuple<double, std::size_t, std::size_t, std::size_t>> found;
  for (const Stage& stage : prepared_.plan.stages) {
    for (const Component& component : stage.components) {
      if (!component.metric) continue;
      for (const MetricProfile& one : engine_->profile(*component.metric)) {
        found.emplace_back(one.seconds, one.facts_in, one.facts_out, one.most_kept);
      }
    }
  }
  return found;
}

nb::tuple Core::answers(Index table, unsigned threads) {
  const bool is_event = info(table).is_event();
  AnswerColumns found = engine_->answers(table, threads);
  if (is_event) return nb::make_tuple(array_of(std::move(found.starts)), array_of(std::move(found.words)));
  return nb::make_tuple(array_of(std::move(found.starts)), array_of(std::move(found.ends)),
                        array_of(std::move(found.values)), array_of(std::move(found.words)));
}

nb::object Core::result_rows(Index table, std::uint8_t kind) const {
  static_cast<void>(info(table));
  return nb::cast(array_of(words_of(engine_->result_rows(table, static_cast<ResultKind>(kind)).cells)));
}

void Core::report_only(const std::vector<bool>& tables) {
  if (tables.size() != prepared_.plan.tables.size()) throw nb::value_error("not as many flags as there are tables");
  engine_->report_only(tables);
}

nb::tuple Core::event_changes(Index table) const {
  const std::size_t width = info(table, true).columns;
  std::vector<std::int64_t> removed;
  std::vector<std::int64_t> times;
  Words words;
  for (const Engine::EventChange& one : engine_->event_changes()) {
    if (one.table != table) continue;
    removed.push_back(one.is_removed ? 1 : 0);
    times.push_back(one.time);
    for (std::size_t i = 0; i < width; ++i) words.push_back(engine_->event_arguments()[one.args + i].word());
  }
  return nb::make_tuple(array_of(std::move(removed)), array_of(std::move(times)), array_of(std::move(words)));
}

std::vector<std::tuple<Cause, Index, Time, Time, std::uint64_t, Words>> Core::lost() const {
  std::vector<std::tuple<Cause, Index, Time, Time, std::uint64_t, Words>> found;
  for (const Cause cause : engine_->lost()) {
    const InputBatch* batch = engine_->inputs().find(cause);
    if (batch == nullptr) continue;
    const auto row = static_cast<std::size_t>(cause - batch->first);
    Words args;
    for (std::size_t i = 0; i < batch->width; ++i) args.push_back(batch->args[row * batch->width + i].word());
    const Value value = batch->is_event() ? Value::nothing() : batch->values[row];
    found.emplace_back(cause, batch->table, batch->starts[row], batch->end_of(row), value.word(), std::move(args));
  }
  return found;
}

std::unique_ptr<Speller> Core::speller(const nb::list& pieces, const nb::list& reserved, const nb::callable& write,
                                       const nb::callable& write_row) const {
  return make_speller(terms_, pieces, reserved, write, write_row);
}

std::span<const std::byte> Core::bytes_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

const TableInfo& Core::info(Index table) const {
  if (table >= prepared_.plan.tables.size()) throw nb::index_error("there is no such table");
  return prepared_.plan.tables[table];
}

const TableInfo& Core::info(Index table, bool is_event) const {
  const TableInfo& found = info(table);
  if (found.is_event() != is_event) {
    throw nb::value_error(is_event ? "the table has intervals, not events" : "the table has events, not intervals");
  }
  return found;
}

Inputs::Head Core::input_head(Index table, bool is_retraction, bool is_correction) const {
  constexpr InputKind kKinds[2][2] = {{InputKind::kArrived, InputKind::kCorrection},
                                      {InputKind::kRetracted, InputKind::kCorrected}};
  return {.table = table, .kind = kKinds[is_retraction][is_correction], .known_until = engine_->query()};
}

std::vector<Value> Core::values_of(const Words& words) {
  std::vector<Value> found;
  for (const std::uint64_t word : words) found.push_back(Value::from_word(word));
  return found;
}

}  // namespace holdsfor
