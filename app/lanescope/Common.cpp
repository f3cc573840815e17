#include "app/lanescope/Common.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lanescope::app {

namespace {
/// Kinds of diagnostics that say what this machine lacks, rather than what is wrong with the input.
bool machineLacks(const Diagnostic &diagnostic) {
  constexpr std::array<std::string_view, 3> kKinds{"no-gpu", "no-ptxas", "no-nvdisasm"};
  return std::ranges::find(kKinds, diagnostic.kind) != kKinds.end();
}
} // namespace

int report(const Diagnostics &diagnostics) {
  std::cout.flush();
  std::cerr << render(diagnostics, isatty(STDERR_FILENO));
  if (!hasErrors(diagnostics))
    return kDone;
  return std::ranges::any_of(diagnostics, machineLacks) ? kMachineLacks : kInputAtFault;
}

bool colourOutput() { return isatty(STDOUT_FILENO); }

int outputWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 100;
}

} // namespace lanescope::app
