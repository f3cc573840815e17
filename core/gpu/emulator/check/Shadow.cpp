#include "core/gpu/emulator/check/Shadow.h"

#include <bit>
#include <utility>

namespace lanescope::core::emulator {

void Shadow::begin(uint32_t blocks, uint32_t bytes) {
  blocks_ = blocks;
  bytes_ = bytes;
  perBlock_ = count(bytes);
  cells_.assign(perBlock_ * blocks, Cell{});
  uses_.clear();
  sweepAt_ = kSweepAt;
  lanes_.begin();
}

void Shadow::refine(uint32_t places) {
  auto finer = static_cast<uint32_t>(std::countr_zero(places));
  if (finer == 3)
    finer = 2; // few sizes are used, and each has its own fast path
  uint32_t halvings = shift_ - finer;
  shift_ = finer;
  std::vector<Cell> coarse = std::move(cells_);
  size_t coarsePerBlock = std::exchange(perBlock_, count(bytes_));
  cells_.resize(perBlock_ * blocks_);
  for (size_t block = 0; block < blocks_; ++block)
    for (size_t n = 0; n < perBlock_; ++n)
      cells_[block * perBlock_ + n] = coarse[block * coarsePerBlock + (n >> halvings)];
}

uint32_t Shadow::addReader(uint32_t reads, Use reader, const Clock &seen, Epoch synchronised) {
  constexpr uint32_t kMostOwn = 4;      // entries of one warp to keep
  auto byOthers = [&](const Use &use) { // uses by other lanes of the same warp
    return use.epoch > synchronised && use.lanes != reader.lanes && reader.lanes &&
           !(lanes_.isCollective(use.lanes) && lanes_.isCollective(reader.lanes)) &&
           !lanes_.areAlike(use.lanes, reader.lanes);
  };
  if (reads && uses_[reads].agent == reader.agent && uses_[reads].epoch == reader.epoch && !byOthers(uses_[reads]))
    return reads;
  // A fence that follows a later ordinary read also follows this read. An asynchronous read needs no fence.
  uint32_t own = 0;
  return uses_.addReader(reads, reader, [&](const Use &use) {
    if (use.agent == reader.agent)
      return byOthers(use) && ++own <= kMostOwn;
    return !seen.covers(use.agent, use.epoch) || (reader.asyncProxy && !use.asyncProxy);
  });
}

void Shadow::sweep() {
  uses_.sweep([&](auto move) {
    for (Cell &cell : cells_)
      cell = {move(cell.write), move(cell.reads)};
  });
  lanes_.keep([&](auto move) { uses_.forEach([&](Use &use) { use.lanes = move(use.lanes); }); });
  sweepAt_ = std::max(kSweepAt, uses_.size() * 2);
}

} // namespace lanescope::core::emulator
