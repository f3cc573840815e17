#include "repl/layouts/CostObjects.h"
#include "layouts/support/TerminalWidth.h"
#include "repl/lang/values/ValueJson.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

constexpr size_t kMaxRows = 16; // limit for the rows of a table within a record

/// The columns of a dict of lists that have one length; nothing for other values.
std::vector<std::pair<std::string, const std::vector<Value> *>> columnsOf(const Value &value) {
  std::vector<std::pair<std::string, const std::vector<Value> *>> out;
  const DictData *dict = value.asDict();
  if (!dict)
    return {};
  for (const DictData::Item &item : dict->items()) {
    const ListData *list = item.value.asList();
    if (!list || !item.key.asStr() || (!out.empty() && out.front().second->size() != list->items.size()))
      return {};
    out.emplace_back(*item.key.asStr(), &list->items);
  }
  return out;
}

/// Rows of cells in aligned columns, with each line indented.
std::string aligned(const std::vector<std::vector<std::string>> &rows, std::string_view indent) {
  std::vector<int64_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columnCount(row[i]));
  std::string out;
  for (const auto &row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i)
      line += padded(row[i], widths[i]) + (i + 1 < row.size() ? "  " : "");
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string tableOf(const std::vector<std::pair<std::string, const std::vector<Value> *>> &columns) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto &[name, values] : columns)
    rows[0].push_back(name);
  size_t count = columns.front().second->size(), row = 0;
  while (row < count && rows.size() <= kMaxRows) {
    size_t last = row; // last of those rows that differ only in the first column
    auto same = [&](size_t other) {
      return std::all_of(columns.begin() + 1, columns.end(),
                         [&](const auto &column) { return equal((*column.second)[row], (*column.second)[other]); });
    };
    bool numbered = columns.front().second->at(row).asInt() != nullptr; // only numbers are written as a range
    while (numbered && columns.size() > 1 && last + 1 < count && same(last + 1))
      ++last;
    std::vector<std::string> cells;
    for (const auto &[name, values] : columns)
      cells.push_back(str((*values)[row]));
    if (last > row)
      cells[0] += "-" + str((*columns.front().second)[last]);
    rows.push_back(std::move(cells));
    row = last + 1;
  }
  std::string out = aligned(rows, "  ");
  if (row < count)
    out += text("  … ", count - row, " more\n");
  return out;
}

std::string cellOf(const Value &value) {
  const DictData *dict = value.asDict();
  if (!dict)
    return str(value);
  std::string out;
  for (const DictData::Item &item : dict->items())
    out += text(out.empty() ? "" : ", ", str(item.key), " ", str(item.value));
  return out;
}

} // namespace

const Value *RecordObject::find(std::string_view name) const {
  for (const auto &[field, value] : fields_)
    if (field == name)
      return &value;
  return nullptr;
}

std::string RecordObject::repr() const {
  std::vector<std::vector<std::string>> rows;
  std::string tables;
  for (const auto &[name, value] : fields_) {
    if (value.isNone() || std::find(unprinted_.begin(), unprinted_.end(), name) != unprinted_.end())
      continue;
    auto columns = columnsOf(value);
    if (columns.empty())
      rows.push_back({name, cellOf(value)});
    else if (!columns.front().second->empty())
      tables += text(name, ":\n", tableOf(columns));
  }
  std::string out = (rows.empty() ? "" : aligned(rows, "")) + tables;
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

Result<Value> RecordObject::attribute(Context &context, const std::string &name) {
  const Value *field = find(name);
  return field ? Result<Value>(*field) : Object::attribute(context, name);
}

std::vector<std::string> RecordObject::members() const {
  std::vector<std::string> out;
  for (const auto &field : fields_)
    out.push_back(field.first);
  std::sort(out.begin(), out.end());
  return out;
}

Result<Value> RecordObject::getItem(Context &, const Arg &index) {
  const std::string *name = index.value.asStr();
  const Value *field = name ? find(*name) : nullptr;
  if (field)
    return *field;
  return error("key", index.span,
               Message("no field {}; there are: {}", repl::repr(index.value), joined(members(), ", ")));
}

Result<int64_t> RecordObject::length(Context &) { return static_cast<int64_t>(fields_.size()); }

Result<std::vector<Value>> RecordObject::iterate(Context &) {
  std::vector<Value> out;
  for (const auto &field : fields_)
    out.emplace_back(field.first);
  return out;
}

std::optional<std::string> RecordObject::json() const {
  auto written = toJson(Value::dict(fields_));
  return written ? std::optional(*written) : std::nullopt;
}

} // namespace lanescope::repl
