// The driver's messages: it prints each finding once on standard error, and writes a line for each launch and finding
// to a file, in which `lanescope cuda` counts them.
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
  /// Findings of one launch. Those that were told before are counted again, not told.
  void tell(const Diagnostics &findings);
  /// A message about what the driver cannot do: "lanescope cuda: …", once.
  void complain(const std::string &message);
  /// The same of a kernel, or of all of them, that did not run: the command does not end well then.
  void couldNotRun(const std::string &message);

private:
  void write(std::string line) const;
  std::string path_;
  bool colour_;
  std::unordered_set<std::string> told_;
};

/// The lines that all programs of one run have written there, counted.
struct JournalCounts {
  uint64_t launches = 0, kernels = 0, faults = 0, hazards = 0, notes = 0;
  uint64_t notRun = 0; // reasons why kernels did not run
};
JournalCounts countJournal(const std::string &path);

} // namespace lanescope::core::driver
