#include "core/gpu/emulator/StaleLoads.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/GlobalPlaces.h"

#include <utility>
#include <vector>

namespace lanescope::core::emulator {

StaleLoads::StaleLoads(Program &program, uint32_t load) : program_(program), load_(load) {
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    GlobalAccess access = globalAccessOf(program, pc);
    if (access == GlobalAccess::None || !(instr.strong || opcode.starts_with("atom.") || opcode.starts_with("red.")))
      continue;
    own_.emplace(pc, instr.run);
    instr.run = access == GlobalAccess::Load ? &StaleLoads::load : &write;
  }
}

StaleLoads::~StaleLoads() {
  for (auto [pc, run] : own_)
    program_.code[pc].run = run;
}

StaleLoads &StaleLoads::of(const Warp &warp) { return *static_cast<const RecordedGrid &>(*warp.block->grid).stale; }

void StaleLoads::met(const Warp &warp, uint32_t lane, const std::byte *at, uint32_t bytes) {
  for (uint32_t n = 0; n < bytes; ++n)
    if (written_.contains(at + n))
      met_.emplace(threadOf(warp, lane), at + n);
}

Step StaleLoads::write(Warp &warp, const Instr &i, uint32_t mask) {
  StaleLoads &self = of(warp);
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t) {
    ++self.writes_;
    for (uint32_t n = 0; n < i.access; ++n)
      self.written_[at + n] = {at[n], self.writes_};
    self.met(warp, lane, at, i.access);
  });
  return self.own_.at(static_cast<uint32_t>(&i - self.program_.code.data()))(warp, i, mask);
}

void StaleLoads::findStale(Warp &warp, uint32_t lane, std::byte *at, uint64_t address, uint32_t bytes,
                           std::set<Part> &stale) {
  for (uint32_t n = 0, end = 0; n < bytes; n = end) {
    auto first = written_.find(at + n);
    uint64_t number = first == written_.end() ? 0 : first->second.number;
    bool gives = number != 0;
    std::vector<Part> parts;
    for (end = n; end < bytes; ++end) {
      auto byte = written_.find(at + end);
      if ((byte == written_.end() ? 0 : byte->second.number) != number)
        break;
      gives = gives && !met_.contains({threadOf(warp, lane), at + end});
      parts.push_back({at + end, gives ? byte->second.before : at[end]});
    }
    if (gives && warp.block->checks->global.mayBeStale(warp, address + n))
      for (const Part &part : parts)
        if (part.before != *part.at)
          stale.insert(part);
  }
}

Step StaleLoads::load(Warp &warp, const Instr &i, uint32_t mask) {
  StaleLoads &self = of(warp);
  auto pc = static_cast<uint32_t>(&i - self.program_.code.data());
  std::set<Part> stale; // of several lanes one, where they load the same
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    if (pc == self.load_)
      self.findStale(warp, lane, at, address, i.access, stale);
  });
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t) { self.met(warp, lane, at, i.access); });
  if (!stale.empty())
    ++warp.block->effects; // who polls will read something else
  std::vector<std::byte> now;
  for (const Part &part : stale)
    now.push_back(std::exchange(*part.at, part.before));
  Step step = self.own_.at(pc)(warp, i, mask);
  auto newer = now.begin();
  for (const Part &part : stale)
    *part.at = *newer++;
  return step;
}

} // namespace lanescope::core::emulator
