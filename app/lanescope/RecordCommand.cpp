#include "app/lanescope/Common.h"
#include "app/lanescope/EmulatePackages.h"
#include "core/gpu/record/CompareRecorded.h"
#include "core/gpu/record/ListPackages.h"
#include "core/gpu/record/RecordProgram.h"
#include "layouts/support/Text.h"

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

int runList(const ListArguments &arguments) {
  std::vector<std::filesystem::path> packages = core::record::isRecorded(arguments.folder)
                                                    ? std::vector<std::filesystem::path>{arguments.folder}
                                                    : recordedIn(arguments.folder);
  if (packages.empty()) {
    complain(text("error: no package of `lanescope record` is in `", arguments.folder, "`\n"));
    return kInputAtFault;
  }
  std::vector<core::record::PackageRow> rows;
  int status = kDone;
  for (const std::filesystem::path &package : packages) {
    if (auto row = core::record::packageRow(package))
      rows.push_back(*std::move(row));
    else
      status = lanescope::app::report(row.error());
  }
  put(core::record::packageTable(rows, arguments.stacks));
  return status;
}

} // namespace lanescope::app
