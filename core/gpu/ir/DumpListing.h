// A dump in words, for `lanescope open`. viz/scene/DumpScene.h draws its layouts.
#pragma once

#include "core/gpu/ir/Dump.h"

namespace lanescope::core {

/// Calls readDump(). If the text is not a dump but has layouts, as TTGIR has, the error has a note on how to see them.
Result<Dump> openDump(const SourceRef &source);

/// True if a text contains operations or attributes of the dialect and should be read as a dump.
bool looksLikeDump(std::string_view text);

/// A line for each kernel: "kernel k in module k, sm_90: grid 4x4x1, block 128x1x1, dynamic shared memory 24584 bytes".
std::string dumpHeading(const Dump &dump);
/// All operations, numbered from 1: line, name, types, layouts and transforms. The dump must have at least one.
std::string dumpListing(const Dump &dump);
/// One operation in full: its origin, text, operands and results. `number`: from 1, as in the listing.
std::string dumpOpText(const Dump &dump, size_t number);

} // namespace lanescope::core
