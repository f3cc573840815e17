// Takes standard output away from everything in this process (the CUDA driver prints for kernels there) and hands out
// the real one as a descriptor of its own.
#pragma once

#include <string>

namespace lanescope::core {

class StdoutCapture {
public:
  StdoutCapture();
  ~StdoutCapture(); // puts it back
  StdoutCapture(const StdoutCapture &) = delete;
  StdoutCapture &operator=(const StdoutCapture &) = delete;
  /// The real standard output; −1 if it could not be taken.
  int real() const { return real_; }
  /// What was printed since the last call; at most 1 MiB of it, and a line that says so.
  std::string take();

private:
  int real_ = -1, file_ = -1;
};

} // namespace lanescope::core
