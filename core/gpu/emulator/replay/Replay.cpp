#include "core/gpu/emulator/replay/Replay.h"

#include "core/gpu/emulator/machine/Block.h"

#include <utility>

namespace lanescope::core::emulator {

Step Own::operator()(Warp &warp, const Instr &i, uint32_t mask) const { return replay_.run(warp, i, mask, next_); }

Replay::Replay(const Program &program, std::vector<Perturbation *> perturbations)
    : program_(program), perturbations_(std::move(perturbations)), code_(program.code) {
  for (const Perturbation *perturbation : perturbations_) {
    std::vector<bool> &concerns = concerns_.emplace_back(code_.size());
    for (uint32_t pc = 0; pc < code_.size(); ++pc)
      if ((concerns[pc] = perturbation->concerns(program, pc)))
        code_[pc].run = &dispatch;
  }
}

void Replay::attachTo(RecordedGrid &grid) {
  grid.replay = this;
  grid.replayedCode = code_.data();
}

void Replay::begin() const {
  for (Perturbation *perturbation : perturbations_)
    perturbation->begin();
}

Step Replay::dispatch(Warp &warp, const Instr &i, uint32_t mask) {
  return static_cast<const RecordedGrid &>(*warp.block->grid).replay->run(warp, i, mask, 0);
}

Step Replay::run(Warp &warp, const Instr &i, uint32_t mask, size_t next) const {
  uint32_t pc = warp.block->grid->pcOf(i);
  for (; next < perturbations_.size(); ++next)
    if (concerns_[next][pc])
      return perturbations_[next]->execute(warp, i, mask, Own(*this, next + 1));
  return program_.code[pc].run(warp, i, mask);
}

} // namespace lanescope::core::emulator
