#include "core/gpu/emulator/conflicts/BankConflicts.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/HostVectors.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kBankBytes = 128; // addresses at this distance are in the same bank
constexpr uint32_t kWidest = 16;     // bytes of one lane's access

/// A cached count. It is found by a hash of the arrangement of the lanes' addresses, because kernels use few
/// arrangements.
struct Known {
  uint64_t key = 0;
  uint32_t conflicts = 0;
};
constexpr uint32_t kKnownBits = 11;

/// A weight for each lane. The hash is the sum of the weighted distances.
constexpr std::array<uint32_t, kLanes> kWeights = [] {
  std::array<uint32_t, kLanes> weights{};
  uint64_t state = 1;
  for (uint32_t &weight : weights) {
    state = state * 6364136223846793005ull + 1442695040888963407ull; // Knuth's MMIX generator
    weight = static_cast<uint32_t>(state >> 32) | 1;
  }
  return weights;
}();

/// The hash of the distances of all lanes from the first lane. It is a sum and not a chain of products, which lets
/// compilers vectorise it.
template <class T> [[gnu::always_inline]] inline uint64_t hashOfAll(const T *lanes) {
  uint64_t sum = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    sum += uint64_t{static_cast<uint32_t>(lanes[l] - lanes[0])} * kWeights[l];
  return sum;
}
LANESCOPE_WIDE uint64_t hashOfWide(const uint64_t *lanes) { return hashOfAll(lanes); }
LANESCOPE_WIDE uint64_t hashOfNarrow(const uint32_t *lanes) { return hashOfAll(lanes); }

/// Returns the hash that hashOfAll() returns, but for the lanes in `mask` alone. Distances are relative to `base`.
uint64_t hashOf(const uint64_t *addresses, uint32_t base, uint32_t mask) {
  uint64_t sum = 0;
  forLanes(mask, [&](uint32_t l) { sum += uint64_t{static_cast<uint32_t>(addresses[l]) - base} * kWeights[l]; });
  return sum;
}

} // namespace

BankConflicts::BankConflicts(Program &program) : accesses_(program.code.size()) {
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
      continue; // the wavefronts of this form have not been measured
    }
    if (op.bytes < 1 || op.bytes > 16)
      continue;
    accesses_[pc].run = instr.run, accesses_[pc].op = op, accesses_[pc].rowKnown = instr.rowKnown;
    accesses_[pc].phases = static_cast<uint8_t>(op.isMatrix() ? op.matrices : std::max(op.bytes / 4, 1));
    instr.run = &charge;
    instr.rowKnown = instr.findsRow && instr.a != kNone; // charge() finds the row before the instruction runs
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

