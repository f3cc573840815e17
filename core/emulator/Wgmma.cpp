#include "core/emulator/Wgmma.h"

#include "core/emulator/CostModel.h"
#include "core/emulator/Lanes.h"
#include "core/emulator/Memory.h"
#include "core/emulator/NarrowFloat.h"
#include "core/emulator/TensorMap.h"
#include "core/emulator/WarpSync.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kDepth = 16; // K

/// A shared-memory matrix descriptor (PTX ISA, "Matrix Descriptor Format"): where element (mn, k) lies.
struct MatrixDescriptor {
  uint32_t start = 0, leading = 0, stride = 0, swizzle = 0;
  bool mnMajor = false;

  MatrixDescriptor(uint64_t bits, bool transposed) : mnMajor(transposed) {
    start = static_cast<uint32_t>(bits & 0x3FFF) << 4;
    leading = static_cast<uint32_t>(bits >> 16 & 0x3FFF) << 4;
    stride = static_cast<uint32_t>(bits >> 32 & 0x3FFF) << 4;
    static constexpr uint32_t kSwizzles[4] = {0, 128, 64, 32};
    swizzle = kSwizzles[bits >> 62];
  }

  // Tiles are 8 lines of `swizzle` bytes (16 without one); a line runs along K, or along M/N when transposed. Tiles
  // repeat along the line's direction by `leading` and across it by `stride`, the other way round without a swizzle
  // and with lines along M/N.
  uint32_t address(uint32_t mn, uint32_t k) const {
    uint32_t lineElements = swizzle ? swizzle / 2 : 8;
    uint32_t along = mnMajor ? mn : k, across = mnMajor ? k : mn;
    uint32_t alongStep = leading, acrossStep = stride;
    if (mnMajor && !swizzle)
      std::swap(alongStep, acrossStep);
    uint32_t linear = start + along / lineElements * alongStep + across / 8 * acrossStep +
                      across % 8 * (lineElements * 2) + along % lineElements * 2;
    return swizzled(linear, swizzle);
  }
};

bool readMatrix(Warp &warp, const Instr &i, const MatrixDescriptor &matrix, uint32_t first, uint32_t count, bool bf16,
                bool negate, float *out, bool kOuter) {
  for (uint32_t mn = 0; mn < count; ++mn)
    for (uint32_t k = 0; k < kDepth; ++k) {
      uint32_t address = matrix.address(first + mn, k);
      uint64_t offset = static_cast<uint64_t>(address) - kSharedBase;
      uint16_t bits;
      if (offset + 2 <= warp.block->shared.size()) {
        std::memcpy(&bits, warp.block->shared.data() + offset, 2);
      } else {
        const std::byte *from = resolve(warp, i, kNone, address, Space::Shared, 2, 2, Access::Read);
        if (!from)
          return false;
        std::memcpy(&bits, from, 2);
      }
      float value = bf16 ? widenBf16(bits) : widenF16(bits);
      out[kOuter ? k * count + mn : mn * kDepth + k] = negate ? -value : value;
    }
  return true;
}

bool compute(Warp &warp, const WgmmaOp &op) {
  const Instr &i = *op.instr;
  WgmmaVariant v = WgmmaVariant::unpack(i.imm);
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  uint32_t n = v.columns;
  float a[16 * kDepth];
  static thread_local float b[kDepth * 256];
  uint32_t rowBase = warp.id % 4 * 16;
  if (v.aInRegisters) {
    const uint32_t *parts = slots + (i.listSize - 4);
    for (uint32_t part = 0; part < 4; ++part) {
      const uint32_t *r = warp.reg<uint32_t>(parts[part]);
      for (uint32_t l = 0; l < kLanes; ++l)
        for (uint32_t h = 0; h < 2; ++h) {
          auto bits = static_cast<uint16_t>(r[l] >> (16 * h));
          float value = v.bf16 ? widenBf16(bits) : widenF16(bits);
          a[(l / 4 + 8 * (part & 1)) * kDepth + 2 * (l % 4) + h + 8 * (part >> 1)] = v.negateA ? -value : value;
        }
    }
  } else if (!readMatrix(warp, i, MatrixDescriptor(op.a, v.transposeA), rowBase, 16, v.bf16, v.negateA, a, false)) {
    return false;
  }
  if (!readMatrix(warp, i, MatrixDescriptor(op.b, v.transposeB), 0, n, v.bf16, v.negateB, b, true))
    return false;
  for (uint32_t row = 0; row < 16; ++row) {
    double sum[256] = {};
    for (uint32_t k = 0; k < kDepth; ++k) {
      double left = a[row * kDepth + k];
      const float *right = b + static_cast<size_t>(k) * n;
      for (uint32_t c = 0; c < n; ++c)
        sum[c] += left * static_cast<double>(right[c]);
    }
    uint32_t lane0 = row % 8 * 4, half = row / 8;
    for (uint32_t c = 0; c < n; ++c) {
      uint32_t lane = lane0 + c % 8 / 2;
      if (v.halfResult) {
        uint32_t &word = warp.reg<uint32_t>(slots[c / 8 * 2 + half])[lane];
        uint32_t shift = 16 * (c & 1);
        double old = op.accumulate ? static_cast<double>(widenF16(static_cast<uint16_t>(word >> shift))) : 0.0;
        uint32_t fresh = narrowF16(toFloatOdd(addToOdd(old, sum[c])));
        word = (word & ~(0xFFFFu << shift)) | fresh << shift;
      } else {
        float &value = warp.reg<float>(slots[c / 8 * 4 + half * 2 + (c & 1)])[lane];
        value = canonical(static_cast<float>((op.accumulate ? static_cast<double>(value) : 0.0) + sum[c]));
      }
    }
  }
  return true;
}

} // namespace

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  WgmmaOp op;
  op.instr = &i;
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  op.a = i.a == kNone ? 0 : warp.reg<uint64_t>(i.a)[first];
  op.b = warp.reg<uint64_t>(i.b)[first];
  op.accumulate = warp.predicate(i.c) >> first & 1;
  uint64_t columns = WgmmaVariant::unpack(i.imm).columns;
  warp.wgmma.unitFree = std::max(warp.time, warp.wgmma.unitFree) + columns * cost::kWgmmaPerColumn;
  op.ready = warp.wgmma.unitFree;
  warp.wgmma.ops.push_back(op);
  return Step::Next;
}

Step commitWgmma(Warp &warp, const Instr &, uint32_t) {
  for (WgmmaOp &op : warp.wgmma.ops)
    if (op.group == UINT64_MAX)
      op.group = warp.wgmma.committed;
  ++warp.wgmma.committed;
  return Step::Next;
}

Step waitWgmma(Warp &warp, const Instr &i, uint32_t) {
  WgmmaQueue &queue = warp.wgmma;
  size_t done = 0;
  for (const WgmmaOp &op : queue.ops) {
    if (op.group == UINT64_MAX || op.group + i.imm >= queue.committed)
      break;
    if (!compute(warp, op))
      return Step::Fault;
    warp.time = std::max(warp.time, op.ready);
    ++done;
  }
  queue.ops.erase(queue.ops.begin(), queue.ops.begin() + static_cast<long>(done));
  return Step::Next;
}

} // namespace lanescope::core::emulator
