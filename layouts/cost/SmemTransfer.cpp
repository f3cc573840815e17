#include "layouts/cost/SmemTransfer.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lanescope::layouts {

namespace {

constexpr int kRowBytes = 16, kFragmentBytes = 4; // a row of an 8x8 matrix, and a lane's part of the matrix
constexpr int64_t kMaxRegisters = 1 << 16;        // more registers than a thread can have
constexpr int64_t kPeriod = 1024;                 // bytes after which banks and swizzles repeat

/// The bytes, before the swizzle, that lanes, warps, registers and positions add to the offset.
struct Offsets {
  std::array<int64_t, kLanesPerWarp> lanes{};
  std::array<int64_t, kWarpsPerWarpgroup> warps{};
  std::vector<GridDim> grid; // the grid of registers, strides in bytes
  std::vector<int64_t> registers, positions;
  int64_t alignment = 0; // divides all offsets except those of positions
};

/// The offset of number `id`, which counts through `dims`, the last one fastest.
int64_t dealtOffset(int64_t id, const std::vector<PartitionDim> &dims, const NestedShapeStrides &nested) {
  int64_t offset = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    if (const auto *copies = std::get_if<Replicated>(&dims[i])) {
      id /= copies->times;
      continue;
    }
    size_t d = nested.shape.size() + std::get<int64_t>(dims[i]);
    for (size_t j = nested.shape[d].size(); j-- > 0; id /= nested.shape[d][j])
      offset += id % nested.shape[d][j] * nested.strides[d][j];
  }
  return offset;
}

std::optional<Offsets> offsetsOf(const TiledLayout &layout, const TransferMemory &memory) {
  auto nested = tileNestedShapeStrides(layout.tiling(), memory.sizes, memory.strides);
  if (!nested)
    return std::nullopt;
  bool whole = true; // true while the offsets are whole bytes
  auto bytes = [&](int64_t elements) {
    whole = whole && elements * memory.bitwidth % 8 == 0;
    return elements * memory.bitwidth / 8;
  };
  Offsets out;
  for (int i = 0; i < kLanesPerWarp; ++i)
    out.lanes[i] = bytes(dealtOffset(i, layout.laneDims(), *nested));
  for (int i = 0; i < kWarpsPerWarpgroup; ++i)
    out.warps[i] = bytes(dealtOffset(i, layout.warpDims(), *nested));
  size_t rank = nested->shape.size(), vectorDim = rank + layout.vectorDim();
  out.registers = {0};
  for (size_t d = 0; d < rank; ++d)
    for (size_t j = 0; j < nested->shape[d].size(); ++j) {
      if (layout.isPartitioned(static_cast<int64_t>(d) - static_cast<int64_t>(rank)))
        continue;
      // The stride of a single element is never used, and need not be whole bytes.
      GridDim dim{nested->shape[d][j], nested->shape[d][j] == 1 ? 0 : bytes(nested->strides[d][j])};
      out.grid.push_back(dim);
      if (saturatingMultiply(static_cast<int64_t>(out.registers.size()), dim.size) > kMaxRegisters)
        return std::nullopt;
      std::vector<int64_t> next;
      for (int64_t before : out.registers)
        for (int64_t i = 0; i < dim.size; ++i)
          next.push_back(before + i * dim.stride);
      out.registers = std::move(next);
    }
  const Shape &sizes = nested->shape[vectorDim], &strides = nested->strides[vectorDim];
  int64_t step = memory.bitwidth < 8 ? 8 / memory.bitwidth : 1; // 4-bit elements: one position per byte
  for (int64_t v = 0; v < layout.vectorLength(); v += step) {
    int64_t rest = v, offset = 0;
    for (size_t j = sizes.size(); j-- > 0; rest /= sizes[j])
      offset += rest % sizes[j] * strides[j];
    out.positions.push_back(bytes(offset));
  }
  for (int64_t offset : out.lanes)
    out.alignment = std::gcd(out.alignment, offset);
  for (int64_t offset : out.warps)
    out.alignment = std::gcd(out.alignment, offset);
  for (int64_t offset : out.registers)
    out.alignment = std::gcd(out.alignment, offset);
  if (!whole || layout.vectorLength() % step != 0)
    return std::nullopt;
  return out;
}

