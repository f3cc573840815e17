#include "core/gpu/record/ListPackages.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> strings(const Json &json, const char *name) {
  std::vector<std::string> out;
  if (const Json *list = json.find(name))
    for (const Json &each : list->items)
      out.push_back(each.string);
  return out;
}

std::string fileName(std::string_view path) { return fs::path(path).filename().string(); }

/// "train.py:12 step" from `File "/home/me/train.py", line 12 in step`; empty for a function of a library.
std::string pythonPlace(std::string_view frame) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = " in ";
  size_t line = frame.find(kLine), in = line == frame.npos ? frame.npos : frame.find(kIn, line);
  if (!frame.starts_with(kFile) || in == frame.npos)
    return {};
  std::string_view path = frame.substr(kFile.size(), line - kFile.size());
  if (path.starts_with('<') || path.contains("-packages/") || path.contains("/lib/python"))
    return {};
  line += kLine.size();
  return text(fileName(path), ":", frame.substr(line, in - line), " ", frame.substr(in + kIn.size()));
}

/// "main+12 (program)" or "program+4711"; empty for a function of a shared library.
std::string nativePlace(std::string_view frame) {
  size_t open = frame.rfind(" (");
  std::string_view object =
      open == frame.npos ? frame.substr(0, frame.rfind('+')) : frame.substr(open + 2, frame.size() - open - 3);
  std::string name = fileName(object);
  if (name.starts_with("lib") || name.contains(".so"))
    return {};
  return open == frame.npos ? text(name, frame.substr(std::min(frame.rfind('+'), frame.size())))
                            : text(frame.substr(0, open), " (", name, ")");
}

template <typename Place> std::string firstPlace(const std::vector<std::string> &frames, const Place &place) {
  for (const std::string &each : frames)
    if (std::string found = place(each); !found.empty())
      return found;
  return {};
}

} // namespace

Result<PackageRow> packageRow(const fs::path &folder) {
  SourceRef source = LANESCOPE_TRY(readSource(folder / "recorded.json", FileRole::Json));
  Json json = LANESCOPE_TRY(parseJson(source));
  Launch launch = LANESCOPE_TRY(parseLaunch(LANESCOPE_TRY(readSource(folder / "launch.json", FileRole::Json))));
  PackageRow row;
  row.package = (folder / "").parent_path().filename().string(); // also if the path ends with a slash
  row.grid = joined(launch.grid, ",");
  row.block = joined(launch.block, ",");
  if (const Json *state = json.find("state"))
    row.state = state->string;
  if (const Json *number = json.find("launch"))
    row.launch = static_cast<uint64_t>(number->integer);
  if (const Json *registers = json.find("registers"))
    row.registers = static_cast<int>(registers->integer);
  if (const Json *time = json.find("time_us"))
    row.timeUs = time->is(Json::Kind::Integer) ? static_cast<double>(time->integer) : time->number;
  if (const Json *buffers = json.find("buffers"))
    for (const Json &each : buffers->items)
      if (const Json *bytes = each.find("bytes"))
        row.bytes += static_cast<uint64_t>(bytes->integer);
  std::vector<std::string> python = strings(json, "python"), native = strings(json, "stack");
  row.place = firstPlace(python, pythonPlace);
  if (row.place.empty())
    row.place = firstPlace(native, nativePlace);
  row.stack = std::move(python);
  row.stack.insert(row.stack.end(), native.begin(), native.end());
  return row;
}

std::string packageTable(std::span<const PackageRow> rows, bool stacks) {
  constexpr size_t kColumns = 9;
  using Cells = std::array<std::string, kColumns>;
  constexpr std::array<bool, kColumns> kNumbers = {true, false, false, true, true, true};
  std::vector<Cells> cells{{"launch", "grid", "block", "registers", "us", "bytes", "state", "from", "package"}};
  for (const PackageRow &row : rows)
    cells.push_back({text(row.launch), row.grid, row.block, row.registers ? text(row.registers) : "",
                     row.timeUs > 0 ? text(std::llround(row.timeUs)) : "", text(row.bytes), visibleLine(row.state),
                     visibleLine(row.place), shownName(row.package)});
  std::array<size_t, kColumns> widths{};
  for (const Cells &line : cells)
    for (size_t n = 0; n < kColumns; ++n)
      widths[n] = std::max(widths[n], line[n].size());
  std::string out;
  for (size_t at = 0; at < cells.size(); ++at) {
    std::string line;
    for (size_t n = 0; n < kColumns; ++n) {
      std::string blanks(widths[n] - cells[at][n].size(), ' ');
      line += text(n ? "  " : "", kNumbers[n] ? blanks : "", cells[at][n], kNumbers[n] ? "" : blanks);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    for (size_t n = 0; stacks && at > 0 && n < rows[at - 1].stack.size(); ++n)
      out += text("    ", visibleLine(rows[at - 1].stack[n]), "\n");
  }
  return out;
}

} // namespace lanescope::core::record
