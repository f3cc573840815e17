#include "core/gpu/emulator/check/Shadow.h"

#include <bit>
#include <utility>

namespace lanescope::core::emulator {

void Shadow::begin(uint32_t blocks, uint32_t bytes) {
  blocks_ = blocks;
  bytes_ = bytes;
  perBlock_ = count(bytes);
  cells_.assign(perBlock_ * blocks, Cell{});
  uses_.assign(1, Use{});
  sweepAt_ = kSweepAt;
  lanes_.begin();
}

void Shadow::refine(uint32_t places) {
  auto finer = static_cast<uint32_t>(std::countr_zero(places));
  if (finer == 3)
    finer = 2; // so that there are few sizes, each with quick ways
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
  constexpr uint32_t kMostOwn = 4;      // entries of one warp that stay
  auto byOthers = [&](const Use &use) { // of the same warp
    return use.epoch > synchronised && use.lanes != reader.lanes && reader.lanes &&
           !(lanes_.isCollective(use.lanes) && lanes_.isCollective(reader.lanes)) &&
           !lanes_.areAlike(use.lanes, reader.lanes);
  };
  if (reads && uses_[reads].agent == reader.agent && uses_[reads].epoch == reader.epoch && !byOthers(uses_[reads]))
    return reads;
  // The longest tail that stays whole is shared; what is kept before it is copied.
  uint32_t shared = reads;
  std::vector<uint32_t> kept;
  bool dropped = false;
  // A fence behind an ordinary read that comes later is behind this one too; an asynchronous one needs none.
  uint32_t own = 0;
  auto stays = [&](const Use &use) {
    if (use.agent == reader.agent)
      return byOthers(use) && ++own <= kMostOwn;
    return !seen.covers(use.agent, use.epoch) || (reader.asyncProxy && !use.asyncProxy);
  };
  for (uint32_t n = reads; n; n = uses_[n].rest)
    if (!stays(uses_[n])) {
      dropped = true;
      shared = uses_[n].rest;
    }
  own = 0;
  if (dropped)
    for (uint32_t n = reads; n != shared; n = uses_[n].rest)
      if (stays(uses_[n]))
        kept.push_back(n);
  for (size_t n = kept.size(); n-- > 0;) {
    Use copy = uses_[kept[n]];
    copy.rest = shared;
    shared = add(copy);
  }
  reader.rest = shared;
  return add(reader);
}

void Shadow::sweep() {
  std::vector<uint32_t> fresh(uses_.size(), kNoUse);
  std::vector<Use> left(1);
  left.reserve(uses_.size() / 4);
  auto move = [&](uint32_t from) -> uint32_t {
    // A list's entries refer to older ones, which move first.
    std::vector<uint32_t> path;
    for (uint32_t n = from; n && !fresh[n]; n = uses_[n].rest)
      path.push_back(n);
    for (size_t n = path.size(); n-- > 0;) {
      Use use = uses_[path[n]];
      use.rest = fresh[use.rest];
      fresh[path[n]] = static_cast<uint32_t>(left.size());
      left.push_back(use);
    }
    return fresh[from];
  };
  for (Cell &cell : cells_) {
    cell.write = move(cell.write);
    cell.reads = move(cell.reads);
  }
  uses_ = std::move(left);
  lanes_.keep([&](auto move) {
    for (Use &use : uses_)
      use.lanes = move(use.lanes);
  });
  sweepAt_ = std::max(kSweepAt, uses_.size() * 2);
}

} // namespace lanescope::core::emulator
