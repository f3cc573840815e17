// Addresses and instructions for transfers between registers and memory.
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/SharedMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

namespace lanescope::core {

using namespace mlir;

namespace {

/// Largest power of two that divides `n` (at most `limit`); `limit` for 0.
int64_t powerDividing(int64_t n, int64_t limit) {
  while (limit > 1 && n % limit != 0)
    limit /= 2;
  return limit;
}

/// The widest group of positions that is contiguous in every register.
int64_t contiguousRun(const std::vector<int64_t> &positions, int64_t elementBytes) {
  int64_t n = static_cast<int64_t>(positions.size());
  for (int64_t width = powerDividing(n, 16); width > 1; width /= 2) {
    bool contiguous = true;
    for (int64_t v = 0; v < n && contiguous; ++v)
      contiguous = positions[v] - positions[v / width * width] == v % width * elementBytes;
    if (contiguous)
      return width;
  }
  return 1;
}

int64_t swizzled(int64_t byte, int swizzle) {
  return static_cast<int64_t>(layouts::swizzledByte(static_cast<uint64_t>(byte), swizzle));
}

Value swizzled(ThreadBuilder &t, Value byte, int swizzle) {
  Value line = t.bitAnd(t.shiftRight(byte, 3), (swizzle / 16 - 1) * 16);
  return t.bitXor(byte, line);
}

/// An address whose known part becomes the instruction's immediate offset.
struct Place {
  Value base;
  int64_t known = 0;
};

/// Computes addresses in one reference. Registers share the parts that are equal.
class Addresser {
public:
  Addresser(KernelLowering &k, const Ref &ref, const OffsetPattern &pattern) : k_(k), ref_(ref) {
    thread_ = k.t.add(ref.computedOffset, pattern.thread(k.t, k.offsetBits(ref.shared)));
    bits_ = ref.computedOffset || pattern.wideThreadOffset ? -1 : pattern.threadBits;
  }

  Place place(const RegisterOffset &reg, int64_t position) {
    ThreadBuilder &t = k_.t;
    int64_t known = ref_.knownOffset + reg.known + position;
    Value computed = thread_;
    if (reg.computed)
      computed = t.add(thread_, t.resize(reg.computed, k_.offsetBits(ref_.shared)));
    if (!ref_.swizzle)
      return {base(computed, !reg.computed), known};
    if (!computed)
      return {ref_.base, swizzled(known, ref_.swizzle)};
    // The swizzle repeats every `period` bytes, so whole periods can be added after the swizzle.
    int64_t period = 128 * (ref_.swizzle / 16), low = known % period;
    // Bytes within a chunk can also be added after it if no carry leaves the chunk.
    if (bits_ != -1 && (bits_ & low % layouts::kSwizzleChunkBytes) == 0)
      low -= low % layouts::kSwizzleChunkBytes;
    if (reg.computed)
      return {t.address(ref_.base, swizzled(t, t.add(computed, low), ref_.swizzle), 0), known - low};
    Value &mine = byLow_[low];
    if (!mine) {
      Value offset;
      // Adding then equals XOR, and the swizzle of an XOR is the XOR of the swizzles.
      if (bits_ != -1 && (bits_ & low) == 0) {
        if (!swizzledThread_)
          swizzledThread_ = swizzled(t, computed, ref_.swizzle);
        offset = t.bitXor(swizzledThread_, swizzled(low, ref_.swizzle));
      } else {
        offset = swizzled(t, t.add(computed, low), ref_.swizzle);
      }
      mine = t.address(ref_.base, offset, 0);
    }
    return {mine, known - low};
  }

  /// The second register's place in lanes with `odd`, the first register's place in the other lanes.
  Place staggered(const RegisterOffset &reg, const RegisterOffset &other, Value odd) {
    ThreadBuilder &t = k_.t;
    Place even = place(reg, 0), second = place(other, 0);
    Value &base = bySecond_[{even.base, {second.base, second.known - even.known}}];
    if (!base)
      base = t.create<LLVM::SelectOp>(odd, t.address(second.base, Value(), second.known - even.known), even.base);
    return {base, even.known};
  }

private:
  Value base(Value computed, bool shared) {
    if (!shared)
      return k_.t.address(ref_.base, computed, 0);
    if (!base_)
      base_ = k_.t.address(ref_.base, computed, 0);
    return base_;
  }