namespace {

constexpr uint64_t kCount = 0xFF; // the bits of Access::lastRow and lastLanes that hold conflicts
constexpr uint64_t kMix = 0x9E3779B97F4A7C15ull;
constexpr uint64_t kRow = 1; // a form for lanes in a row

/// Packs the properties of an access into a number, except the lanes' distances from `base`. The highest byte of the
/// number distinguishes it from other kinds of forms.
uint64_t formOf(const layouts::SmemOp &op, uint32_t base, uint32_t mask) {
  return mask ^ uint64_t{base % kBankBytes} << 32 ^ uint64_t(op.bytes) << 40 ^ uint64_t(op.matrices) << 48 ^
         uint64_t(op.isLoad()) << 56;
}

/// Returns the cached count for `key`. If there is none, computes it with `count`.
template <class Count> uint32_t known(uint64_t key, Count count) {
  // Each pair has the latest result first.
  static thread_local std::array<std::array<Known, 2>, size_t(1) << kKnownBits> table;
  auto &[last, before] = table[key * kMix >> (64 - kKnownBits)];
  if (last.key == key) [[likely]]
    return last.conflicts;
  std::swap(last, before);
  if (last.key != key)
    last = {key, count()};
  return last.conflicts;
}

uint32_t countedOf(const layouts::SmemOp &op, const uint64_t *addresses, uint32_t mask) {
  std::array<int32_t, kLanes> lanes;
  for (uint32_t l = 0; l < kLanes; ++l)
    lanes[l] = mask >> l & 1 ? static_cast<int32_t>(addresses[l]) : layouts::kNoAddress;
  return static_cast<uint32_t>(layouts::smemWavefronts(op, lanes).conflicts());
}

/// The conflicts of an access by the lanes in `mask`. `last` caches them for the last arrangement of the lanes at this
/// instruction. The function is not inlined, so that accesses to rows need no stack for addresses.
[[gnu::noinline]] uint32_t conflictsOf(Warp &warp, const Instr &i, const layouts::SmemOp &op, uint32_t mask,
                                       std::atomic<uint64_t> &last) {
  uint64_t hash = 0;
  uint32_t base = 0;
  alignas(64) uint64_t addresses[kLanes];
  // All lanes have the same offset, so the register has the arrangement of their addresses.
  bool all = mask == kAllLanes && i.a != kNone;
  if (all && i.wideAddress) {
    const uint64_t *lanes = warp.reg<uint64_t>(i.a);
    base = static_cast<uint32_t>(lanes[0] + i.imm);
    hash = hashOfWide(lanes);
  } else if (all) {
    const uint32_t *lanes = warp.reg<uint32_t>(i.a);
    base = lanes[0] + static_cast<uint32_t>(i.imm);
    hash = hashOfNarrow(lanes);
  } else {
    addressesOf(warp, i, addresses);
    base = static_cast<uint32_t>(addresses[__builtin_ctz(mask)]);
    hash = hashOf(addresses, base, mask);
  }
  uint64_t form = formOf(op, base, mask) * kMix, key = (form ^ form >> 29) + hash;
  // Other warps usually have the same arrangement at this instruction.
  uint64_t before = last.load(std::memory_order_relaxed);
  if (before != 0 && ((before ^ key) & ~kCount) == 0) [[likely]]
    return static_cast<uint32_t>(before & kCount);
  uint32_t conflicts = known(key, [&] {
    addressesOf(warp, i, addresses);
    return countedOf(op, addresses, mask);
  });
  if (conflicts <= kCount)
    last.store((key & ~kCount) | conflicts, std::memory_order_relaxed);
  return conflicts;
}

/// Counts what conflictsOf() counts, for an access by all lanes to a row that begins at `base`.
[[gnu::noinline]] uint32_t conflictsOfRow(const layouts::SmemOp &op, uint32_t base, int64_t stride) {
  uint64_t form = (formOf(op, base, kAllLanes) ^ kRow << 57) * kMix;
  return known((form ^ form >> 29) + static_cast<uint64_t>(stride), [&] {
    uint64_t addresses[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l)
      addresses[l] = static_cast<uint32_t>(base + static_cast<uint64_t>(stride) * l);
    return countedOf(op, addresses, kAllLanes);
  });
}

/// True if a row accesses a single word, or words in different banks: adjacent ones, or words that are an odd number of
/// words apart, as in the columns of padded tiles.
bool isFree(const layouts::SmemOp &op, int64_t stride) {
  constexpr int64_t kWord = 4;
  return stride == 0 || stride == op.bytes || (op.bytes == kWord && (stride & (2 * kWord - 1)) == kWord);
}

/// The result of conflictsOfRow(). `last` caches it for the previous row. Another row of the same instruction usually
/// has the same arrangement: only the position of its first byte within the words of a lane's access matters.
uint32_t lastOrCounted(std::atomic<uint64_t> &last, const layouts::SmemOp &op, uint32_t base, int64_t stride) {
  constexpr uint64_t kRowKnown = 1 << 7; // a row has fewer than 2^7 conflicts
  uint32_t within = base & ((static_cast<uint32_t>(op.bytes) - 1) | 3) & (kWidest - 1);
  uint64_t key = (static_cast<uint64_t>(stride) << 8 | kRowKnown | within) << 8;
  uint64_t known = last.load(std::memory_order_relaxed);
  if ((known & ~kCount) == key) [[likely]]
    return static_cast<uint32_t>(known & kCount);
  uint32_t conflicts = conflictsOfRow(op, base, stride);
  last.store(key | conflicts, std::memory_order_relaxed);
  return conflicts;
}

} // namespace

Step BankConflicts::charge(Warp &warp, const Instr &i, uint32_t mask) {
  BankConflicts &self = *static_cast<ChargedGrid *>(warp.block->grid)->conflicts;
  Access &access = self.accesses_[warp.block->grid->pcOf(i)];
  bool rows = mask == kAllLanes && i.findsRow && i.a != kNone;
  const AddressRow *row = rows ? &addressRow(warp, i, access.rowKnown) : nullptr;
  if (!row || !row->inRow || !isFree(access.op, row->stride))
    return chargeConflicts(warp, i, mask, access);
  warp.block->work.wavefronts += access.phases;
  return access.run(warp, i, mask);
}

/// Does what charge() does, for an access that may have conflicts. It is a function of its own, so that other accesses
/// need no stack.
[[gnu::noinline]] Step BankConflicts::chargeConflicts(Warp &warp, const Instr &i, uint32_t mask, Access &access) {
  uint32_t conflicts = 0;
  bool rows = mask == kAllLanes && i.findsRow && i.a != kNone; // charge() has found the row
  if (rows && warp.row.inRow)
    conflicts = lastOrCounted(access.lastRow, access.op, static_cast<uint32_t>(warp.row.addressOf(i)), warp.row.stride);
  else if (mask)
    conflicts = conflictsOf(warp, i, access.op, mask,
                            access.lastLanes); // before a load overwrites the register of the addresses
  warp.block->work.wavefronts += access.phases + conflicts;
  if (conflicts) {
    warp.time += conflicts;
    access.wavefronts.fetch_add(conflicts, std::memory_order_relaxed);
  }
  return access.run(warp, i, mask);
}

} // namespace lanescope::core::emulator
