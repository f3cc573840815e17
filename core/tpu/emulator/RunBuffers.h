// Creates the buffers of a run, finds them on other cores, and frees them.
#pragma once

#include "core/tpu/emulator/Operations.h"

namespace lanescope::core::sparsecore {

/// The tiles of memory of that type: those of the type, or a TensorCore's if the run requests them. `shape` is static.
std::optional<layouts::TiledMemoryLayout> layoutOf(const Machine &m, const MemRefType &type,
                                                   const std::vector<int64_t> &shape, bool allocated);
struct NewBuffer {
  Element element;
  Space space;
  std::vector<int64_t> shape; // static
  std::optional<layouts::TiledMemoryLayout> layout;
  Location owner;
  std::string name;
  uint32_t place = 0;
};
/// Makes a buffer without contents; couldHold() (Capacity.h) must have returned true for it.
Buffer *makeBuffer(Machine &m, NewBuffer plan);
/// Registers the buffer, so that other cores find their own buffer of the same `key`.
void addToGroup(Machine &m, const Machine::GroupKey &key, Buffer *buffer);
/// This buffer's counterpart on that device, core and subcore; null if there is none.
Buffer *peerOf(Machine &m, const Buffer &buffer, const Location &there);
/// The owner of a memory space: a single subcore, a core, or a device.
enum class Reach : uint8_t { Subcore, Core, Device };
Reach reachOf(Space space);

/// Ends the innermost scope and frees its allocations. False: a copy still uses one, or a semaphore has a count left.
bool releaseScope(Machine &m, Subcore &s, uint32_t place);
/// Faults for a semaphore that still has a count ("semaphore-left-over"), or copies that no wait has covered
/// ("unfinished-copy").
bool checkSemaphores(Machine &m, Buffer &buffer, uint32_t place, std::string_view end);

/// Checks the element [index, index + size) of each dimension; faults (kind "memref-out-of-bounds").
bool checkBounds(Machine &m, const Instruction &i, const MemRef &ref, std::span<const int64_t> index,
                 std::span<const int64_t> size, std::string_view what);

} // namespace lanescope::core::sparsecore
