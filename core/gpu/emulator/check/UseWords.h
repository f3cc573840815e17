// What is said of a use of memory: who it was, and which wait or barrier would have ordered it before.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// "warp 3", by its number in the cluster; of a cluster of several blocks with its block.
std::string warpName(const Ordering &order, uint32_t number);
/// "the copy `cp.async.bulk…` issued here signals …"; the note at the other use.
Note noteAt(const Ordering &order, const Use &other, bool otherWrites);
/// Whether copies bring the mbarrier bytes that no `expect_tx` has announced: its phases end without them.
bool bringsUnexpected(const Block &block, uint32_t mbarrier);
/// The wait, or the barrier behind it, that would have ordered the use before what the warp does.
std::string missingBefore(const Ordering &order, const Warp &warp, const Use &other);

/// Notes at the relaxed and narrow operations that would have ordered the use: what to write there instead. Empty where
/// `view` does not come after it even so.
std::vector<Note> weakNotes(const Ordering &order, const View &view, const Use &other);
/// "`mbarrier.arrive…` is relaxed": the first of them in few words.
std::string whyWeak(const Ordering &order, const Use &other);

} // namespace lanescope::core::emulator
