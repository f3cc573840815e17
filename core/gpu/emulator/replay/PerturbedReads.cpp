#include "core/gpu/emulator/replay/PerturbedReads.h"

#include "core/gpu/emulator/replay/Counters.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace lanescope::core::emulator {

namespace {

/// Inverts these bits in each byte of an access.
void turnBits(std::byte *at, uint32_t bytes, std::byte bits) {
  uint32_t pattern = 0x0101'0101u * std::to_integer<uint32_t>(bits), n = 0;
  for (uint32_t four = 0; n + sizeof four <= bytes; n += sizeof four) {
    std::memcpy(&four, at + n, sizeof four);
    four ^= pattern;
    std::memcpy(at + n, &four, sizeof four);
  }
  for (; n < bytes; ++n)
    at[n] ^= bits;
}

} // namespace

PerturbedReads::PerturbedReads(const Program &program, const RacingReads &reads, std::optional<std::byte> bits)
    : reads_(reads), bits_(bits), takesNumber_(atomicsThatTakeNumbers(program)) {
  for (const RacingRead &read : reads)
    loads_.insert(read.pc);
}

bool PerturbedReads::concerns(const Program &program, uint32_t pc) const {
  std::string_view opcode = program.function->instructions[program.code[pc].source].opcode;
  return loads_.contains(pc) || (!bits_ && takesNumber_[pc]) ||
         (opcode.starts_with("atom.") && opcode.find(".cas") != std::string_view::npos);
}

Step PerturbedReads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const uint32_t pc = warp.block->grid->pcOf(i);
  return loads_.contains(pc) ? load(warp, i, mask, own)
         : takesNumber_[pc]  ? takeNumber(warp, i, mask, own)
                             : compare(warp, i, mask, own);
}

Step PerturbedReads::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  if (!reads_.contains({grid.device, warp.block->linear, warp.id, grid.pcOf(i)}))
    return own(warp, i, mask);
  std::byte *places[kLanes];
  uint32_t count = 0;
  DistinctAddresses distinct;
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *place, uint64_t address) {
    pending_.add(threadOf(warp, lane), address);
    const auto *taken = bits_ ? nullptr : taken_.find(threadOf(warp, lane), address);
    if (!(taken && (taken->known & lineBits(address, i.access))) && distinct.add(address))
      places[count++] = place;
  });
  if (!bits_)
    return loadZeros(warp, i, mask, own, {places, count});
  auto turn = [&] {
    for (std::byte *place : std::span(places, count))
      turnBits(place, i.access, *bits_);
  };
  turn();
  Step step = own(warp, i, mask);
  turn();
  return step;
}

Step PerturbedReads::loadZeros(Warp &warp, const Instr &i, uint32_t mask, Own own, std::span<std::byte *const> places) {
  std::array<std::byte, kLineBytes> now[kLanes];
  for (size_t n = 0; n < places.size(); ++n) {
    std::copy_n(places[n], i.access, now[n].begin());
    std::fill_n(places[n], i.access, std::byte{});
  }
  Step step = own(warp, i, mask);
  for (size_t n = 0; n < places.size(); ++n)
    std::copy_n(now[n].begin(), i.access, places[n]);
  return step;
}

Step PerturbedReads::takeNumber(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *, uint64_t address) {
    taken_.at(threadOf(warp, lane), address).known |= lineBits(address, i.access);
  });
  return own(warp, i, mask);
}

Step PerturbedReads::compare(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *, uint64_t address) {
    pending_.remove(threadOf(warp, lane), address);
    size_t array = ((address - kGlobalBase) >> kRegionShift) - grid.firstCopy;
    if (array != lastArray_)
      arrays_.insert(lastArray_ = array);
  });
  return own(warp, i, mask);
}

} // namespace lanescope::core::emulator
