#include "arrow_table.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "arrow_abi.h"
#include "utf8.h"

namespace holdsfor {
namespace {

// Releases what the stream has lent.
template <typename T>
struct Lent {
  T given{};

  Lent() = default;
  ~Lent() {
    if (given.release != nullptr) given.release(&given);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  Lent(Lent&&) = delete;
  Lent& operator=(Lent&&) = delete;
};

// A chunk of a column: rows from `from` on.
struct Piece {
  const ArrowArray& array;
  std::size_t from = 0;
  std::size_t rows = 0;

  template <typename T>
  [[nodiscard]] std::span<const T> numbers() const {
    return {static_cast<const T*>(array.buffers[1]) + from, rows};
  }
  [[nodiscard]] bool has_gaps() const { return array.null_count != 0 && array.buffers[0] != nullptr; }
};

bool is_format(const ArrowSchema& schema, std::string_view wanted) { return schema.format == wanted; }

// Writes the words of a column to one position of each row.
class Column {
 public:
  Column(std::uint64_t* into, std::size_t stride, TermTable& terms) : into_(into), stride_(stride), terms_(terms) {}

  // False if the column needs the slow reader.
  bool read(const ArrowSchema& schema, const Piece& piece) {
    if (piece.has_gaps()) return false;
    if (schema.dictionary != nullptr) return read_dictionary(schema, piece);
    if (is_format(schema, "l")) return read_wholes(piece.numbers<std::int64_t>());
    if (is_format(schema, "i")) return read_wholes(piece.numbers<std::int32_t>());
    if (is_format(schema, "g")) return read_reals(piece.numbers<double>());
    return read_texts(schema, piece, nullptr);
  }

 private:
  void put(std::size_t row, Value value) { into_[row * stride_] = value.word(); }

  template <typename T>
  bool read_wholes(std::span<const T> numbers) {
    for (std::size_t row = 0; row < numbers.size(); ++row) put(row, terms_.integer(numbers[row]));
    return true;
  }

  bool read_reals(std::span<const double> numbers) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      // NaN compares false.
      if (!(std::abs(numbers[row]) < kExact)) return false;
      put(row, terms_.number(numbers[row]));
    }
    return true;
  }

  // Texts by row number: those in `rows`, or all if it is null.
  bool read_texts(const ArrowSchema& schema, const Piece& piece, const std::vector<std::size_t>* rows) {
    if (is_format(schema, "u")) return read_texts<std::int32_t>(piece, rows);
    return is_format(schema, "U") && read_texts<std::int64_t>(piece, rows);
  }

  template <typename Offset>
  bool read_texts(const Piece& piece, const std::vector<std::size_t>* rows) {
    const Offset* offsets = static_cast<const Offset*>(piece.array.buffers[1]) + piece.from;
    const auto* characters = static_cast<const char*>(piece.array.buffers[2]);
    const auto text = [&](std::size_t from, std::size_t to) {
      const auto begin = static_cast<std::size_t>(offsets[from]);
      const std::size_t size = static_cast<std::size_t>(offsets[to]) - begin;
      return size == 0 ? std::string_view() : std::string_view(characters + begin, size);
    };
    if (rows == nullptr && !is_utf8(text(0, piece.rows))) return false;
    std::vector<std::string_view> texts(rows == nullptr ? piece.rows : rows->size());
    for (std::size_t row = 0; row < texts.size(); ++row) {
      const std::size_t place = rows == nullptr ? row : (*rows)[row];
      texts[row] = text(place, place + 1);
      if (rows != nullptr && !is_utf8(texts[row])) return false;
    }
    std::vector<Value> found(texts.size());
    terms_.names(texts, found);
    for (std::size_t row = 0; row < found.size(); ++row) put(row, found[row]);
    return true;
  }

