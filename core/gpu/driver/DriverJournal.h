// Reports the driver's findings: prints each one once on standard error, and writes a line for each launch and finding
// to a file. `lanescope cuda` counts the lines of this file.
#pragma once

#include "core/gpu/driver/Settings.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>
#include <unordered_set>

namespace lanescope::core::driver {

class Journal {
public:
  explicit Journal(const Settings &settings) : path_(settings.journal), colour_(settings.colour) {}
  void launched(std::string_view kernel);
  /// Reports the findings of one launch. Findings that were reported before are only counted.
  void tell(const Diagnostics &findings);
  /// Prints a message about something that the driver cannot do, "lanescope cuda: …", once.
  void complain(const std::string &message);
  /// Prints a message once about a kernel, or all kernels, that did not run. The command then ends with an error.
  void couldNotRun(const std::string &message);

private:
  void write(std::string line) const;
  std::string path_;
  bool colour_;
  std::unordered_set<std::string> told_;
};

/// Counts of the lines that all programs of one run have written to the file.
struct JournalCounts {
  uint64_t launches = 0, kernels = 0, faults = 0, hazards = 0, notes = 0;
  uint64_t notRun = 0; // number of reasons why kernels did not run
};
JournalCounts countJournal(const std::string &path);

} // namespace lanescope::core::driver
