// Buffers of a run: made, found on another core, given back.
#pragma once

#include "core/tpu/emulator/Operations.h"

namespace lanescope::core::sparsecore {

/// The tiles that memory of the type has: its own, or a TensorCore's where the run asks for them. `shape` is static.
std::optional<layouts::TiledMemoryLayout> layoutOf(const Machine &m, const MemRefType &type,
                                                   const std::vector<int64_t> &shape, bool allocated);
/// A buffer that holds nothing yet. `shape` is static, and couldHold() (Capacity.h) has said that there is room.
Buffer *makeBuffer(Machine &m, const Element &element, Space space, std::vector<int64_t> shape,
                   std::optional<layouts::TiledMemoryLayout> layout, const Location &owner, std::string name,
                   uint32_t place);
/// Registers the buffer, so that other cores find their own of the same `key`.
void addToGroup(Machine &m, const Machine::GroupKey &key, Buffer *buffer);
/// The buffer on that device, core and subcore that stands for this one there; null: there is none.
Buffer *peerOf(Machine &m, const Buffer &buffer, const Location &there);
/// Whether memory of that space belongs to a single subcore, a core, or a device.
enum class Reach : uint8_t { Subcore, Core, Device };
Reach reachOf(Space space);

/// Ends the innermost scope: what it allocated is given back. False: a copy still uses it, or a semaphore is left over.
bool releaseScope(Machine &m, Subcore &s, uint32_t place);
/// Faults for a semaphore that nobody waited for as it needs ("semaphore-left-over", "unfinished-copy").
bool checkSemaphores(Machine &m, Buffer &buffer, uint32_t place, std::string_view end);

/// Checks the element [index, index + size) of each dimension; faults (kind "memref-out-of-bounds").
bool checkBounds(Machine &m, const Instruction &i, const MemRef &ref, std::span<const int64_t> index,
                 std::span<const int64_t> size, std::string_view what);

} // namespace lanescope::core::sparsecore
