// Reads and writes of memory. Each is recorded in the shadow memory; conflicts become faults.
#pragma once

#include "core/tpu/emulator/RunBuffers.h"

namespace lanescope::core::sparsecore {

/// The agent of a memory access: a subcore, or a copy that a subcore has started.
struct Accessor {
  Use use;
  const Clock *clock = nullptr;
  uint32_t subcore = 0; // the subcore itself, or the one that started the copy
};
Accessor accessorOf(const Subcore &s, uint32_t place);
Accessor accessorOf(const Machine &m, uint32_t copy);

/// Records an access to the bytes [begin, end) of the buffer. Returns false on a fault, which ends the run.
bool noteRead(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by);
bool noteWrite(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by, Content content,
               bool same);

/// True if `target` already holds the bytes of `source`, and the same bytes of both are unwritten. For watched memory
/// only.
bool holds(const Buffer &source, uint64_t from, const Buffer &target, uint64_t at, uint64_t size);

/// Reports two unordered uses: kinds "copy-not-awaited", "overwritten-in-flight", "race". The conflict is a fault, with
/// one exception: if a subcore writes bytes that another subcore has read earlier in this run, the conflict is a
/// hazard, and the run continues with a warning. JAX's own tests rely on that (their reader is as fast as the writer).
void reportConflict(Machine &m, const Buffer &buffer, const Accessor &by, bool writes,
                    const Shadow::Conflict &conflict);

/// Faults if a value computed from unwritten memory would be stored to HBM, where other cores see it. `content` is the
/// content that the target's bytes get.
bool requireKnownOutput(Machine &m, const Buffer &target, Content content);

} // namespace lanescope::core::sparsecore
