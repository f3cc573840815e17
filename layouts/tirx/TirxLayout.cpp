#include "layouts/tirx/TirxLayout.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <memory>

namespace lanescope::layouts::tirx {

namespace {

enum class Kind { Block, Thread, Memory, Trainium, TmemLane, TmemColumn };
struct AxisInfo {
  std::string_view name;
  Kind kind;
  int64_t threads;  // weight of one step in the thread number
  int64_t multiple; // because of the axis, the number of threads is a multiple of this
};
constexpr std::array<AxisInfo, 20> kAxes = {{{"bx", Kind::Block, 0, 1},
                                             {"by", Kind::Block, 0, 1},
                                             {"bz", Kind::Block, 0, 1},
                                             {"cbx", Kind::Block, 0, 1},
                                             {"cby", Kind::Block, 0, 1},
                                             {"cbz", Kind::Block, 0, 1},
                                             {"pid", Kind::Block, 0, 1},
                                             {"tx", Kind::Thread, 1, 1},
                                             {"warpid", Kind::Thread, kLanesPerWarp, kLanesPerWarp},
                                             {"laneid", Kind::Thread, 1, kLanesPerWarp},
                                             {"wgid", Kind::Thread, kThreadsPerWarpgroup, kThreadsPerWarpgroup},
                                             {"tid_in_wg", Kind::Thread, 1, kThreadsPerWarpgroup},
                                             {"wid_in_wg", Kind::Thread, kLanesPerWarp, kThreadsPerWarpgroup},
                                             {"tid", Kind::Thread, 1, 1},
                                             {"m", Kind::Memory, 0, 1},
                                             {"P", Kind::Trainium, 0, 1},
                                             {"F", Kind::Trainium, 0, 1},
                                             {"Bank", Kind::Trainium, 0, 1},
                                             {"TCol", Kind::TmemColumn, 0, 1},
                                             {"TLane", Kind::TmemLane, 0, 1}}};
const AxisInfo &info(Axis axis) { return kAxes[static_cast<size_t>(axis)]; }

constexpr int64_t kMaxBlocks = int64_t(1) << 20;

std::string term(int64_t value, Axis axis) { return axis == Axis::M ? text(value) : text(value, '@', info(axis).name); }

std::string spec(const std::vector<Iter> &iters) {
  if (iters.size() == 1)
    return text(iters[0].extent, ':', term(iters[0].stride, iters[0].axis));
  std::string extents, strides;
  for (const Iter &iter : iters) {
    extents += (extents.empty() ? "" : ", ") + text(iter.extent);
    strides += (strides.empty() ? "" : ", ") + term(iter.stride, iter.axis);
  }
  return text('(', extents, "):(", strides, ')');
}

std::string tileText(const TileSpec &tile) {
  if (tile.shard.empty() && tile.replica.empty()) {
    std::string terms;
    for (auto [axis, value] : tile.offset)
      terms += (terms.empty() ? "" : ", ") + text('"', info(axis).name, "\": ", value);
    return text("TileLayout.from_iters(offset={", terms, "})");
  }
  std::string out = tile.shard.empty() ? "S[()]" : text("S[", spec(tile.shard), ']');
  if (!tile.replica.empty())
    out += text(" + R[", spec(tile.replica), ']');
  // Sorted by axis name, as TVM's printer does.
  std::map<std::string_view, Axis> sorted;
  for (auto [axis, value] : tile.offset)
    sorted[info(axis).name] = axis;
  for (auto [axisName, axis] : sorted)
    out += " + " + term(tile.offset.at(axis), axis);
  return out;
}

/// All iterators and offset terms, for checks of their axes.
std::vector<Iter> allTerms(const TileSpec &tile) {
  std::vector<Iter> out = tile.shard;
  out.insert(out.end(), tile.replica.begin(), tile.replica.end());
  for (auto [axis, value] : tile.offset)
    out.push_back({2, value, axis});
  return out;
}

} // namespace

std::string_view name(Axis axis) { return info(axis).name; }

std::optional<Axis> axisNamed(std::string_view name) {
  for (size_t i = 0; i < kAxes.size(); ++i)
    if (kAxes[i].name == name)
      return static_cast<Axis>(i);
  return std::nullopt;
}

std::string axisNames() {
  std::string out;
  for (const AxisInfo &axis : kAxes)
    out += (out.empty() ? "" : ", ") + std::string(axis.name);
  return out;
}

Result<TirxLayout> TirxLayout::make(std::optional<TileSpec> tile, std::optional<SwizzleSpec> swizzle) {
  TirxLayout out;
  if (swizzle) {
    if (swizzle->swizzleLen < 0 || swizzle->perElement < 0 || swizzle->atomLen < swizzle->swizzleLen)
      return error("layout-swizzle", Message("a swizzle needs atom_len >= swizzle_len >= 0, not {} and {}",
                                             swizzle->atomLen, swizzle->swizzleLen));
    out.swizzle_ = swizzle;
    if (Result<void> fits = checkAffineSwizzle(out.swizzleFunction()); !fits)
      return std::unexpected(std::move(fits.error()));
  }
  if (!tile) {
    out.memory_ = Memory::Shared;
    return out;
  }
  // A zero term does not affect the layout, so it is not printed.
  std::erase_if(tile->offset, [](const auto &entry) { return entry.second == 0; });
  bool threads = false, tmem = false, memory = false;
  for (const Iter &iter : allTerms(*tile)) {
    if (iter.extent < 1 || iter.extent > kMaxMapEntries)
      return error("layout-extent", Message("an extent is between 1 and {limit}, not {}", kMaxMapEntries, iter.extent));
    if (iter.stride < 0 || iter.stride > kMaxMapEntries)
      return error("layout-stride",
                   Message("a stride or offset is between 0 and {limit}, not {stride}", kMaxMapEntries, iter.stride));
    switch (info(iter.axis).kind) {
    case Kind::Block:
    case Kind::Thread: threads = true; break;
    case Kind::Memory: memory = true; break;
    case Kind::TmemLane:
    case Kind::TmemColumn: tmem = true; break;
    case Kind::Trainium:
      return error(
          "layout-axis",
          Message("axis `{axis}` is a memory of Trainium, which is not supported; threads, `m`, `TLane` and `TCol` are",
                  info(iter.axis).name));
    }
  }
  if (tmem && (threads || memory))
    return error("layout-axis", "`TLane` and `TCol` do not go together with threads or `m` in one layout");
  if (swizzle && (threads || tmem))
    return error("layout-axis", "a swizzle applies only to layouts of `m`");
  // The range of each axis. It limits all sums below: the threads of a block, the blocks, the offsets.
  std::array<int64_t, 20> reach{};
  for (const Iter &iter : allTerms(*tile)) {
    int64_t &axis = reach[static_cast<size_t>(iter.axis)];
    axis = std::min(axis + (iter.extent - 1) * iter.stride, 2 * kMaxMapEntries);
  }
  int64_t perBlock = 1, blocks = 1;
  for (size_t axis = 0; axis < kAxes.size(); ++axis) {
    perBlock += reach[axis] * kAxes[axis].threads;
    if (kAxes[axis].kind == Kind::Block)
      blocks = saturatingMultiply(blocks, reach[axis] + 1);
    if (reach[axis] >= kMaxMapEntries || perBlock > kMaxMapEntries || blocks > kMaxBlocks)
      return error("too-large", Message("axis `{axis}` reaches further than the {limit} places that maps have",
                                        kAxes[axis].name, kMaxMapEntries));
  }
  out.memory_ = tmem ? Memory::Tmem : threads ? Memory::Registers : Memory::Shared;
  out.tile_ = std::move(tile);
  return out;
}

std::string TirxLayout::text() const {
  if (!swizzle_)
    return tileText(*tile_);
  std::string numbers = lanescope::text(swizzle_->perElement, ", ", swizzle_->swizzleLen, ", ", swizzle_->atomLen);
  std::string inner = swizzle_->inner ? "" : ", swizzle_inner=False";
  if (!tile_)
    return lanescope::text("SwizzleLayout(", numbers, inner, ')');
  std::string tile = tileText(*tile_);
  if (!tile.starts_with("TileLayout"))
    tile = lanescope::text("TileLayout(", tile, ')');
  return lanescope::text("ComposeLayout(", numbers, ", ", tile, inner, ')');
}

std::optional<Shape> TirxLayout::shape() const {
  if (!tile_)
    return std::nullopt;
  Shape out;
  for (const Iter &iter : tile_->shard)
    out.push_back(iter.extent);
  return out;
}

AffineSwizzle TirxLayout::swizzleFunction() const {
  if (!swizzle_)
    return {};
  return {.bits = swizzle_->swizzleLen,
          .base = swizzle_->perElement,
          .shift = swizzle_->inner ? swizzle_->atomLen : -swizzle_->atomLen};
}

AffinePlaces TirxLayout::places(const Shape &shape) const {
  AffinePlaces out;
  if (!tile_) {
    out.modes.push_back({elementCount(shape), 0, 1});
    return out;
  }
  // Threads are numbered block by block. The ranges of the axes give the number of threads in a block.
  std::array<int64_t, 20> reach{}; // the range of each axis
  auto reached = [&](const std::vector<Iter> &iters) {
    for (const Iter &iter : iters)
      reach[static_cast<size_t>(iter.axis)] += (iter.extent - 1) * iter.stride;
  };
  reached(tile_->shard);
  reached(tile_->replica);
  for (auto [axis, value] : tile_->offset)
    reach[static_cast<size_t>(axis)] += value;
  int64_t threads = 1, multiple = 1;
  for (const Iter &iter : allTerms(*tile_))
    if (info(iter.axis).kind == Kind::Thread)
      multiple = std::max(multiple, info(iter.axis).multiple);
  for (size_t axis = 0; axis < kAxes.size(); ++axis)
    threads += saturatingMultiply(reach[axis], kAxes[axis].threads);
  threads = (threads + multiple - 1) / multiple * multiple;
  std::array<int64_t, 20> weights{};
  int64_t blocks = threads;
  for (size_t axis = 0; axis < kAxes.size(); ++axis) {
    weights[axis] = kAxes[axis].threads;
    if (kAxes[axis].kind != Kind::Block)
      continue;
    weights[axis] = blocks;
    blocks = saturatingMultiply(blocks, reach[axis] + 1);
  }
  auto mode = [&](const Iter &iter) -> AffineMode {
    Kind kind = info(iter.axis).kind;
    if (iter.extent == 1)
      return {};
    if (kind == Kind::Memory || kind == Kind::TmemColumn)
      return {iter.extent, 0, iter.stride};
    if (kind == Kind::TmemLane)
      return {iter.extent, iter.stride, 0};
    return {iter.extent, saturatingMultiply(iter.stride, weights[static_cast<size_t>(iter.axis)]), 0};
  };
  for (const Iter &iter : tile_->shard)
    out.modes.push_back(mode(iter));
  for (const Iter &iter : tile_->replica)
    out.replicas.push_back(mode(iter));
  for (auto [axis, value] : tile_->offset) {
    AffineMode term = mode({2, value, axis});
    out.baseThread += term.thread;
    out.baseValue += term.value;
  }
  if (memory_ == Memory::Registers)
    out.threads = blocks;
  return out;
}

Result<ElementMap> TirxLayout::elementMap(const Shape &shape) const {
  if (memory_ != Memory::Registers)
    return ForeignLayout::elementMap(shape);
  return affineRegisters(Foreign(std::make_shared<TirxLayout>(*this)), shape, places(shape));
}

Result<AddressMap> TirxLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (memory_ != Memory::Shared)
    return ForeignLayout::addressMap(shape, bitwidth);
  if (Result<int64_t> count = checkedElementCount(shape); !count)
    return std::unexpected(std::move(count.error()));
  if (tile_ && !tile_->replica.empty())
    return error("layout-replica", Message("`{}` copies elements in memory; only single copies are supported", text()));
  Result<std::vector<int32_t>> offsets = affineOffsets(text(), shape, places(shape));
  if (!offsets)
    return std::unexpected(std::move(offsets.error()));
  if (swizzle_) {
    AffineSwizzle swizzle = swizzleFunction();
    for (int32_t &offset : *offsets)
      offset = static_cast<int32_t>(swizzle(offset));
  }
  return AddressMap::make(text(), shape, bitwidth, *std::move(offsets));
}

