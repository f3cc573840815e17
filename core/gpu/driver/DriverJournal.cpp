#include "core/gpu/driver/DriverJournal.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace lanescope::core::driver {

void Journal::write(std::string line) const {
  if (path_.empty())
    return;
  // A single write at the end of the file, so that lines of several processes do not mix.
  int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0)
    return;
  line += '\n';
  (void)!::write(file, line.data(), line.size());
  ::close(file);
}

void Journal::launched(std::string_view kernel) { write(text("launch ", visibleLine(kernel))); }

void Journal::tell(const Diagnostics &findings) {
  for (const Diagnostic &finding : findings) {
    std::string shown = render(finding, colour_);
    if (!told_.insert(shown).second)
      continue;
    write(finding.severity == Severity::Error ? "fault" : finding.severity == Severity::Warning ? "hazard" : "note");
    std::string safe = colour_ ? visibleWithColours(shown) : visible(shown);
    std::fflush(stdout); // so that the program's earlier output comes first
    std::fwrite(safe.data(), 1, safe.size(), stderr);
  }
}

void Journal::complain(const std::string &message) {
  if (!told_.insert(message).second)
    return;
  std::string line = text("lanescope cuda: ", visibleLine(message), "\n");
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Journal::couldNotRun(const std::string &message) {
  if (!told_.contains(message))
    write("not run");
  complain(message);
}

JournalCounts countJournal(const std::string &path) {
  JournalCounts counts;
  std::unordered_set<std::string> kernels;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string_view word(line);
    if (word.starts_with("launch ")) {
      ++counts.launches;
      kernels.emplace(word.substr(7));
    }
    counts.faults += word == "fault";
    counts.hazards += word == "hazard";
    counts.notes += word == "note";
    counts.notRun += word == "not run";
  }
  counts.kernels = kernels.size();
  return counts;
}

} // namespace lanescope::core::driver
