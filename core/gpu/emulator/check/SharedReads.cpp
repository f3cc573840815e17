#include "core/gpu/emulator/check/SharedReads.h"

#include "core/gpu/emulator/machine/Grid.h"

#include <algorithm>
#include <functional>

namespace lanescope::core::emulator {

SharedReads::Key SharedReads::keyOf(const Warp &warp, uint32_t pc) {
  const Block &block = *warp.block;
  return Key(block.grid->device) << 60 ^ Key(block.linear) << 29 ^ Key(warp.id) << 24 ^ pc;
}

void SharedReads::execute(const Warp &warp, uint32_t pc, Epoch epoch) {
  Executed &one = executed_[keyOf(warp, pc)];
  if (one.turns == 0 || one.first.front().epoch != epoch) {
    std::shift_right(one.first.begin(), one.first.end(), 1);
    one.first.front() = {epoch, one.turns};
  }
  ++one.turns;
}

bool SharedReads::addRacing(const Warp &warp, uint32_t pc, Epoch epoch, uint32_t lanes) {
  Key key = keyOf(warp, pc);
  auto found = executed_.find(key);
  if (found == executed_.end())
    return false;
  const Executed &one = found->second;
  uint32_t end = one.turns;
  for (const Executed::First &first : one.first) {
    if (first.epoch == epoch) {
      Racing &racing = racing_[{key, first.turn}];
      racing.end = std::max(racing.end, end);
      racing.lanes |= lanes;
      return end > first.turn && racing_.size() < kMost;
    }
    end = first.turn;
  }
  return false;
}

void SharedReads::end(const Block &block) {
  std::string_view bytes(reinterpret_cast<const char *>(block.shared.data()), block.shared.size());
  // A sum does not depend on the order in which blocks end.
  left_ += std::hash<std::string_view>{}(bytes) * (2 * uint64_t{block.linear} + 1);
}

uint32_t SharedReads::racingLanes(const Warp &warp, uint32_t pc) const {
  Key key = keyOf(warp, pc);
  auto found = executed_.find(key);
  if (found == executed_.end())
    return 0;
  uint32_t turn = found->second.turns - 1;
  auto next = racing_.upper_bound({key, turn});
  if (next == racing_.begin() || (--next)->first.first != key || turn >= next->second.end)
    return 0;
  return next->second.lanes;
}

} // namespace lanescope::core::emulator
