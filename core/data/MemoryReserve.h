// Handles allocations that fail. The project has no exceptions, so `std::bad_alloc` would abort the process.
//
//   int main() { installMemoryReserve(); … }                 // once, at a program's start
//
//   StopWithoutMemory stop(interrupted);                     // around an entry, a run, a request
//   Result<void> done = work(interrupted);                   // polls the flag, as it does for Ctrl-C
//   if (!done && stop.happened()) return stop.error();
//
// The first allocation that fails gets a block back that was held in reserve, so that work goes on for a short while,
// and raises the flags of all that runs. These stop with the error that Ctrl-C gives, in order, and free what they
// hold. Where nothing polls, or the reserve does not last, the process writes an error and ends with exit status 1; so
// it does where the standard library throws because a container cannot be that long, or the system has no thread left.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lanescope::core {

/// Bytes held in reserve: enough for what is made between two polls.
inline constexpr size_t kReserveBytes = size_t{64} << 20;

/// From now on an allocation that fails is handled as described above. `program` is for the message, and has to live
/// on.
void installMemoryReserve(const char *program);

/// While it lives, an allocation that fails raises `flag`. One may stand around another: both flags are raised.
class StopWithoutMemory {
public:
  explicit StopWithoutMemory(std::atomic<bool> &flag);
  /// When the last one goes, the reserve is set aside again.
  ~StopWithoutMemory();
  StopWithoutMemory(const StopWithoutMemory &) = delete;
  StopWithoutMemory &operator=(const StopWithoutMemory &) = delete;

  /// Whether an allocation has failed since this began.
  bool happened() const;
  /// Error "out-of-memory", for what stopped because of it.
  [[nodiscard]] static std::unexpected<Diagnostics> error();

private:
  std::atomic<bool> *flag_;
  uint32_t begun_;
};

/// Writes "PROGRAM: error: out of memory …" and ends the process with exit status 1: for libraries that report a failed
/// allocation to a function of ours.
[[noreturn]] void endWithoutMemory();

} // namespace lanescope::core
