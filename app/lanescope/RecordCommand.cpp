#include "app/lanescope/Common.h"

#include "core/gpu/record/RecordProgram.h"

namespace lanescope::app {

int runRecord(const RecordArguments &arguments) {
  auto report = core::record::recordProgram({arguments.settings, arguments.touched, arguments.program});
  if (!report) {
    lanescope::app::report(report.error());
    return report.error().front().kind == core::record::kUsageKind ? kUsage : kMachineLacks;
  }
  put(report->table);
  complain(report->words);
  return report->status;
}

} // namespace lanescope::app
