// Reads and writes of memory, each told to the shadow; conflicts become faults.
#pragma once

#include "core/tpu/emulator/References.h"

namespace lanescope::core::sparsecore {

/// Who accesses memory: a subcore, or a copy that one has started.
struct Accessor {
  Use use;
  const Clock *clock = nullptr;
  uint32_t subcore = 0; // the one, or who started the copy
};
Accessor accessorOf(const Subcore &s, uint32_t place);
Accessor accessorOf(const Machine &m, uint32_t copy);

/// The bytes [begin, end) of the buffer. False: a fault, and the run ends.
bool noteRead(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by);
bool noteWrite(Machine &m, Buffer &buffer, uint64_t begin, uint64_t end, const Accessor &by, Content content,
               bool same);

/// Whether `target` already holds the bytes of `source`, also as to what nobody has written. Only asked of watched
/// memory.
bool holds(const Buffer &source, uint64_t from, const Buffer &target, uint64_t at, uint64_t size);

/// What two uses without an order are: kinds "copy-not-awaited", "overwritten-in-flight", "race". A fault, but where
/// one subcore writes what another has read before in this run: a hazard, for JAX's own tests rely on that (their
/// reader is as fast as the writer), and a warning. The run goes on then.
void reportConflict(Machine &m, const Buffer &buffer, const Accessor &by, bool writes,
                    const Shadow::Conflict &conflict);

/// What was computed with memory that nobody wrote must not come to HBM, where others see it. `content` is what bytes
/// of the target get.
bool requireKnownOutput(Machine &m, const Buffer &target, Content content);

} // namespace lanescope::core::sparsecore
