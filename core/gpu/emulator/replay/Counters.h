// Words that atomics update and a racing load reads, such as the count of a queue: threads look whether anything is
// left before they take a number. A thread that looks late takes a number more, so the last value of the count is no
// result of the kernel. The values that the kernel computes from the count are results.
//
//   L: ld.volatile r, [count]; @r>=32 bra end; atom.add n, [count], 1; …     // ends with 32, 33, …
//
//   Counters counters;
//   counters.add(grid, address, 4);          // while the replay runs
//   counters.hide(first, replayed);          // before the results are compared
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/machine/Grid.h"
#include "core/RunResult.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// By pc: true for an atomic that takes a number, which is an integer `atom.add`, `.inc` or `.dec` of global memory
/// whose result is used.
std::vector<bool> atomicsThatTakeNumbers(const Program &program);

class Counters {
public:
  /// Adds the bytes at a global address. Bytes outside of the launch's arrays are no result anyway. With several
  /// devices, nothing is hidden.
  void add(const Grid &grid, uint64_t address, uint32_t bytes);
  void remove(const Grid &grid, uint64_t address, uint32_t bytes);
  void clear() { places_.clear(); }
  /// Replaces these bytes in the outputs of `other` by those of `first`.
  void hide(const RunResult &first, RunResult &other) const;

private:
  std::set<std::pair<size_t, uint64_t>> places_; // the array's number in the launch, and the byte in it
};

} // namespace lanescope::core::emulator
