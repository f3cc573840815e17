#include "core/gpu/record/ListPackages.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/record/ProgramStack.h"
#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::core::record {

Result<PackageRow> packageRow(const std::filesystem::path &folder) {
  SourceRef source = LANESCOPE_TRY(readSource(folder / "recorded.json", FileRole::Json));
  Json json = LANESCOPE_TRY(parseJson(source));
  Launch launch = LANESCOPE_TRY(parseLaunch(LANESCOPE_TRY(readSource(folder / "launch.json", FileRole::Json))));
  PackageRow row;
  row.package = (folder / "").parent_path().filename().string(); // also if the path ends with a slash
  row.grid = joined(launch.grid, ",");
  row.block = joined(launch.block, ",");
  if (const Json *state = json.find("state"))
    row.state = state->string;
  if (const Json *registers = json.find("registers"))
    row.registers = static_cast<int>(registers->integer);
  if (const Json *time = json.find("time_us"))
    row.timeUs = time->is(Json::Kind::Integer) ? static_cast<double>(time->integer) : time->number;
  if (const Json *buffers = json.find("buffers"))
    for (const Json &each : buffers->items)
      if (const Json *bytes = each.find("bytes"))
        row.bytes += static_cast<uint64_t>(bytes->integer);
  ProgramStack stack = LANESCOPE_TRY(programStack(folder));
  row.launch = stack.launch;
  row.place = stack.place();
  for (ProgramFrame &frame : stack.frames)
    row.stack.push_back(std::move(frame.words));
  return row;
}

std::string packageTable(std::span<const PackageRow> rows, bool stacks) {
  constexpr size_t kColumns = 9;
  using Cells = std::array<std::string, kColumns>;
  constexpr auto kText = Aligned::Left, kNumber = Aligned::Right;
  constexpr std::array<Aligned, kColumns> kAligned = {kNumber, kText, kText, kNumber, kNumber,
                                                      kNumber, kText, kText, kText};
  std::vector<Cells> cells{{"launch", "grid", "block", "registers", "us", "bytes", "state", "from", "package"}};
  for (const PackageRow &row : rows)
    cells.push_back({text(row.launch), row.grid, row.block, row.registers ? text(row.registers) : "",
                     row.timeUs > 0 ? text(std::llround(row.timeUs)) : "", text(row.bytes), visibleLine(row.state),
                     visibleLine(row.place), shownName(row.package)});
  std::array<int64_t, kColumns> widths{};
  for (const Cells &line : cells)
    for (size_t n = 0; n < kColumns; ++n)
      widths[n] = std::max(widths[n], columnCount(line[n]));
  std::string out;
  for (size_t at = 0; at < cells.size(); ++at) {
    std::string line;
    for (size_t n = 0; n < kColumns; ++n) {
      line += text(n ? "  " : "", padded(cells[at][n], widths[n], kAligned[n]));
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    for (size_t n = 0; stacks && at > 0 && n < rows[at - 1].stack.size(); ++n)
      out += text("    ", visibleLine(rows[at - 1].stack[n]), "\n");
  }
  return out;
}

} // namespace lanescope::core::record
