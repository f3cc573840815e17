#include "core/gpu/emulator/check/UseWords.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/LanguageWords.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

std::string warpName(const Ordering &order, uint32_t number) {
  std::string name = text("warp ", number % order.warpsPerBlock());
  return order.oneBlock() ? name : text(name, " of block ", number / order.warpsPerBlock(), " of the cluster");
}

Note noteAt(const Ordering &order, const Use &other, bool otherWrites) {
  const Grid &grid = order.grid();
  const Instr &instr = grid.program->code[other.pc];
  std::string_view opcode = grid.opcodeOf(instr);
  uint32_t owner = other.agent % order.warps();
  std::string what;
  switch (order.kindOf(other.agent)) {
  case AsyncUnit::Warp:
    what = text(warpName(order, owner), otherWrites ? " wrote it here, with `" : " read it here, with `", opcode, "`");
    break;
  case AsyncUnit::CpAsync:
    what = text("`", opcode, "`, which ", warpName(order, owner), " issued here, fills it");
    break;
  case AsyncUnit::BulkGroup:
    what = text("`", opcode, "`, which ", warpName(order, owner), " issued here, reads it");
    break;
  case AsyncUnit::BulkWrite:
    what = text("`", opcode, "`, which ", warpName(order, owner), " issued here, writes it");
    break;
  case AsyncUnit::Wgmma: what = text("`", opcode, "`, issued here, reads it"); break;
  case AsyncUnit::Tensor:
    what = text("`", opcode, "`, which ", warpName(order, owner), " issued here, reads it");
    break;
  case AsyncUnit::Mbarrier: what = text("`", opcode, "`, issued here, ", otherWrites ? "fills it" : "reads it"); break;
  }
  return {grid.spanOf(instr), std::move(what)};
}

bool bringsUnexpected(const Block &block, uint32_t mbarrier) {
  const std::vector<Mbarrier> &all = block.mbarriers.all();
  auto barrier = std::ranges::find(all, mbarrier, &Mbarrier::address);
  int64_t coming = 0;
  // A copy by another block, such as a multicast copy, may come before this block's own `expect_tx`.
  for (const AsyncOp &op : block.async.all())
    if (const Signal *signal = signalOf(op);
        signal && signal->mbarrier == mbarrier && signal->rank == block.clusterRank)
      coming += op.bytes;
  return barrier != all.end() && barrier->tx < coming;
}

std::string missingBefore(const Ordering &order, const Warp &warp, const Use &other) {
  AsyncUnit unit = order.kindOf(other.agent);
  if (unit == AsyncUnit::Warp) {
    const Phases &phases = warp.block->checks->phases;
    const uint32_t rank = warp.block->clusterRank, me = order.numberOf(warp), owner = other.agent % order.warps();
    std::string why = phases.whyNamedDoesNotOrder(rank, me, owner);
    if (why.empty())
      why = phases.whyNamedDoesNotOrder(rank, owner, me);
    return text("no barrier (`bar.sync`, an mbarrier) between the two", why.empty() ? "" : ": ", why);
  }
  if (unit == AsyncUnit::Mbarrier) {
    const Ordering::BarrierState &barrier = order.mbarrierOf(other.agent);
    Epoch phase = other.epoch > barrier.base ? other.epoch - barrier.base - 1 : 0;
    if (bringsUnexpected(*blockOfRank(*warp.block, barrier.rank), barrier.address))
      return text("no `expect_tx` announces the bytes of this copy to ", describeMbarrier(*warp.block, barrier.address),
                  ", so a phase has ended without them: `mbarrier.arrive.expect_tx` is missing");
    return text("the missing wait: phase ", phase, " (parity ", phase & 1, ") of ",
                describeMbarrier(*warp.block, barrier.address));
  }
  uint32_t owner = order.ownerOf(other.agent), me = order.numberOf(warp), group = unit == AsyncUnit::Wgmma ? 4 : 1;
  bool own = me >= owner && me < owner + group, waited = false;
  // If this warp itself has to wait, a wait of another warp of its warpgroup does not count.
  for (uint32_t w = own ? me : owner; w < (own ? me + 1 : std::min(owner + group, order.warps())); ++w)
    waited |= order.view(w).seen.covers(other.agent, other.epoch);
  const Grid &grid = order.grid();
  std::string wait = unit == AsyncUnit::Tensor      ? "a `tcgen05.commit` after it and a wait for its mbarrier"
                     : unit == AsyncUnit::CpAsync   ? inItsWords(grid, words::kCpAsyncWait)
                     : unit == AsyncUnit::BulkGroup ? inItsWords(grid, words::kStoreReadWait)
                     : unit == AsyncUnit::BulkWrite ? inItsWords(grid, words::kStoreWait) + ", without `.read`"
                                                    : inItsWords(grid, words::kWgmmaWait);
  std::string who = group == 1 ? warpName(order, owner) : text("the warpgroup of ", warpName(order, owner));
  if (waited)
    return text(who, " has waited (", wait, "); a barrier is missing after that");
  return own ? text("the missing wait: ", wait)
             : text("the missing wait: ", wait, " in ", who, " and a barrier after it");
}

std::string whyWeak(const Ordering &order, const Use &other) {
  for (const auto &[pc, weak] : order.weakOperations())
    if (weak.lost.covers(other.agent, other.epoch))
      return text("`", order.grid().opcodeOf(order.grid().program->code[pc]), "` between them is ",
                  weak.relaxed ? "relaxed" : "of the scope `.cta`");
  return {};
}

std::vector<Note> weakNotes(const Ordering &order, const View &view, const Use &other) {
  constexpr size_t kMost = 2; // an arrival and a wait
  std::vector<Note> notes;
  if (!view.weak.covers(other.agent, other.epoch))
    return notes;
  const Grid &grid = order.grid();
  for (const auto &[pc, weak] : order.weakOperations()) {
    if (notes.size() == kMost || !weak.lost.covers(other.agent, other.epoch))
      continue;
    const Instr &instr = grid.program->code[pc];
    std::string_view opcode = grid.opcodeOf(instr);
    bool cluster = weak.needed == Scope::Cluster;
    std::string instead = text(weak.acquires ? ".acquire" : ".release", cluster ? ".cluster" : ".cta");
    if (opcode.starts_with("barrier."))
      instead = ".release";
    std::string what = weak.relaxed ? text("`", opcode, "` is relaxed and ", weak.acquires ? "acquires" : "publishes",
                                           " nothing: write `", instead, "`, or put `fence.acq_rel.",
                                           cluster ? "cluster" : "cta", "` ", weak.acquires ? "after" : "before", " it")
                                    : text("the scope of `", opcode, "` is `.cta`",
                                           opcode.find(".cta.") == opcode.npos ? " (none is written)" : "",
                                           ", and the other block is not in it: write `", instead, "`");
    notes.push_back({grid.spanOf(instr), std::move(what)});
  }
  return notes;
}

} // namespace lanescope::core::emulator
