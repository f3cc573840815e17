#include "core/gpu/emulator/conflicts/BankConflicts.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <array>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kBankBytes = 128; // addresses that far apart are in one bank

/// What has been counted before, by a hash of how the lanes' addresses lie: kernels have few patterns.
struct Known {
  uint64_t key = 0;
  uint32_t conflicts = 0;
};
constexpr uint32_t kKnownBits = 11;

/// A weight for each lane: of a sum of weighted distances, which is the hash.
constexpr std::array<uint32_t, kLanes> kWeights = [] {
  std::array<uint32_t, kLanes> weights{};
  uint64_t state = 1;
  for (uint32_t &weight : weights) {
    state = state * 6364136223846793005ull + 1442695040888963407ull; // Knuth's MMIX generator
    weight = static_cast<uint32_t>(state >> 32) | 1;
  }
  return weights;
}();

/// Of how far from `base` the lanes of `mask` are. A sum, not a chain of products: that is vectors of lanes.
uint64_t hashOf(const uint64_t *addresses, uint32_t base, uint32_t mask) {
  uint64_t sum = 0;
  if (mask == kAllLanes) {
    for (uint32_t l = 0; l < kLanes; ++l)
      sum += uint64_t{static_cast<uint32_t>(addresses[l]) - base} * kWeights[l];
  } else {
    forLanes(mask, [&](uint32_t l) { sum += uint64_t{static_cast<uint32_t>(addresses[l]) - base} * kWeights[l]; });
  }
  return sum;
}

} // namespace

BankConflicts::BankConflicts(Program &program) : program_(program), accesses_(program.code.size()) {
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    bool plain = opcode.starts_with("ld.") || opcode.starts_with("st.");
    bool matrix = opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix");
    if (!instr.run || instr.space != Space::Shared || (!plain && !matrix))
      continue;
    layouts::SmemOp op;
    if (plain) {
      op.kind = opcode.starts_with("ld") ? layouts::SmemOp::Kind::Load : layouts::SmemOp::Kind::Store;
      op.bytes = instr.access;
    } else if (auto parsed = layouts::parseSmemOp(opcode)) {
      op = *parsed;
    } else {
      continue; // a form whose wavefronts nobody has measured
    }
    if (op.bytes < 1 || op.bytes > 16)
      continue;
    accesses_[pc].run = instr.run, accesses_[pc].op = op;
    instr.run = &charge;
  }
}

uint64_t BankConflicts::wavefronts() const {
  uint64_t sum = 0;
  for (const Access &access : accesses_)
    sum += access.wavefronts;
  return sum;
}

void BankConflicts::clear() {
  for (Access &access : accesses_)
    access.wavefronts = 0;
}

uint32_t BankConflicts::conflictsOf(const layouts::SmemOp &op, const uint64_t *addresses, uint32_t mask) {
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  auto base = static_cast<uint32_t>(addresses[first]);
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15ull;
  uint64_t form = mask ^ uint64_t{base % kBankBytes} << 32 ^ uint64_t(op.bytes) << 40 ^ uint64_t(op.matrices) << 48 ^
                  uint64_t(op.isLoad()) << 56;
  uint64_t key = ((form * kMix) ^ (form * kMix) >> 29) + hashOf(addresses, base, mask);
  // Pairs, the one that was asked for last first.
  static thread_local std::array<std::array<Known, 2>, size_t(1) << kKnownBits> known;
  auto &[last, before] = known[key * kMix >> (64 - kKnownBits)];
  if (last.key == key) [[likely]]
    return last.conflicts;
  std::swap(last, before);
  if (last.key == key)
    return last.conflicts;
  std::array<int32_t, 32> lanes;
  for (uint32_t l = 0; l < kLanes; ++l)
    lanes[l] = mask >> l & 1 ? static_cast<int32_t>(addresses[l]) : layouts::kNoAddress;
  last = {key, static_cast<uint32_t>(layouts::smemWavefronts(op, lanes).conflicts())};
  return last.conflicts;
}

Step BankConflicts::charge(Warp &warp, const Instr &i, uint32_t mask) {
  BankConflicts &self = *static_cast<ChargedGrid *>(warp.block->grid)->conflicts;
  Access &access = self.accesses_[static_cast<size_t>(&i - self.program_.code.data())];
  alignas(32) uint64_t addresses[kLanes]; // before a load writes over their register
  addressesOf(warp, i, addresses);
  if (uint32_t conflicts = mask ? conflictsOf(access.op, addresses, mask) : 0) {
    warp.time += conflicts;
    access.wavefronts.fetch_add(conflicts, std::memory_order_relaxed);
  }
  return access.run(warp, i, mask);
}

} // namespace lanescope::core::emulator
