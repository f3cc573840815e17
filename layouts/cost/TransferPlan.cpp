#include "layouts/cost/TransferPlan.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lanescope::layouts {

namespace {

constexpr int kMaxAccessBytes = 16;
constexpr int kMaxElementBits = 32;

/// A dimension that is dealt to lanes or warps, innermost last; stride 0 for copies.
using Dealt = std::vector<GridDim>;

Dealt dealt(const std::vector<PartitionDim> &dims, const NestedShapeStrides &nested) {
  Dealt out;
  for (const PartitionDim &dim : dims) {
    if (const auto *copies = std::get_if<Replicated>(&dim)) {
      out.push_back({copies->times, 0});
      continue;
    }
    size_t d = nested.shape.size() + std::get<int64_t>(dim);
    for (size_t j = 0; j < nested.shape[d].size(); ++j)
      out.push_back({nested.shape[d][j], nested.strides[d][j]});
  }
  return out;
}

/// Finds the bank of an access, by the plan's rule.
class BankRule {
public:
  BankRule(int bitwidth, int swizzle, int bytes, const Dealt &lanes)
      : chunk_(kSwizzleChunkBytes * 8 / bitwidth), line_(kSwizzleLineBytes * 8 / bitwidth),
        lines_(swizzle / kSwizzleChunkBytes) {
    int bankBytes = std::min(kSmemBankBytes, bytes);
    banks_ = kSmemBanks * (kSmemBankBytes / bankBytes);
    perBank_ = 8 * bankBytes / bitwidth;
    lanesPerWavefront_ = kLanesPerWarp / std::max(bytes / bankBytes, 1);
    for (int lane = 0; lane < kLanesPerWarp; ++lane) {
      int64_t rest = lane;
      for (size_t j = lanes.size(); j-- > 0;) {
        int64_t digit = rest % lanes[j].size;
        rest /= lanes[j].size;
        offsets_[lane] += digit * lanes[j].stride;
        counts_[lane] = counts_[lane] && (lanes[j].stride != 0 || digit == 0);
      }
    }
  }

  /// True if no two lanes of a wavefront use one bank. `even`, `odd`: the offset of the register that a lane moves, for
  /// lanes whose number divided by groupStride is even or odd.
  bool free(int64_t even, int64_t odd, int groupStride) const {
    std::array<int8_t, 32 * 4> seen; // the wavefront that used each bank last
    seen.fill(-1);
    for (int lane = 0; lane < kLanesPerWarp; ++lane) {
      if (!counts_[lane])
        continue;
      int64_t offset = offsets_[lane] + (lane / groupStride % 2 == 0 ? even : odd);
      offset ^= offset / line_ % lines_ * chunk_;
      int8_t wavefront = static_cast<int8_t>(lane / lanesPerWavefront_);
      int8_t &user = seen[offset / perBank_ % banks_];
      if (user == wavefront)
        return false;
      user = wavefront;
    }
    return true;
  }

  /// Offsets whose difference is a multiple of this have the same bank.
  int64_t period() const { return line_ * lines_; }
  /// The number of elements in one row of banks.
  int64_t row() const { return int64_t(kSmemBanks) * perBank_; }

private:
  int64_t chunk_, line_, lines_;
  int banks_, perBank_, lanesPerWavefront_;
  std::array<int64_t, kLanesPerWarp> offsets_ = {};
  std::array<bool, kLanesPerWarp> counts_ = filled();
  static constexpr std::array<bool, kLanesPerWarp> filled() {
    std::array<bool, kLanesPerWarp> out{};
    out.fill(true);
    return out;
  }
};

/// The offset that each register adds, row-major over the grid, modulo the rule's period.
std::vector<int32_t> registerOffsets(const std::vector<GridDim> &grid, int64_t period) {
  std::vector<int32_t> out = {0};
  for (const GridDim &dim : grid) {
    std::vector<int32_t> next;
    next.reserve(out.size() * dim.size);
    for (int32_t base : out)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(static_cast<int32_t>((base + i * (dim.stride % period)) % period));
    out = std::move(next);
  }
  return out;
}

bool isFree(const BankRule &rule, const std::vector<int32_t> &registers, const TransferPlan &plan, const Stagger &s) {
  int64_t below = 1;
  for (size_t d = s.dim + 1; d < plan.grid.size(); ++d)
    below *= plan.grid[d].size;
  for (size_t step = 0; step < registers.size(); ++step) {
    int64_t digit = static_cast<int64_t>(step) / below % s.size;
    int64_t other = static_cast<int64_t>(step) + ((digit + s.by) % s.size - digit) * below;
    if (!rule.free(registers[step], registers[other], s.groupStride))
      return false;
  }
  return true;
}

std::unexpected<Diagnostics> unsupported(Message message) { return error("transfer-unsupported", std::move(message)); }

/// The reference's shape and strides after the layout's tiling, if the tiling fits.
Result<NestedShapeStrides> nestedOf(const TiledLayout &layout, const TransferMemory &memory) {
  auto nested = tileNestedShapeStrides(layout.tiling(), memory.sizes, memory.strides);
  if (!nested)
    return nested;
  size_t rank = nested->shape.size(), vectorDim = rank + layout.vectorDim();
  int64_t vector = layout.vectorLength();
  for (size_t d = 0; d < rank; ++d)
    for (size_t j = 0; j < nested->shape[d].size(); ++j)
      if (d != vectorDim && nested->shape[d][j] != 1 && nested->strides[d][j] % vector != 0)
        return unsupported(Message("a stride of {elements} elements is not a multiple of the {} elements of a "
                                   "register, so vectors are not aligned in this memory",
                                   nested->strides[d][j], vector));
  if (nested->strides[vectorDim] != Shape{1})
    return unsupported("the elements of a register are not contiguous in this memory; another tiling or its transpose "
                       "may make them so");
  return nested;
}

} // namespace