//===--- counting ---===//

/// Counts the wavefronts of one instruction for many start offsets.
class Access {
public:
  /// `lanes`: the bytes that each lane adds.
  Access(const SmemOp &op, const std::array<int64_t, kLanesPerWarp> &lanes, int swizzle)
      : op_(op), lanes_(lanes), swizzle_(swizzle) {
    int64_t least = *std::min_element(lanes.begin(), lanes.end());
    lift_ = (std::max<int64_t>(0, -least) + kPeriod - 1) / kPeriod * kPeriod;
  }

  /// Start offsets that differ by whole periods have the same count.
  const SmemCount &at(int64_t start) {
    auto [found, fresh] = counts_.try_emplace(start % kPeriod);
    if (fresh) {
      std::array<int32_t, kLanesPerWarp> addresses;
      for (int lane = 0; lane < kLanesPerWarp; ++lane)
        addresses[lane] = lane < op_.addressLanes()
                              ? static_cast<int32_t>(swizzledByte(
                                    static_cast<uint64_t>(start % kPeriod + lift_ + lanes_[lane]), swizzle_))
                              : kNoAddress;
      found->second = smemWavefronts(op_, addresses);
    }
    return found->second;
  }

private:
  SmemOp op_;
  std::array<int64_t, kLanesPerWarp> lanes_;
  int swizzle_;
  int64_t lift_ = 0; // a multiple of the period that keeps addresses positive
  std::map<int64_t, SmemCount> counts_;
};

/// Adds the access, moved by `shift` bytes, for every warp.
void count(SmemTransfer &to, Access &access, int64_t shift, const Offsets &offsets, const TransferPlace &place) {
  for (int64_t warp : offsets.warps) {
    const SmemCount &one = access.at(place.base + warp + shift);
    to.wavefronts += one.wavefronts;
    to.ideal += one.phases;
  }
}

SmemTransfer plain(bool load, const Offsets &offsets, const TransferMemory &memory, const TransferPlace &place,
                   const TransferPlan *plan) {
  SmemTransfer out;
  out.op = {.kind = load ? SmemOp::Kind::Load : SmemOp::Kind::Store, .bytes = place.bytes};
  size_t run = static_cast<size_t>(place.bytes / std::max(1, memory.bitwidth / 8)); // positions per access
  std::map<int64_t, Access> accesses; // keyed by the additional offset of lanes that take another register
  for (size_t r = 0; r < offsets.registers.size(); ++r) {
    // Lane 0 never takes another register. Lane groupStride, where the groups change, is the first that may.
    auto other = plan ? plan->reg(static_cast<int64_t>(r), plan->stagger->groupStride) : static_cast<int64_t>(r);
    int64_t more = offsets.registers[static_cast<size_t>(other)] - offsets.registers[r];
    auto found = accesses.find(more);
    if (found == accesses.end()) {
      std::array<int64_t, kLanesPerWarp> lanes = offsets.lanes;
      for (int lane = 0; lane < kLanesPerWarp && plan; ++lane)
        lanes[lane] += lane / plan->stagger->groupStride % 2 * more;
      found = accesses.emplace(more, Access(out.op, lanes, memory.swizzle)).first;
    }
    for (size_t v = 0; v < offsets.positions.size(); v += run)
      count(out, found->second, offsets.registers[r] + offsets.positions[v], offsets, place);
  }
  return out;
}

//===--- matrices ---===//

