// Handles allocations that fail. The project has no exceptions, so `std::bad_alloc` would abort the process.
//
//   int main() { installMemoryReserve(); … }                 // once, at a program's start
//
//   StopWithoutMemory stop(interrupted);                     // around an entry, a run, a request
//   Result<void> done = work(interrupted);                   // polls the flag, as it does for Ctrl-C
//   if (!done && stop.happened()) return stop.error();
//
// The first allocation that fails frees a block that was held in reserve, so that work can continue for a short while,
// and raises the flags of all running work. The work then stops in order, with the error of Ctrl-C, and frees its
// memory. If no code polls a flag, or the reserve does not suffice, the process writes an error and ends with exit
// status 1. It does the same if the standard library throws because a container cannot be that long or the system has
// no thread left.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lanescope::core {

/// Bytes held in reserve: enough for the allocations between two polls.
inline constexpr size_t kReserveBytes = size_t{64} << 20;

/// From now on, handles failed allocations as described above. `program` is the name in the message, and its text must
/// stay valid.
void installMemoryReserve(const char *program);

/// While the object lives, an allocation that fails raises `flag`. Objects may nest; then both flags are raised.
class StopWithoutMemory {
public:
  explicit StopWithoutMemory(std::atomic<bool> &flag);
  /// The destructor of the last object allocates the reserve again.
  ~StopWithoutMemory();
  StopWithoutMemory(const StopWithoutMemory &) = delete;
  StopWithoutMemory &operator=(const StopWithoutMemory &) = delete;

  /// True if an allocation has failed since this object was made.
  bool happened() const;
  /// Error "out-of-memory", for work that a failed allocation stopped.
  [[nodiscard]] static std::unexpected<Diagnostics> error();

private:
  std::atomic<bool> *flag_;
  uint32_t begun_;
};

/// Writes "PROGRAM: error: out of memory …" and ends the process with exit status 1. For libraries that report a failed
/// allocation to a callback.
[[noreturn]] void endWithoutMemory();

} // namespace lanescope::core
