#include "repl/session/Table.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "viz/scene/Page.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

constexpr int64_t kMinLastColumn = 20;
// In a table that is too wide, a text column before the last gets at most 1/kMaxShare of the width.
constexpr int64_t kMaxShare = 3;

struct Column {
  std::string name;
  std::vector<std::string> cells = {};
  bool numbers = true;
  int64_t width = 0;
};

struct Columns {
  std::vector<Column> columns;
  size_t rows = 0; // number of the value's rows; the columns have at most maxRows of them
};

void addCell(Column &column, const Value &value) {
  std::string cell = visibleLine(str(value));
  column.numbers = column.numbers && (value.number() || value.isNone());
  column.width = std::max(column.width, columnCount(cell));
  column.cells.push_back(std::move(cell));
}

std::optional<Columns> columnsOf(const DictData &dict, size_t maxRows) {
  Columns out;
  for (const DictData::Item &item : dict.items()) {
    const ListData *list = item.value.asList();
    if (!item.key.asStr() || !list || (!out.columns.empty() && list->items.size() != out.rows))
      return std::nullopt;
    out.rows = list->items.size();
    Column column{.name = visibleLine(*item.key.asStr())};
    for (size_t i = 0; i < std::min(out.rows, maxRows); ++i)
      addCell(column, list->items[i]);
    out.columns.push_back(std::move(column));
  }
  if (out.columns.empty())
    return std::nullopt;
  return out;
}

std::optional<Columns> columnsOf(const std::vector<Value> &rows, size_t maxRows) {
  const DictData *first = rows.empty() ? nullptr : rows[0].asDict();
  if (!first || first->size() == 0)
    return std::nullopt;
  Columns out{.columns = {}, .rows = rows.size()};
  for (const DictData::Item &item : first->items()) {
    if (!item.key.asStr())
      return std::nullopt;
    Column column{.name = visibleLine(*item.key.asStr())};
    for (size_t i = 0; i < rows.size(); ++i) {
      const DictData *row = rows[i].asDict();
      const Value *cell = row && row->size() == first->size() ? row->find(item.key) : nullptr;
      if (!cell)
        return std::nullopt;
      if (i < maxRows)
        addCell(column, *cell);
    }
    out.columns.push_back(std::move(column));
  }
  return out;
}

Aligned alignmentOf(const Column &column) { return column.numbers ? Aligned::Right : Aligned::Left; }

/// The words in lines of at most `width` columns.
std::vector<std::string> wrapped(std::string_view words, int64_t width) {
  std::vector<std::string> lines(1);
  while (!words.empty()) {
    size_t end = words.find(' ');
    std::string_view word = words.substr(0, end);
    words.remove_prefix(end == words.npos ? words.size() : end + 1);
    if (!lines.back().empty() && columnCount(lines.back()) + 1 + columnCount(word) > width)
      lines.emplace_back();
    (lines.back() += lines.back().empty() ? "" : " ") += word;
  }
  return lines;
}

void addLine(std::string &out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  (out += line) += '\n';
}

} // namespace

std::optional<std::string> tableText(const Value &value, const TableOptions &options) {
  std::optional<Columns> table;
  if (const DictData *dict = value.asDict())
    table = columnsOf(*dict, options.maxRows);
  else if (const ListData *list = value.asList())
    table = columnsOf(list->items, options.maxRows);
  if (!table)
    return std::nullopt;

  int64_t whole = 0;
  for (Column &column : table->columns) {
    column.numbers = column.numbers && !column.cells.empty();
    column.width = std::max(column.width, columnCount(column.name));
    whole += column.width + 2;
  }
  if (whole > options.width)
    for (Column &column : table->columns)
      if (!column.numbers && &column != &table->columns.back())
        column.width = std::max(std::min(column.width, options.width / kMaxShare), columnCount(column.name));

  std::string header;
  int64_t before = 0; // offset where the last column starts
  for (Column &column : table->columns) {
    before = columnCount(header);
    header += padded(column.name, column.width, alignmentOf(column)) + "  ";
  }
  header.erase(header.find_last_not_of(' ') + 1);
  std::string out;
  addLine(out, options.bold ? text("\x1b[1m", header, "\x1b[0m") : header);
  int64_t room = std::max(options.width - before, kMinLastColumn);
  for (size_t row = 0; row < std::min(table->rows, options.maxRows); ++row) {
    std::string line;
    int64_t end = 0; // offset where the next column starts
    for (const Column &column : table->columns) {
      if (&column != &table->columns.back() || column.width <= room) {
        line += padded(column.cells[row], column.width, alignmentOf(column)) + "  ";
        end += column.width + 2;
        // A cell that is too long for its column extends to the end of the line, and the next column starts on a new
        // line.
        if (&column != &table->columns.back() && columnCount(line) > end) {
          addLine(out, std::move(line));
          line = std::string(static_cast<size_t>(end), ' ');
        }
        continue;
      }
      bool first = true;
      for (const std::string &part : wrapped(column.cells[row], room)) {
        if (!first) {
          addLine(out, std::move(line));
          line = std::string(static_cast<size_t>(before), ' ');
        }
        line += part;
        first = false;
      }
    }
    addLine(out, std::move(line));
  }
  if (table->rows == 0)
    addLine(out, "(no rows)");
  if (table->rows > options.maxRows)
    addLine(out, text("(", table->rows - options.maxRows, " more rows)"));
  return out;
}

} // namespace lanescope::repl
