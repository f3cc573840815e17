// Reports what is in flight when a block ends.
#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/LanguageWords.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

/// True if the operation is a load into the shared memory of its issuer, the block with that rank.
static bool fillsShared(const AsyncOp &op, uint32_t rank) {
  if (const auto *bulk = std::get_if<BulkLoad>(&op.what))
    return bulk->to.rank == rank;
  if (const auto *tensor = std::get_if<TensorLoad>(&op.what))
    return tensor->to.rank == rank;
  return std::holds_alternative<CpAsync>(op.what);
}

bool reportUnfinished(Block &block) {
  /// Returns false if the run is strict.
  auto fine = [&](const AsyncOp &op) {
    const StoreState *store = storeOf(op);
    bool fills = fillsShared(op, block.clusterRank);
    bool reads = store ? !store->readTold && !store->readSeen : std::holds_alternative<SharedCopy>(op.what);
    if (!fills && !reads)
      return true;
    std::string message = text(block.name(), " ends while this copy still ", fills ? "fills" : "reads",
                               " its shared memory; wait for it first");
    constexpr std::string_view kKind = "unfinished-copy";
    Warp &warp = block.warps[op.warp];
    if (!isNews(block, kKind, block.grid->pcOf(*op.instr)))
      return true;
    if (store)
      message += store->group == warp.laneGroups(op.lane, true).openSequence()
                     ? text(": it is in no group yet, so no wait counts it; ",
                            inItsWords(*block.grid, words::kStoreCommit), " is missing before that")
                     : text(" with ", inItsWords(*block.grid, words::kStoreReadWait), " of 0 groups");
    return hazard(warp, *op.instr, std::string(kKind), std::move(message), op.lane);
  };
  for (const AsyncOp &op : block.async.all())
    if (!fine(op))
      return false;
  for (const Warp &warp : block.warps)
    for (const AsyncOp &op : warp.held)
      if (!fine(op))
        return false;
  for (const AsyncOp &op : block.landing)
    if (!fine(op))
      return false;
  return true;
}

} // namespace lanescope::core::emulator