  KernelLowering &k_;
  const Ref &ref_;
  Value thread_, base_, swizzledThread_;
  int64_t bits_;
  std::map<int64_t, Value> byLow_;
  llvm::DenseMap<std::pair<Value, std::pair<Value, int64_t>>, Value> bySecond_;
};

/// Converts offsets of 4-bit elements to bytes; false if an access would begin in the middle of a byte.
bool packNibbles(KernelLowering &k, OffsetPattern &pattern) {
  size_t count = pattern.positions.size();
  if (count % 2 != 0 || pattern.alignment % 2 != 0)
    return false;
  std::vector<int64_t> bytes;
  for (size_t v = 0; v < count; v += 2) {
    if (pattern.positions[v] % 2 != 0 || pattern.positions[v + 1] != pattern.positions[v] + 1)
      return false;
    bytes.push_back(pattern.positions[v] / 2);
  }
  pattern.positions = std::move(bytes);
  for (RegisterOffset &reg : pattern.registers) {
    if (reg.known % 2 != 0)
      return false;
    reg.known /= 2;
    reg.computed = reg.computed ? k.t.shiftRight(reg.computed, 1) : Value();
  }
  pattern.threadOffset = pattern.threadOffset ? k.t.shiftRight(pattern.threadOffset, 1) : Value();
  pattern.wideThreadOffset = pattern.wideThreadOffset ? k.t.shiftRight(pattern.wideThreadOffset, 1) : Value();
  pattern.threadMax /= 2;
  pattern.threadBits = pattern.threadBits == -1 ? -1 : pattern.threadBits >> 1;
  pattern.alignment /= 2;
  return true;
}

/// True if the matrix instructions can address the reference: it is not in another block.
bool isOwnShared(const Ref &ref) {
  return ref.shared && cast<LLVM::LLVMPointerType>(ref.base.getType()).getAddressSpace() == kSharedSpace;
}

void planMatrices(KernelLowering &k, const Ref &ref, const std::vector<RefDim> &dims,
                  const layouts::TiledLayout &layout, const layouts::MatrixTransfer &matrix,
                  TransferInstructions &plan) {
  plan.transposed = matrix.trans;
  for (const layouts::MatrixSet &set : matrix.sets) {
    OffsetPattern pattern = matrixOffsets(k, dims, layout, ref.packing, matrix, set);
    Addresser addresser(k, ref, pattern);
    for (auto [group, reg] : llvm::zip_equal(set.groups, pattern.registers)) {
      Place place = addresser.place(reg, 0);
      plan.matrices.push_back(
          {{group.registers.begin(), group.registers.begin() + set.matrices}, place.base, place.known});
    }
  }
}

} // namespace

layouts::TransferMemory memoryOf(const Ref &ref) {
  layouts::TransferMemory memory;
  for (const RefDim &dim : ref.dims) {
    memory.sizes.push_back(dim.sizes);
    memory.strides.push_back(dim.strides);
  }
  memory.bitwidth = static_cast<int>(ref.elementBytes * 8) / ref.packing;
  memory.swizzle = ref.swizzle ? ref.swizzle : layouts::kSwizzleChunkBytes;
  return memory;
}

FailureOr<TransferInstructions> planTransfer(KernelLowering &k, Operation *op, const Ref &ref,
                                             const layouts::RegisterLayout &layout, TransferKind kind) {
  std::vector<RefDim> dims = ref.dims; // strides in bytes from here on
  for (RefDim &dim : dims)
    for (int64_t &stride : dim.strides)
      stride *= ref.elementBytes;
  FailureOr<OffsetPattern> pattern = offsetsOf(k, op, dims, layout);
  if (failed(pattern))
    return failure();
  if (ref.packing == 2 && !packNibbles(k, *pattern)) {
    op->emitError("pairs of neighbouring 4-bit elements share a byte, so they must be in one register and adjacent in "
                  "memory; choose a layout whose vectors run along the reference's contiguous dimension");
    return failure();
  }

  int64_t width = contiguousRun(pattern->positions, ref.elementBytes);
  int64_t alignment = std::gcd(pattern->alignment, ref.knownOffset);
  if (ref.computedOffset)
    alignment = std::gcd(alignment, ref.computedAlignment);
  // Positions after the first group of a register start at multiples of the group, or at their stated offsets.
  while (width > 1) {
    int64_t all = alignment;
    for (size_t v = 0; v < pattern->positions.size(); v += width)
      all = std::gcd(all, pattern->positions[v]);
    if (powerDividing(all, 16) >= width * ref.elementBytes && width * ref.elementBytes <= 16)
      break;
    width /= 2;
  }

  TransferInstructions plan;
  plan.alignment = static_cast<unsigned>(width * ref.elementBytes);
  const auto *tiled = std::get_if<layouts::TiledLayout>(&layout);
  if (ref.shared && tiled && kind != TransferKind::Atomic) {
    plan.cost = layouts::chooseTransfer(kind == TransferKind::Load, *tiled, memoryOf(ref),
                                        {.bytes = static_cast<int>(plan.alignment),
                                         .base = ref.knownOffset,
                                         .alignment = ref.computedOffset ? ref.computedAlignment : 0,
                                         .matrices = isOwnShared(ref) && (kind == TransferKind::Load || k.gpu->tma)});
    if (plan.cost && plan.cost->matrix) {
      planMatrices(k, ref, dims, *tiled, *plan.cost->matrix, plan);
      return plan;
    }
  }
  Addresser addresser(k, ref, *pattern);
  if (plan.cost && plan.cost->stagger) {
    const layouts::TransferPlan &stagger = *plan.cost->stagger;
    int group = stagger.stagger->groupStride;
    plan.odd = k.t.compare(LLVM::ICmpPredicate::ne, k.t.bitAnd(k.lane, group), 0);
    for (int64_t r = 0; r < static_cast<int64_t>(pattern->registers.size()); ++r) {
      int64_t other = stagger.reg(r, group);
      Place place = addresser.staggered(pattern->registers[r], pattern->registers[other], plan.odd);
      plan.accesses.push_back({r, 0, width, k.t.address(place.base, Value(), place.known), other});
    }
    return plan;
  }
  int64_t separated = pattern->entriesPerRegister;
  for (int64_t r = 0; r < static_cast<int64_t>(pattern->registers.size()); ++r)
    for (int64_t v = 0; v < static_cast<int64_t>(pattern->positions.size()); v += width) {
      Place place = addresser.place(pattern->registers[r], pattern->positions[v]);
      plan.accesses.push_back(
          {r / separated, r % separated + v, width, k.t.address(place.base, Value(), place.known), 0});
    }
  return plan;
}

Value elementAddress(KernelLowering &k, const Ref &ref, ArrayRef<Value> indices) {
  ThreadBuilder &t = k.t;
  Value computed = ref.computedOffset;
  int64_t known = ref.knownOffset;
  for (auto [dim, index] : llvm::zip_equal(ref.dims, indices)) {
    if (auto number = ThreadBuilder::knownInteger(index)) {
      known += nestedOffset(*number, dim.sizes, dim.strides) * ref.elementBytes;
      continue;
    }
    Value rest = index;
    for (size_t i = dim.sizes.size(); i-- > 0;) {
      Value digit = i == 0 ? rest : t.modulo(rest, dim.sizes[i]);
      computed =
          t.add(computed, t.multiply(t.resize(digit, k.offsetBits(ref.shared)), dim.strides[i] * ref.elementBytes));
      if (i != 0)
        rest = t.divide(rest, dim.sizes[i]);
    }
  }
  if (!ref.swizzle)
    return t.address(ref.base, computed, known);
  if (!computed)
    return t.address(ref.base, Value(), swizzled(known, ref.swizzle));
  return t.address(ref.base, swizzled(t, t.add(computed, known), ref.swizzle), 0);
}

} // namespace lanescope::core