/// Finds how lanes and positions make up the rows of a matrix; nothing if they do not.
std::optional<MatrixTransfer> fragments(const Offsets &offsets, const TransferMemory &memory) {
  const auto &lanes = offsets.lanes;
  const auto &positions = offsets.positions;
  auto row = [](int64_t offset) { return offset % kRowBytes == 0; };
  if (!std::all_of(offsets.warps.begin(), offsets.warps.end(), row) ||
      !std::all_of(offsets.registers.begin(), offsets.registers.end(), row))
    return std::nullopt;
  int64_t element = std::max(1, memory.bitwidth / 8);
  if (static_cast<int64_t>(positions.size()) * element != kFragmentBytes)
    return std::nullopt;

  // Rows run along the lanes: four lanes hold 16 bytes.
  bool along = true;
  for (size_t v = 0; v < positions.size(); ++v)
    along = along && positions[v] == static_cast<int64_t>(v) * element;
  for (int lane = 0; lane < kLanesPerWarp && along; ++lane)
    along = row(lanes[lane / 4 * 4]) && lanes[lane] == lanes[lane / 4 * 4] + lane % 4 * kFragmentBytes;
  if (along)
    return MatrixTransfer{.trans = false, .rowStrides = {lanes[4], lanes[8], lanes[16]}, .sets = {}};

  // Transposed: element c of row j is in lane 4c + j/2, position j%2.
  if (memory.bitwidth != 16 || !row(positions[1]))
    return std::nullopt;
  for (int lane = 0; lane < kLanesPerWarp; ++lane)
    if (!row(lanes[lane % 4]) || lanes[lane] != lanes[lane % 4] + lane / 4 * element)
      return std::nullopt;
  return MatrixTransfer{.trans = true, .rowStrides = {positions[1], lanes[1], lanes[2]}, .sets = {}};
}

/// A part of the grid of registers.
struct Box {
  std::vector<int64_t> begin, size;
};

/// Cuts the grid into groups of four, two and one matrices, as few groups as possible. It first takes factors of two
/// from the innermost dimensions. The matrices of a group then have adjacent registers, as mma.sync and wgmma expect.
/// If these do not suffice, it cuts a dimension into an even part and the rest.
void cover(const std::vector<GridDim> &grid, const Box &box, std::vector<MatrixSet> &sets) {
  std::vector<size_t> even; // innermost first
  for (size_t d = grid.size(); d-- > 0;)
    if (box.size[d] % 2 == 0)
      even.push_back(d);
  bool four = even.size() >= 2 || (even.size() == 1 && box.size[even[0]] % 4 == 0);
  if (!four) {
    // Check if another dimension has room for another factor of two.
    int64_t keep = 0;
    size_t cut = 0;
    for (size_t d = 0; d < grid.size() && keep == 0; ++d) {
      // The first even dimension keeps a multiple of four, the others a multiple of two.
      int64_t least = !even.empty() && d == even[0] ? 4 : 2;
      if (box.size[d] > least) {
        keep = box.size[d] / least * least;
        cut = d;
      }
    }
    if (keep != 0) {
      Box first = box, rest = box;
      first.size[cut] = keep;
      rest.begin[cut] += keep;
      rest.size[cut] -= keep;
      cover(grid, first, sets);
      cover(grid, rest, sets);
      return;
    }
  }
  // The steps for bits 0 and 1 of a matrix's number; each step is along one dimension.
  std::array<std::pair<size_t, int64_t>, 2> bits{};
  MatrixSet set;
  std::vector<int64_t> step(grid.size(), 1);
  if (even.size() >= 2) {
    set.matrices = 4;
    bits = {std::pair(even[0], int64_t(1)), std::pair(even[1], int64_t(1))};
    step[even[0]] = step[even[1]] = 2;
  } else if (even.size() == 1) {
    set.matrices = four ? 4 : 2;
    bits = {std::pair(even[0], int64_t(1)), std::pair(even[0], int64_t(2))};
    step[even[0]] = set.matrices;
  }
  std::vector<int64_t> below(grid.size(), 1);
  for (size_t d = grid.size(); d-- > 1;)
    below[d - 1] = below[d] * grid[d].size;
  std::array<int64_t, 2> registerSteps{};
  for (size_t b = 0; b < 2 && set.matrices > (1 << b); ++b) {
    set.strides[b] = bits[b].second * grid[bits[b].first].stride;
    registerSteps[b] = bits[b].second * below[bits[b].first];
  }
  std::vector<int64_t> index(grid.size(), 0);
  while (true) {
    MatrixSet::Group group;
    int64_t reg = 0;
    for (size_t d = 0; d < grid.size(); ++d) {
      group.offset += (box.begin[d] + index[d]) * grid[d].stride;
      reg += (box.begin[d] + index[d]) * below[d];
    }
    for (int m = 0; m < set.matrices; ++m)
      group.registers[m] = static_cast<int32_t>(reg + m % 2 * registerSteps[0] + m / 2 * registerSteps[1]);
    set.groups.push_back(group);
    size_t d = grid.size();
    while (d > 0 && (index[d - 1] += step[d - 1]) >= box.size[d - 1])
      index[--d] = 0;
    if (d == 0)
      break;
  }
  sets.push_back(std::move(set));
}