Result<TmemMap> TirxLayout::tmemMap(const Shape &shape, int bitwidth) const {
  if (memory_ != Memory::Tmem)
    return ForeignLayout::tmemMap(shape, bitwidth);
  return affineTmem(Foreign(std::make_shared<TirxLayout>(*this)), shape, bitwidth, places(shape));
}

Result<std::vector<ExplainStep>> TirxLayout::explain(const Shape &shape, const Shape &index) const {
  std::vector<ExplainStep> steps;
  int64_t flat = ravelIndex(index, shape);
  steps.push_back({"flatten", lanescope::text("row-major index of ", tupleText(index), " in ", tupleText(shape)),
                   lanescope::text(flat)});
  int64_t memory = flat;
  if (tile_) {
    Shape extents = *this->shape();
    if (elementCount(extents) != elementCount(shape))
      return error("layout-shape", Message("the layout is for {elements} elements", elementCount(extents)));
    Shape parts = unravelIndex(flat, extents);
    steps.push_back({"split", lanescope::text(flat, " over extents ", tupleText(extents)), tupleText(parts)});
    std::map<Axis, std::pair<std::string, int64_t>> axes;
    auto add = [&](Axis axis, const std::string &how, int64_t value) {
      auto &entry = axes[axis];
      entry.first += (entry.first.empty() ? "" : " + ") + how;
      entry.second += value;
    };
    for (size_t i = 0; i < parts.size(); ++i)
      add(tile_->shard[i].axis, lanescope::text(parts[i], '*', tile_->shard[i].stride),
          parts[i] * tile_->shard[i].stride);
    for (auto [axis, value] : tile_->offset)
      add(axis, lanescope::text(value), value);
    for (const auto &[axis, entry] : axes)
      steps.push_back({std::string(name(axis)), entry.first, lanescope::text(entry.second)});
    for (const Iter &iter : tile_->replica)
      steps.push_back({lanescope::text("copies along ", name(iter.axis)),
                       lanescope::text(iter.extent, " copies, ", iter.stride, " apart"), lanescope::text(iter.extent)});
    memory = axes[Axis::M].second;
  }
  if (swizzle_)
    steps.push_back(
        {"swizzled m",
         lanescope::text("units of 2^", swizzle_->perElement, ": ", swizzle_->swizzleLen,
                         " bits XORed over a distance of ", swizzle_->atomLen, swizzle_->inner ? "" : ", upwards"),
         lanescope::text(swizzleFunction()(memory))});
  return steps;
}

} // namespace lanescope::layouts::tirx