  // Reads only the texts that rows refer to, because a few rows may come with a large dictionary.
  bool read_dictionary(const ArrowSchema& schema, const Piece& piece) {
    const ArrowArray& dictionary = *piece.array.dictionary;
    const Piece texts{.array = dictionary,
                      .from = static_cast<std::size_t>(dictionary.offset),
                      .rows = static_cast<std::size_t>(dictionary.length)};
    if (texts.has_gaps() || schema.dictionary->dictionary != nullptr) return false;
    std::optional<std::vector<std::size_t>> rows;
    if (is_format(schema, "c")) rows = places<std::int8_t>(piece, texts.rows);
    if (is_format(schema, "s")) rows = places<std::int16_t>(piece, texts.rows);
    if (is_format(schema, "i")) rows = places<std::int32_t>(piece, texts.rows);
    if (is_format(schema, "I")) rows = places<std::uint32_t>(piece, texts.rows);
    if (is_format(schema, "l")) rows = places<std::int64_t>(piece, texts.rows);
    return rows && read_texts(*schema.dictionary, texts, &*rows);
  }

  template <typename T>
  [[nodiscard]] static std::optional<std::vector<std::size_t>> places(const Piece& piece, std::size_t limit) {
    std::vector<std::size_t> found;
    found.reserve(piece.rows);
    for (const T place : piece.numbers<T>()) {
      if (static_cast<std::size_t>(place) >= limit) return std::nullopt;
      found.push_back(static_cast<std::size_t>(place));
    }
    return found;
  }

  std::uint64_t* into_;
  std::size_t stride_;
  TermTable& terms_;
};

// The index of the time column. Nothing if a column has a special meaning, or the number of arguments differs.
std::optional<std::size_t> time_column(const ArrowSchema& schema, std::size_t width) {
  const auto count = static_cast<std::size_t>(schema.n_children);
  if (!is_format(schema, "+s") || count != width + 1) return std::nullopt;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (schema.children[i]->name == nullptr) return std::nullopt;
    names.emplace_back(schema.children[i]->name);
  }
  const auto time = std::find(names.begin(), names.end(), "time");
  if (time == names.end()) return std::nullopt;
  const auto found = static_cast<std::size_t>(time - names.begin());
  for (const std::string_view name : names) {
    if (name == "arrival" || name.starts_with("__index_level_") || std::count(names.begin(), names.end(), name) > 1)
      return std::nullopt;
  }
  return is_format(*schema.children[found], "l") && schema.children[found]->dictionary == nullptr ? std::optional(found)
                                                                                                  : std::nullopt;
}

// Adds the rows of a chunk of the table. False if some need the slow reader.
bool add_piece(const ArrowSchema& schema, const ArrowArray& array, std::size_t time, Time latest, TermTable& terms,
               TableEvents& into) {
  const auto rows = static_cast<std::size_t>(array.length);
  if (array.null_count != 0 && array.buffers[0] != nullptr) return false;
  if (rows == 0) return true;
  const auto columns = static_cast<std::size_t>(array.n_children);
  const std::size_t width = columns - 1;
  const std::size_t before = into.times.size();
  const auto piece = [&](std::size_t column) {
    const ArrowArray& child = *array.children[column];
    return Piece{.array = child, .from = static_cast<std::size_t>(array.offset + child.offset), .rows = rows};
  };
  if (piece(time).has_gaps()) return false;
  const auto times = piece(time).numbers<std::int64_t>();
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  if (*least < -latest || *most > latest) return false;
  into.last = std::max(into.last, *most);
  into.times.insert(into.times.end(), times.begin(), times.end());
  into.words.resize((before + rows) * width);
  std::size_t place = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (column == time) continue;
    Column argument(into.words.data() + before * width + place++, width, terms);
    if (!argument.read(*schema.children[column], piece(column))) return false;
  }
  return true;
}

}  // namespace

std::optional<TableEvents> read_events(ArrowArrayStream& stream, std::size_t width, Time latest, TermTable& terms) {
  Lent<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema.given) != 0) return std::nullopt;
  const auto time = time_column(schema.given, width);
  if (!time) return std::nullopt;
  TableEvents found;
  for (;;) {
    Lent<ArrowArray> array;
    if (stream.get_next(&stream, &array.given) != 0) return std::nullopt;
    if (array.given.release == nullptr) return found;
    if (!add_piece(schema.given, array.given, *time, latest, terms, found)) return std::nullopt;
  }
}

}  // namespace holdsfor
