#include "app/lanescope/Common.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lanescope::app {

namespace {
/// True if the diagnostic says what this machine lacks, rather than what is wrong with the input.
bool machineLacks(const Diagnostic &diagnostic) {
  constexpr std::array<std::string_view, 4> kKinds{"no-gpu", "no-ptxas", "no-nvdisasm", "no-python"};
  return std::ranges::find(kKinds, diagnostic.kind) != kKinds.end();
}
} // namespace

void say(std::string_view report) {
  std::string words = colourOutput() ? visibleWithColours(report) : visible(report);
  progressLine().clear(words);
  std::fwrite(words.data(), 1, words.size(), stdout);
}

void put(std::string_view content) {
  if (isatty(STDOUT_FILENO))
    return say(content);
  progressLine().clear(content);
  std::fwrite(content.data(), 1, content.size(), stdout);
}

void complain(std::string_view message) {
  std::fflush(stdout);
  progressLine().clear(message);
  std::string words = isatty(STDERR_FILENO) ? visibleWithColours(message) : visible(message);
  std::fwrite(words.data(), 1, words.size(), stderr);
}

int report(const Diagnostics &diagnostics) {
  complain(render(diagnostics, isatty(STDERR_FILENO)));
  if (!hasErrors(diagnostics))
    return kDone;
  return std::ranges::any_of(diagnostics, machineLacks) ? kMachineLacks : kInputAtFault;
}

bool programWordsFit(std::string_view command, const std::string &file, const std::string &python,
                     const std::vector<std::string> &programArguments) {
  if ((python.empty() && programArguments.empty()) || file.ends_with(".py"))
    return true;
  complain(text("lanescope ", command, ": `--python` and arguments after `--` are for Python programs (.py), and `",
                shownName(file), "` is none\n"));
  return false;
}

repl::ProgressLine &progressLine() {
  const char *kind = std::getenv("TERM");
  static repl::ProgressLine line(isatty(STDERR_FILENO) && std::string_view(kind ? kind : "") != "dumb");
  return line;
}

bool colourOutput() { return isatty(STDOUT_FILENO); }

int outputWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 100;
}

} // namespace lanescope::app
