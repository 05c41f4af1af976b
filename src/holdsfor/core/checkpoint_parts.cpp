#include "checkpoint_parts.h"

#include <algorithm>
#include <iterator>

#include "checkpoint_contents.h"

namespace holdsfor {
namespace {

// Adds rows, in time order.
void add_rows(RowSet& into, const RowSet& more) {
  if (more.cells.empty()) return;
  RowSet joined{more.width, {}};
  joined.cells.reserve(into.cells.size() + more.cells.size());
  std::size_t next = 0;
  const auto put = [&](const Value* row) { joined.cells.insert(joined.cells.end(), row, row + more.width); };
  for (std::size_t row = 0; row < into.size(); ++row) {
    while (next < more.size() && time_of(*more.row(next)) < time_of(*into.row(row))) put(more.row(next++));
    put(into.row(row));
  }
  while (next < more.size()) put(more.row(next++));
  into = std::move(joined);
}

void add_phase(SavedPhase& into, SavedPhase& more) {
  const std::size_t attempts = into.attempts.size();
  for (SavedAttempt& attempt : more.attempts) {
    attempt.trigger += static_cast<Index>(into.of(attempt.table).pairs.size());
    into.attempts.push_back(std::move(attempt));
  }
  std::inplace_merge(into.attempts.begin(), into.attempts.begin() + static_cast<std::ptrdiff_t>(attempts),
                     into.attempts.end(), [](const SavedAttempt& a, const SavedAttempt& b) { return a.due < b.due; });
  into.in_a_row = std::max(into.in_a_row, more.in_a_row);
  for (std::size_t i = 0; i < into.tables.size(); ++i) {
    SavedTable& known = into.tables[i];
    SavedTable& added = more.tables[i];
    add_rows(known.rows, added.rows);
    add_rows(known.initiations, added.initiations);
    add_rows(known.terminations, added.terminations);
    const auto instances = static_cast<Index>(known.instances.size());
    std::move(added.instances.begin(), added.instances.end(), std::back_inserter(known.instances));
    for (SavedPair& pair : added.pairs) {
      pair.instance += instances;
      known.pairs.push_back(std::move(pair));
    }
  }
}

// Splits a phase into `count` phases of parts. Content without a key goes to all parts.
class PhaseSplit {
 public:
  PhaseSplit(const CheckpointContents& contents, std::size_t count, const std::function<std::size_t(Value)>& part_of)
      : contents_(contents), count_(count), part_of_(part_of) {}

  std::vector<SavedPhase> run(const SavedPhase& whole) {
    std::vector<SavedPhase> parts(count_);
    places_.clear();
    for (SavedPhase& part : parts) {
      part.in_a_row = whole.in_a_row;
      part.tables.resize(whole.tables.size());
    }
    for (std::size_t i = 0; i < whole.tables.size(); ++i) split_table(whole.tables[i], i, parts);
    for (const SavedAttempt& attempt : whole.attempts) {
      const auto table = std::find_if(whole.tables.begin(), whole.tables.end(),
                                      [&](const SavedTable& one) { return one.table == attempt.table; });
      const Place place = places_[static_cast<std::size_t>(table - whole.tables.begin())][attempt.trigger];
      parts[place.part].attempts.push_back(attempt);
      parts[place.part].attempts.back().trigger = place.number;
    }
    return parts;
  }

 private:
  struct Place {
    std::size_t part = 0;
    Index number = 0;
  };

  void split_table(const SavedTable& known, std::size_t number, std::vector<SavedPhase>& parts) {
    const Index key = contents_.key_place(known.table);
    for (SavedPhase& part : parts) part.tables[number].table = known.table;
    for (RowSet SavedTable::* rows : {&SavedTable::rows, &SavedTable::initiations, &SavedTable::terminations}) {
      const RowSet& from = known.*rows;
      for (SavedPhase& part : parts) (part.tables[number].*rows).width = from.width;
      for (std::size_t row = 0; row < from.size(); ++row) {
        const Value* cells = from.row(row);
        const auto put = [&](SavedPhase& part) {
          auto& into = (part.tables[number].*rows).cells;
          into.insert(into.end(), cells, cells + from.width);
        };
        if (cells[1 + key].is_wildcard()) {
          for (SavedPhase& part : parts) put(part);
        } else {
          put(parts[part_of_(cells[1 + key])]);
        }
      }
    }
    std::vector<Place> instances;
    for (const auto& instance : known.instances) {
      const std::size_t part = part_of_(instance[key]);
      auto& into = parts[part].tables[number].instances;
      instances.push_back({part, static_cast<Index>(into.size())});
      into.push_back(instance);
    }
    auto& places = places_.emplace_back();
    for (const SavedPair& pair : known.pairs) {
      const Place instance = instances[pair.instance];
      auto& into = parts[instance.part].tables[number].pairs;
      places.push_back({instance.part, static_cast<Index>(into.size())});
      into.push_back(pair);
      into.back().instance = instance.number;
    }
  }

  const CheckpointContents& contents_;
  std::size_t count_;
  const std::function<std::size_t(Value)>& part_of_;
  std::vector<std::vector<Place>> places_;  // of pairs, by table
};

}  // namespace

Checkpoint join_checkpoints(const Prepared& prepared, Index stage, std::span<const Checkpoint* const> parts) {
  const CheckpointContents contents(prepared, stage);
  std::vector<SavedPhase> joined = contents.read(*parts[0]);
  for (const Checkpoint* part : parts.subspan(1)) {
    std::vector<SavedPhase> more = contents.read(*part);
    for (std::size_t i = 0; i < joined.size(); ++i) add_phase(joined[i], more[i]);
  }
  return contents.write(parts[0]->time, joined);
}

std::vector<Checkpoint> split_checkpoint(const Prepared& prepared, Index stage, const Checkpoint& whole,
                                         std::size_t count, const std::function<std::size_t(Value)>& part_of) {
  const CheckpointContents contents(prepared, stage);
  PhaseSplit split(contents, count, part_of);
  std::vector<std::vector<SavedPhase>> parts(count);
  for (const SavedPhase& phase : contents.read(whole)) {
    std::vector<SavedPhase> of_phase = split.run(phase);
    for (std::size_t part = 0; part < count; ++part) parts[part].push_back(std::move(of_phase[part]));
  }
  std::vector<Checkpoint> found;
  found.reserve(count);
  for (auto& part : parts) found.push_back(contents.write(whole.time, part));
  return found;
}

void for_keys_in(const Prepared& prepared, Index stage, const Checkpoint& checkpoint,
                 const std::function<void(Value)>& visit) {
  const CheckpointContents contents(prepared, stage);
  for (const SavedPhase& phase : contents.read(checkpoint)) {
    for (const SavedTable& saved : phase.tables) {
      const Index place = contents.key_place(saved.table);
      for (const RowSet* rows : {&saved.rows, &saved.initiations, &saved.terminations}) {
        for (std::size_t row = 0; row < rows->size(); ++row) {
          const Value key = rows->row(row)[1 + place];
          if (!key.is_wildcard()) visit(key);
        }
      }
      for (const auto& instance : saved.instances) visit(instance[place]);
    }
  }
}

}  // namespace holdsfor