std::optional<SmemTransfer> matrices(bool load, const Offsets &offsets, const TransferMemory &memory,
                                     const TransferPlace &place) {
  if (!place.matrices || place.base % kRowBytes != 0 || place.alignment % kRowBytes != 0)
    return std::nullopt;
  SmemTransfer out;
  out.matrix = fragments(offsets, memory);
  if (!out.matrix)
    return std::nullopt;
  Box all{std::vector<int64_t>(offsets.grid.size(), 0), {}};
  for (const GridDim &dim : offsets.grid)
    all.size.push_back(dim.size);
  cover(offsets.grid, all, out.matrix->sets);
  out.op = {.kind = load ? SmemOp::Kind::LoadMatrix : SmemOp::Kind::StoreMatrix,
            .bytes = kRowBytes,
            .trans = out.matrix->trans};
  for (const MatrixSet &set : out.matrix->sets) {
    SmemOp op = out.op;
    op.matrices = set.matrices;
    std::array<int64_t, kLanesPerWarp> lanes{};
    for (int lane = 0; lane < kLanesPerWarp; ++lane) {
      for (int bit = 0; bit < 3; ++bit)
        lanes[lane] += (lane >> bit & 1) * out.matrix->rowStrides[bit];
      for (int bit = 0; bit < 2; ++bit)
        lanes[lane] += (lane >> (3 + bit) & 1) * set.strides[bit];
    }
    Access access(op, lanes, memory.swizzle);
    for (const MatrixSet::Group &group : set.groups)
      count(out, access, group.offset, offsets, place);
  }
  for (const MatrixSet &set : out.matrix->sets)
    out.op.matrices = std::max(out.op.matrices, set.matrices);
  return out;
}

} // namespace

std::string SmemTransfer::text() const {
  return smemOpText(op) + (stagger ? lanescope::text(", ", stagger->text()) : "");
}

int widestAccess(const TiledLayout &layout, const TransferMemory &memory) {
  auto offsets = offsetsOf(layout, memory);
  if (!offsets)
    return 1;
  int element = std::max(1, memory.bitwidth / 8);
  auto count = static_cast<int64_t>(offsets->positions.size());
  for (int bytes = 16; bytes > element; bytes /= 2) {
    int64_t run = bytes / element;
    bool fits = count % run == 0 && offsets->alignment % bytes == 0;
    for (int64_t v = 0; v < count && fits; ++v)
      fits = offsets->positions[v] == offsets->positions[v / run * run] + v % run * element &&
             offsets->positions[v / run * run] % bytes == 0;
    if (fits)
      return bytes;
  }
  return element;
}

std::optional<SmemTransfer> chooseTransfer(bool load, const TiledLayout &layout, const TransferMemory &memory,
                                           const TransferPlace &place) {
  auto offsets = offsetsOf(layout, memory);
  if (!offsets)
    return std::nullopt;
  // If several lanes hold the same elements, use plain stores, because several rows of a matrix must not have one
  // place.
  bool copies = std::any_of(layout.laneDims().begin(), layout.laneDims().end(),
                            [](const PartitionDim &dim) { return std::holds_alternative<Replicated>(dim); });
  auto best = load || !copies ? matrices(load, *offsets, memory, place) : std::nullopt;
  if (best && best->conflicts() == 0)
    return best;
  auto take = [&](SmemTransfer other) {
    if (!best || other.wavefronts < best->wavefronts)
      best = std::move(other);
  };
  SmemTransfer direct = plain(load, *offsets, memory, place, nullptr);
  bool free = direct.conflicts() == 0;
  take(std::move(direct));
  if (free || layout.vectorLength() * memory.bitwidth != place.bytes * 8)
    return best;
  if (auto plan = planTransfer(layout, memory); plan && plan->stagger) {
    SmemTransfer staggered = plain(load, *offsets, memory, place, &*plan);
    staggered.stagger = std::move(*plan);
    take(std::move(staggered));
  }
  return best;
}

} // namespace lanescope::layouts
