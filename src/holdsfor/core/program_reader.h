// Reads the terms and programs of a plan.
#pragma once

#include <vector>

#include "plan.h"
#include "plan_words.h"

namespace holdsfor {

// Maximum nesting depth of records. Reading and running are recursive, so the limit protects the stack.
inline constexpr int kDeepest = 200;

class ProgramReader : public PlanWords {
 public:
  ProgramReader(std::span<const std::byte> bytes, TermTable& terms) : PlanWords(bytes), terms_(terms) {}

  Value constant();
  Shape shape();
  Expression expression();
  Site site();
  void columns(std::vector<Shape>& into);
  Block block();
  Program program();
  PairShape pair();

 protected:
  // Counts the nesting depth of records.
  struct Inside {
    explicit Inside(int& depth) : depth_(depth) {
      if (++depth_ > kDeepest) refuse_plan("it is too deep");
    }
    ~Inside() { --depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Inside(Inside&&) = delete;
    Inside& operator=(Inside&&) = delete;

   private:
    int& depth_;
  };

  template <typename T, typename Read>
  void list(std::vector<T>& into, Read read) {
    const Inside inside(depth_);
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) into.push_back(read());
  }
  template <typename E>
  E one_of(E last) {
    const std::int64_t found = word();
    if (found < 0 || found > static_cast<std::int64_t>(last)) refuse_plan("a kind is unknown");
    return static_cast<E>(found);
  }
  TermTable& terms() { return terms_; }

 private:
  Value big_integer();
  Shape structure();
  Shape folded(Shape shape);
  Instant instant();
  Instruction instruction();
  void read_fields(Instruction& found);
  void window(Instruction& found);
  std::int8_t aggregate();
  template <std::size_t N>
  std::size_t named(const std::string_view (&names)[N]) {
    const std::string& wanted = text();
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == wanted) return i;
    }
    refuse_plan("an operator is unknown");
  }

  TermTable& terms_;
  int depth_ = 0;
  Index slides_ = 0;
};

}  // namespace holdsfor
