// Redirects this process's standard output to a file, because the CUDA driver prints kernels' text there. The real
// standard output stays available as a separate descriptor.
#pragma once

#include <string>

namespace lanescope::core {

class StdoutCapture {
public:
  StdoutCapture();
  ~StdoutCapture(); // restores the real standard output
  StdoutCapture(const StdoutCapture &) = delete;
  StdoutCapture &operator=(const StdoutCapture &) = delete;
  /// The real standard output; −1 if the redirection failed.
  int real() const { return real_; }
  /// The text printed since the last call: at most 1 MiB, and a line if there was more.
  std::string take();

private:
  int real_ = -1, file_ = -1;
};

} // namespace lanescope::core
