// The input that counts: events with how often they were pushed, and intervals of fluents as far as windows saw them.
#pragma once

#include <map>
#include <vector>

#include "edits.h"
#include "window.h"

namespace holdsfor {

// An input that begins or ceases to count.
struct Effect {
  Index table = 0;
  Cause cause = kNoCause;
  std::vector<Value> args;
};

class Inputs {
 public:
  explicit Inputs(const Plan& plan);

  // Takes in what was pushed before a query time. Returns what made a difference.
  std::vector<Effect> advance(const Edits& edits, const Window& window, Time query);
  // All that counts at a query time. Starts of input intervals that were cut at a border are noted in `cuts`.
  void fill(Time query, std::vector<RowSet>& rows, std::vector<RowSet>& cuts) const;

  [[nodiscard]] std::size_t late() const { return late_; }
  [[nodiscard]] std::size_t unmatched() const { return unmatched_; }
  [[nodiscard]] std::size_t size() const;

 private:
  // Values in an order that has no meaning but is total.
  struct ByWords {
    bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                          [](Value x, Value y) { return x.word() < y.word(); });
    }
  };
  struct Waiting {
    Cause cause = kNoCause;
    std::vector<Value> row;
  };
  struct Piece {
    Time start = 0;
    Time end = 0;
    std::vector<Value> pair;  // value and arguments
    bool is_cut = false;
    bool is_point = false;
    Time pushed_start = 0;
    bool is_settled = false;  // the part behind the border of an interval that was taken back
  };

  void insert_events(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects);
  void retract_events(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects);
  void insert_intervals(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects);
  void retract_intervals(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects);
  void count_waiting(const Window& window, Time query, std::vector<Effect>& effects);

  const Plan& plan_;
  std::vector<std::map<std::vector<Value>, std::size_t, ByWords>> events_;
  std::vector<std::vector<Waiting>> waiting_;
  std::vector<std::vector<Piece>> pieces_;
  std::size_t late_ = 0;
  std::size_t unmatched_ = 0;
};

}  // namespace holdsfor
