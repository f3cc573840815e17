#include "core/gpu/emulator/replay/RaceCause.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

namespace lanescope::core::emulator {

Result<void> nameCause(RunResult &result, const RepeatedRun &runs, const LateSuspects &suspects) {
  constexpr auto kKinds = std::to_array<std::string_view>({"race", "copy-not-awaited", "overwritten-in-flight"});
  auto fault = std::ranges::find_if(result.diagnostics, [&](const Diagnostic &finding) {
    return finding.severity == Severity::Error && std::ranges::find(kKinds, finding.kind) != kKinds.end();
  });
  if (fault == result.diagnostics.end() || !suspects.mayHaveCause)
    return {};
  std::optional<Diagnostic> cause = suspects.cause;
  if (!cause && !runs.options.keepGoing) {
    RepeatedRun::Suspected suspected;
    std::atomic<bool> found{false};
    LANESCOPE_TRY(runs.again(
        [&](RecordedGrid &grid) {
          grid.keepGoing = true;
          grid.causeFound = &found;
        },
        nullptr, {}, &suspected));
    cause = std::move(suspected.late.cause);
  }
  if (!cause)
    return {};
  cause->notes.push_back({fault->span, text("this leads to a fault here: ", std::string(fault->message))});
  fault->notes.pop_back(); // the advice for the race, which is another one for its cause
  std::ranges::move(fault->notes, std::back_inserter(cause->notes));
  *fault = *std::move(cause);
  return {};
}

} // namespace lanescope::core::emulator
