// The Python class of a core: saved states, and shares of distributed runs.
#include "bindings_core.h"

namespace holdsfor {

void Core::set_share(Index stage, Index bucket, std::size_t buckets, const std::vector<std::vector<Index>>& sides,
                     const std::vector<Ties>& ties) {
  const auto& stages = prepared_.plan.stages;
  if (stage >= stages.size() || bucket >= buckets || sides.size() != stages.size()) {
    throw nb::value_error("there is no such share");
  }
  Share share{.stage = stage, .bucket = bucket, .grids = {}};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    std::size_t cells = 1;
    for (const Index side : sides[i]) cells *= side;
    const bool fits = sides[i].empty() || sides[i].size() == stages[i].key;
    if (!fits || cells == 0 || cells > buckets) throw nb::value_error("a grid does not fit its stage");
    if (!stages[i].is_tied) {
      share.grids.emplace_back(buckets, sides[i]);
      continue;
    }
    const bool has_ties = i < ties.size() && ties[i].has_value();
    BucketGrid::Firsts firsts;
    for (std::size_t row = 0; has_ties && row < ties[i]->first.size(); ++row) {
      firsts.emplace(ties[i]->first(row), ties[i]->second(row));
    }
    share.grids.emplace_back(has_ties ? buckets : 1, std::move(firsts));
  }
  engine_->set_share(std::move(share));
}

nb::tuple Core::targets(Index stage, Index table, std::size_t count, WordArray words) const {
  const auto& share = engine_->share();
  if (!share || stage >= share->grids.size()) throw nb::value_error("there is no such share");
  const std::size_t width = info(table).columns;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> buckets;
  if (words.size() != count * width) throw nb::value_error("not as many words as the rows have columns");
  std::vector<Value> args(width);
  std::vector<Index> found;
  for (const Route& route : prepared_.plan.stages[stage].inputs) {
    for (std::size_t row = 0; route.table == table && row < count; ++row) {
      for (std::size_t i = 0; i < width; ++i) args[i] = Value::from_word(words(row * width + i));
      share->grids[stage].find(route, args.data(), terms_, found);
      rows.insert(rows.end(), found.size(), static_cast<std::int64_t>(row));
      buckets.insert(buckets.end(), found.begin(), found.end());
    }
  }
  return nb::make_tuple(array_of(std::move(rows)), array_of(std::move(buckets)));
}

void Core::receive(nb::bytes bytes) {
  StateReader reader(bytes_of(bytes), fingerprint_, terms_);
  engine_->receive(reader);
}

nb::list Core::deliveries_for(Index stage) {
  if (stage >= prepared_.plan.stages.size()) throw nb::index_error("there is no such stage");
  nb::list found;
  for (const auto& [bucket, bytes] : engine_->deliveries_for(stage, fingerprint_)) {
    found.append(nb::make_tuple(bucket, nb::bytes(bytes.data(), bytes.size())));
  }
  return found;
}

nb::bytes Core::save_rest(std::uint64_t note) const {
  const std::string bytes = engine_->save_rest(fingerprint_, Value::from_word(note));
  return nb::bytes(bytes.data(), bytes.size());
}

nb::list Core::save_keys(const std::vector<std::pair<std::size_t, std::size_t>>& parts) const {
  std::vector<Engine::Part> wanted;
  for (const auto& [number, count] : parts) {
    if (number >= count || count > Engine::kMostParts) throw nb::value_error("there is no such part");
    wanted.push_back({.number = number, .count = count});
  }
  nb::list found;
  for (const Engine::SavedKeys& one : engine_->save_keys(fingerprint_, wanted)) {
    found.append(
        nb::make_tuple(nb::bytes(one.bytes.data(), one.bytes.size()), one.keys, one.rows, one.shown, one.wake));
  }
  return found;
}

std::uint64_t Core::load_share(const nb::list& saved, std::optional<nb::bytes> plan) {
  const std::uint64_t fingerprint = plan ? checksum(bytes_of(*plan)) : fingerprint_;
  auto fresh = fresh_engine();
  Value note = Value::nothing();
  for (const nb::handle one : saved) {
    StateReader reader(bytes_of(nb::cast<nb::bytes>(one)), fingerprint, terms_);
    const Value found = fresh->read(reader);
    if (!found.is_nothing()) note = found;
  }
  engine_->absorb_share(*fresh);
  return note.word();
}

std::uint64_t Core::load(nb::bytes bytes) {
  auto [fresh, note] = read_engine(bytes);
  fresh->require_all_parts();
  engine_ = std::move(fresh);
  lent_.clear();
  return note.word();
}

nb::list Core::split(std::size_t parts, std::uint64_t note) const {
  if (parts == 0 || parts > Engine::kMostParts) throw nb::value_error("a state has 1 to 65,536 parts");
  nb::list found;
  for (std::size_t part = 0; part < parts; ++part) found.append(saved(note, {.number = part, .count = parts}));
  return found;
}

std::uint64_t Core::merge(nb::bytes bytes) {
  auto [other, note] = read_engine(bytes);
  engine_->absorb(*other);
  return note.word();
}

nb::tuple Core::kept(Index table) {
  static_cast<void>(info(table));
  const RowSet rows = engine_->kept(table);
  return nb::make_tuple(rows.width, array_of(words_of(rows.cells)));
}

nb::bytes Core::saved(std::uint64_t note, Engine::Part part) const {
  const std::string bytes = engine_->save(fingerprint_, Value::from_word(note), part);
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<Engine> Core::fresh_engine() {
  auto fresh = std::make_unique<Engine>(prepared_, terms_, host_);
  fresh->set_window(engine_->window());
  if (engine_->share()) fresh->set_share(*engine_->share());
  fresh->keep_changes(engine_->keeps_changes());
  return fresh;
}

std::pair<std::unique_ptr<Engine>, Value> Core::read_engine(const nb::bytes& bytes) {
  auto fresh = fresh_engine();
  StateReader reader(bytes_of(bytes), fingerprint_, terms_);
  const Value note = fresh->read(reader);
  return {std::move(fresh), note};
}

}  // namespace holdsfor
