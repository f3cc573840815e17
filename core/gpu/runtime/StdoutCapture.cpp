#include "core/gpu/runtime/StdoutCapture.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::core {

namespace {
constexpr int64_t kMostPrinted = int64_t{1} << 20;
}

StdoutCapture::StdoutCapture() {
  std::fflush(stdout);
  file_ = ::memfd_create("lanescope-printed", MFD_CLOEXEC);
  if (file_ < 0)
    return;
  ::fcntl(file_, F_SETFL, O_APPEND); // so that after truncation the next print goes to the beginning
  real_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (real_ >= 0)
    ::dup2(file_, STDOUT_FILENO);
}

StdoutCapture::~StdoutCapture() {
  std::fflush(stdout);
  if (real_ >= 0) {
    ::dup2(real_, STDOUT_FILENO);
    ::close(real_);
  }
  if (file_ >= 0)
    ::close(file_);
}

std::string StdoutCapture::take() {
  std::fflush(stdout);
  struct stat status;
  if (file_ < 0 || ::fstat(file_, &status) != 0)
    return "";
  std::string out(static_cast<size_t>(std::min<int64_t>(status.st_size, kMostPrinted)), '\0');
  ssize_t got = ::pread(file_, out.data(), out.size(), 0);
  out.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (status.st_size > kMostPrinted)
    out += text("\n… (", status.st_size - kMostPrinted, " more bytes were printed)\n");
  if (::ftruncate(file_, 0) != 0)
    out += "\n(the printed text could not be cleared and may come again)\n";
  return out;
}

} // namespace lanescope::core
