// Words for a use of memory: which warp or unit made it, and which wait or barrier would have ordered it before.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// "warp 3", by its number in the cluster. In a cluster of several blocks, the name includes the block.
std::string warpName(const Ordering &order, uint32_t number);
/// A note at the instruction of the other use: "the copy `cp.async.bulk…` issued here signals …".
Note noteAt(const Ordering &order, const Use &other, bool otherWrites);
/// True if copies of the mbarrier's own block bring bytes to it that no `expect_tx` has announced. The mbarrier's
/// phases then end without waiting for these bytes.
bool bringsUnexpected(const Block &block, uint32_t mbarrier);
/// Names the missing wait, or the missing barrier after a wait, that would have ordered the use before the warp's
/// access.
std::string missingBefore(const Ordering &order, const Warp &warp, const Use &other);

/// Notes at the relaxed and narrow operations that would have ordered the use, each with the form to write instead.
/// Empty if even stronger operations would not have ordered the use for `view`.
std::vector<Note> weakNotes(const Ordering &order, const View &view, const Use &other);
/// Describes the first relaxed or narrow operation of weakNotes() in a few words: "`mbarrier.arrive…` is relaxed".
std::string whyWeak(const Ordering &order, const Use &other);

} // namespace lanescope::core::emulator
