#include "core/gpu/emulator/replay/HiddenByZeros.h"

#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

namespace {

bool isZero(const Array &array) {
  return std::ranges::all_of(array.bytes, [](auto byte) { return byte == decltype(byte){}; });
}

/// The name of a buffer in messages.
std::string nameOf(const BufferSpec &buffer, size_t number) {
  return buffer.name.empty() ? text("buffer ", number) : text("`", buffer.name, "`");
}

} // namespace

Result<void> noteHiddenByZeros(RunResult &result, const RepeatedRun &runs) {
  if (runs.options.seed != 0 || hasErrors(result.diagnostics))
    return {};
  std::vector<Array> arrays(runs.arrays.begin(), runs.arrays.end());
  std::vector<std::string> zeros;
  const std::vector<const BufferSpec *> buffers = runs.launch.buffers();
  for (size_t n = 0; n < std::min(buffers.size(), arrays.size()); ++n)
    if (buffers[n]->out.empty() && !arrays[n].bytes.empty() && isZero(arrays[n])) {
      arrays[n] = sampleArray(*buffers[n], static_cast<uint32_t>(n));
      zeros.push_back(nameOf(*buffers[n], n));
    }
  if (zeros.empty())
    return {};
  const RepeatedRun other{runs.program, runs.launch, arrays, runs.options, runs.grid};
  RunResult run = LANESCOPE_TRY(other.again([](RecordedGrid &) {}));
  runs.instructions += other.instructions;
  for (Diagnostic &finding : run.diagnostics) {
    if (finding.kind != "race")
      continue;
    finding.kind = "equal-write";
    finding.severity = Severity::Note;
    finding.message += text("; no race is shown, because the bytes are the same while ", joined(zeros, " and "),
                            zeros.size() == 1 ? " holds only zeros" : " hold only zeros");
    finding.notes.push_back({finding.span, "found with other numbers there: give the arrays data, or check with "
                                           "`--strict-rule equal-write`"});
    result.diagnostics.push_back(std::move(finding));
  }
  return {};
}

} // namespace lanescope::core::emulator
