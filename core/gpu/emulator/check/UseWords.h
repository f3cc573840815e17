// Words for a use of memory: which warp or unit made it, and which wait or barrier would have ordered it before.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// "warp 3", by its number in the cluster. In a cluster of several blocks, the name includes the block.
std::string warpName(const Ordering &order, uint32_t number);
/// A note at the other use: "the copy `cp.async.bulk…` issued here signals …".
Note noteAt(const Ordering &order, const Use &other, bool otherWrites);
/// True if copies bring the mbarrier bytes that no `expect_tx` has announced: its phases end without them.
bool bringsUnexpected(const Block &block, uint32_t mbarrier);
/// Names the wait, or the barrier after a wait, that would have ordered the use before what the warp does.
std::string missingBefore(const Ordering &order, const Warp &warp, const Use &other);

/// Notes at the relaxed and narrow operations that would have ordered the use: what to write instead. Empty if stronger
/// operations would not have ordered it for `view` either.
std::vector<Note> weakNotes(const Ordering &order, const View &view, const Use &other);
/// Describes the first such operation in few words: "`mbarrier.arrive…` is relaxed".
std::string whyWeak(const Ordering &order, const Use &other);

} // namespace lanescope::core::emulator
