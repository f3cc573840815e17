#include "core/data/StandardOutput.h"

#include "layouts/support/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace lanescope::core {

void keepStandardFiles() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) // open() takes the lowest free number, which is this one
      (void)::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

Result<void> finishStandardOutput() {
  errno = 0;
  bool failed = std::fflush(stdout) != 0; // std::cout has no buffer of its own
  int problem = errno;
  if (!failed && !std::ferror(stdout))
    return {};
  return error("unwritable-file", Message("cannot write all of it to standard output{}",
                                          problem != 0 ? text(": ", std::strerror(problem)) : std::string()));
}

} // namespace lanescope::core
