// A dump in words: what `lanescope open` prints. Pictures of its layouts are viz/scene/DumpScene.h's.
#pragma once

#include "core/gpu/ir/Dump.h"

namespace lanescope::core {

/// readDump(). Where a text is no dump but holds layouts, such as TTGIR's, the error has a note that says how to see
/// them.
Result<Dump> openDump(const SourceRef &source);

/// Whether a text names operations or attributes of the dialect: worth reading as a dump.
bool looksLikeDump(std::string_view text);

/// "kernel k in module k, sm_90: grid 4x4x1, block 128x1x1, dynamic shared memory 24584 bytes", a line for each kernel.
std::string dumpHeading(const Dump &dump);
/// All operations, numbered from 1: line, name, types, layouts and transforms. The dump has at least one.
std::string dumpListing(const Dump &dump);
/// One operation in full: where it is from, its text, its operands and results. `number`: from 1, as the listing has
/// it.
std::string dumpOpText(const Dump &dump, size_t number);

} // namespace lanescope::core
