#include "app/lanescope/Common.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lanescope::app {

namespace {
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

/// Kinds of diagnostics that say what this machine lacks, rather than what is wrong with the input.
bool machineLacks(const Diagnostic &diagnostic) {
  constexpr std::array<std::string_view, 3> kKinds{"no-gpu", "no-ptxas", "no-nvdisasm"};
  return std::ranges::find(kKinds, diagnostic.kind) != kKinds.end();
}
} // namespace

Result<SourceRef> readSource(const std::string &path) {
  // A place at the file's start: every message of a command names the file that it is about.
  auto place = Span{Source::make(path, ""), 0, 0};
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    return error("unreadable-file", place, "this is a folder; a file is expected");
  auto size = std::filesystem::file_size(path, problem);
  if (problem)
    return error("unreadable-file", place, text("the file can't be read: ", problem.message()));
  if (size > kLargestFile)
    return error("unreadable-file", place, "the file is larger than 1 GiB");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file)
    return error("unreadable-file", place, text("the file can't be read: ", std::strerror(errno)));
  return Source::make(path, std::move(content).str());
}

Result<void> writeFile(const std::string &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file)
    return error("unwritable-file", text("`", path, "` can't be written: ", std::strerror(errno)));
  return {};
}

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
