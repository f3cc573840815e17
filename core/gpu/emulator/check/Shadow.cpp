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

uint32_t Shadow::addReader(uint32_t reads, Use reader, const Clock &seen) {
  if (reads && uses_[reads].agent == reader.agent && uses_[reads].epoch == reader.epoch)
    return reads;
  // The longest tail that stays whole is shared; what is kept before it is copied.
  uint32_t shared = reads;
  std::vector<uint32_t> kept;
  bool dropped = false;
  // A fence behind an ordinary read that comes later is behind this one too; an asynchronous one needs none.
  auto stays = [&](const Use &use) {
    return use.agent != reader.agent && (!seen.covers(use.agent, use.epoch) || (reader.asyncProxy && !use.asyncProxy));
  };
  for (uint32_t n = reads; n; n = uses_[n].rest)
    if (!stays(uses_[n])) {
      dropped = true;
      shared = uses_[n].rest;
    }
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
  sweepAt_ = std::max(kSweepAt, uses_.size() * 2);
}

} // namespace lanescope::core::emulator