TransferMemory TransferMemory::of(const SmemMap &map) {
  TransferMemory out;
  out.bitwidth = map.bitwidth();
  out.swizzle = map.swizzle().value_or(kSwizzleChunkBytes);
  for (const SmemDim &dim : map.dims()) {
    if (dim.tile == 1 || dim.tile == dim.size) {
      out.sizes.push_back({dim.size});
      out.strides.push_back({dim.tile == 1 ? dim.tileStride : dim.elementStride});
    } else {
      out.sizes.push_back({dim.size / dim.tile, dim.tile});
      out.strides.push_back({dim.tileStride, dim.elementStride});
    }
  }
  return out;
}

TransferMemory TransferMemory::transposed(const std::vector<size_t> &order) const {
  TransferMemory out = *this;
  for (size_t d = 0; d < order.size(); ++d) {
    out.sizes[d] = sizes[order[d]];
    out.strides[d] = strides[order[d]];
  }
  return out;
}

Shape TransferMemory::shape() const {
  Shape out;
  for (const Shape &dim : sizes)
    out.push_back(elementCount(dim));
  return out;
}

std::vector<int32_t> TransferMemory::elementOffsets() const {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < sizes.size(); ++d)
    for (size_t j = 0; j < sizes[d].size(); ++j)
      dims.emplace_back(sizes[d][j], strides[d][j]);
  std::vector<int32_t> out(static_cast<size_t>(elementCount(shape())));
  if (!out.empty())
    outerSum(dims, out.data());
  return out;
}

int64_t TransferPlan::reg(int64_t step, int lane) const {
  if (!stagger || lane / stagger->groupStride % 2 == 0)
    return step;
  int64_t below = 1;
  for (size_t d = stagger->dim + 1; d < grid.size(); ++d)
    below *= grid[d].size;
  int64_t digit = step / below % stagger->size;
  return step + ((digit + stagger->by) % stagger->size - digit) * below;
}

std::string TransferPlan::text() const {
  if (!stagger)
    return "trivial";
  return lanescope::text("staggered: +", stagger->by, " of ", stagger->size, " along grid dimension ", stagger->dim,
                         ", lanes in groups of ", stagger->groupStride);
}

Result<TransferPlan> planTransfer(const TiledLayout &layout, const TransferMemory &memory) {
  auto nested = nestedOf(layout, memory);
  if (!nested)
    return std::unexpected(std::move(nested.error()));
  int64_t vector = layout.vectorLength(), bits = vector * memory.bitwidth;
  if (bits % 8 != 0)
    return unsupported(Message("a register of {bits} bits is not whole bytes", bits));

  TransferPlan plan;
  size_t rank = nested->shape.size();
  int64_t align = 0;
  auto counts = [&](const GridDim &dim) {
    if (dim.size > 1)
      align = std::gcd(align, dim.stride);
  };
  for (size_t d = 0; d < rank; ++d)
    if (!layout.isPartitioned(static_cast<int64_t>(d) - static_cast<int64_t>(rank)))
      for (size_t j = 0; j < nested->shape[d].size(); ++j)
        plan.grid.push_back({nested->shape[d][j], nested->strides[d][j]});
  Dealt lanes = dealt(layout.laneDims(), *nested);
  std::for_each(plan.grid.begin(), plan.grid.end(), counts);
  std::for_each(lanes.begin(), lanes.end(), counts);
  for (const GridDim &dim : dealt(layout.warpDims(), *nested))
    counts(dim);

  if (bits > 8 * kMaxAccessBytes || memory.bitwidth > kMaxElementBits)
    return error("no-transfer-plan", Message("no plan for accesses of {bytes} bytes with {bits}-bit elements; plans "
                                             "move at most {limit} bytes and elements of {} bits",
                                             bits / 8, memory.bitwidth, kMaxAccessBytes, kMaxElementBits));
  int64_t chunk = kSwizzleChunkBytes * 8 / memory.bitwidth;
  if (align != 0 && chunk % align != 0 && vector <= align)
    return error(
        "no-transfer-plan",
        Message("registers start at multiples of {elements} elements, so one of {} may cross a 16-byte chunk of {}",
                align, vector, chunk));
  int64_t count = 1;
  for (const GridDim &dim : plan.grid)
    count = saturatingMultiply(count, dim.size);
  if (count > kMaxMapEntries / kThreadsPerWarpgroup)
    return error("too-large", Message("{registers} registers per thread are too many to plan for", count));

  plan.bytes = static_cast<int>(bits / 8);
  BankRule rule(memory.bitwidth, memory.swizzle, plan.bytes, lanes);
  std::vector<int32_t> registers = registerOffsets(plan.grid, rule.period());
  auto alone = [&](int32_t offset) { return rule.free(offset, offset, 1); };
  if (std::all_of(registers.begin(), registers.end(), alone))
    return plan;
  for (size_t d = 0; d < plan.grid.size(); ++d) {
    if (plan.grid[d].size == 1 || plan.grid[d].stride % rule.row() == 0)
      continue;
    for (int groupStride : {1, 2, 4, 8, 16})
      for (int64_t by = 1; by < plan.grid[d].size; ++by) {
        Stagger stagger{d, plan.grid[d].size, by, groupStride};
        if (isFree(rule, registers, plan, stagger)) {
          plan.stagger = stagger;
          return plan;
        }
      }
  }
  return error("no-transfer-plan", "no plan avoids the bank conflicts of this layout with this memory; another swizzle "
                                   "or tiling may");
}

} // namespace lanescope::layouts
