#include "layouts/notation/mosaic/JaxPythonPrinter.h"

#include "layouts/Digits.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

std::unexpected<Diagnostics> lossy(std::string_view why) {
  return error("notation-lossy", Message("Mosaic GPU cannot write this layout: {}", why));
}

/// One level of cuts: at most one digit per dimension, in the order of the dimensions.
using Level = std::vector<const DimDigit *>;

class Recovery {
public:
  /// `values`: values per thread; `vector`: values per register.
  Recovery(const Shape &shape, int64_t values, int64_t vector) : shape_(shape), values_(values), vector_(vector) {}

  Result<TiledLayout> tiled(const std::vector<DimDigit> &bySlot) {
    for (const DimDigit &digit : bySlot)
      if (digit.dim < 0 && digit.slot < values_)
        return lossy("a thread holds an element several times");
    if (!order(bySlot))
      return lossy("its registers are numbered against the order of the index");
    Shape left = shape_;
    for (const DimDigit *digit : outer_)
      left[digit->dim] /= digit->size;
    // The last level needs no cut, because it takes all digits that are left.
    bool vectorless = vector_ == 1 && !freeDimension();
    if (levels_.empty() || vectorless)
      levels_.emplace_back();
    std::vector<Shape> tiles = {left};
    for (size_t level = 0; level + 1 < levels_.size(); ++level) {
      for (const DimDigit *digit : levels_[level])
        left[digit->dim] /= digit->size;
      tiles.push_back(left);
    }
    std::vector<PartitionDim> warps, lanes;
    int64_t vectorDim = vector_ == 1 ? *freeDimension() : 0;
    for (size_t i = bySlot.size(); i-- > 0;) {
      const DimDigit &digit = bySlot[i];
      PartitionDim entry = digit.dim < 0 ? PartitionDim(Replicated{digit.size}) : PartitionDim(tiledDimension(digit));
      if (digit.slot >= values_ * kLanesPerWarp)
        warps.push_back(entry);
      else if (digit.slot >= values_)
        lanes.push_back(entry);
      else if (digit.slot < vector_)
        vectorDim = tiledDimension(digit);
    }
    Result<Tiling> tiling = Tiling::make(std::move(tiles));
    if (!tiling)
      return std::unexpected(std::move(tiling.error()));
    return TiledLayout::makeCanonical(*std::move(tiling), std::move(warps), std::move(lanes), vectorDim);
  }

private:
  enum class Role { Warp, Register, Lane, Vector };
  Role role(const DimDigit &digit) const {
    return digit.slot >= values_ * kLanesPerWarp ? Role::Warp
           : digit.slot >= values_               ? Role::Lane
           : digit.slot >= vector_               ? Role::Register
                                                 : Role::Vector;
  }
  bool isRegister(const DimDigit &digit) const { return role(digit) == Role::Register; }

  /// Sorts the digits into levels: the digits of each dimension, and those of the registers, go from major to minor.
  /// False if the two orders contradict each other.
  bool order(const std::vector<DimDigit> &bySlot) {
    std::vector<std::vector<const DimDigit *>> heads(shape_.size()); // minor first, so the next one is at the back
    std::vector<const DimDigit *> registers;
    size_t count = 0;
    for (const DimDigit &digit : bySlot)
      if (digit.dim >= 0) {
        heads[digit.dim].push_back(&digit);
        ++count;
        if (isRegister(digit))
          registers.push_back(&digit);
      }
    for (auto &head : heads)
      std::ranges::sort(head, {}, &DimDigit::unit);
    bool outside = true; // the digits so far are registers outside of the base tile
    Level level;
    auto flush = [&] {
      if (outside)
        outer_ = std::move(level);
      else if (!level.empty())
        levels_.push_back(std::move(level));
      level.clear();
      outside = false;
    };
    while (count > 0) {
      int after = level.empty() ? -1 : level.back()->dim;
      const DimDigit *next = nullptr;
      for (int dim = 0; dim < static_cast<int>(heads.size()); ++dim) {
        if (heads[dim].empty())
          continue;
        const DimDigit *head = heads[dim].back();
        if (isRegister(*head) ? head != registers.back() : outside)
          continue;
        // Prefer the order of JAX's own layouts: warps, registers, lanes, the vector. A level continues as long as the
        // dimensions ascend.
        if (!next || role(*head) < role(*next) || (role(*head) == role(*next) && dim > after && next->dim <= after))
          next = head;
      }
      if (!next && outside) {
        flush();
        continue;
      }
      if (!next)
        return false;
      if (next->dim <= after || (!level.empty() && role(*next) != role(*level.back()))) {
        flush();
        continue;
      }
      level.push_back(next);
      heads[next->dim].pop_back();
      if (isRegister(*next))
        registers.pop_back();
      --count;
    }
    flush();
    return true;
  }

  /// The negative number of a digit's dimension in the tiled shape.
  int64_t tiledDimension(const DimDigit &digit) const {
    auto rank = static_cast<int64_t>(shape_.size());
    for (size_t level = 0; level < levels_.size(); ++level)
      for (const DimDigit *own : levels_[level])
        if (*own == digit)
          return (static_cast<int64_t>(level) - static_cast<int64_t>(levels_.size())) * rank + digit.dim;
    return -1;
  }
  /// A tiled dimension of size one in the last level. It can be the vector dimension of a layout that has no vectors.
  std::optional<int64_t> freeDimension() const {
    if (levels_.empty())
      return std::nullopt;
    for (auto dim = static_cast<int>(shape_.size()); dim-- > 0;)
      if (std::ranges::none_of(levels_.back(), [&](const DimDigit *digit) { return digit->dim == dim; }))
        return dim - static_cast<int64_t>(shape_.size());
    return std::nullopt;
  }

  const Shape &shape_;
  int64_t values_, vector_;
  Level outer_;
  std::vector<Level> levels_;
};

Result<TiledLayout> recover(const std::optional<std::vector<Digit>> &digits, const Shape &shape, int64_t values,
                            std::optional<int64_t> vector) {
  if (shape.empty())
    return lossy("it has no dimension");
  if (!digits)
    return lossy("its threads and registers are not mixed-radix digits of the index");
  std::vector<int64_t> cuts = {values, values * kLanesPerWarp};
  if (vector && *vector > 1)
    cuts.push_back(*vector);
  std::optional<std::vector<DimDigit>> split = splitDigits(*digits, shape, cuts);
  if (!split)
    return lossy("its threads and registers are not digits within one dimension");
  int64_t chosen = vector.value_or(1);
  if (!vector && !split->empty() && split->front().slot < values && split->front().dim >= 0)
    chosen = split->front().size;
  if (chosen > 1 && split->front().size != chosen)
    return lossy("the elements of one register are not along one dimension");
  return Recovery(shape, values, chosen).tiled(*split);
}

} // namespace

Result<RegisterLayout> mosaicRegisters(const ElementMap &map) {
  if (const auto *own = std::get_if<RegisterLayout>(&map.layout()))
    return *own;
  if (map.threads() != kThreadsPerWarpgroup)
    return lossy(text("its layouts are of ", kThreadsPerWarpgroup, " threads, this one of ", map.threads()));
  if (!map.inWarpsOf(kLanesPerWarp))
    return lossy(text("its warps are of ", kLanesPerWarp, " threads, this layout's of ", map.threadsPerWarp()));
  std::optional<int64_t> vector;
  if (map.vector() > 1)
    vector = map.vector();
  Result<TiledLayout> tiled = recover(digitsOf(map), map.shape(), map.values(), vector);
  std::vector<RegisterLayout> candidates;
  if (tiled)
    candidates.emplace_back(*tiled);
  for (int64_t vec = 1; vec <= map.values(); vec *= 2)
    if (Result<WGStridedFragLayout> strided = WGStridedFragLayout::make(map.shape(), vec); strided)
      candidates.emplace_back(*strided);
  for (const RegisterLayout &candidate : candidates)
    if (Result<ElementMap> own = ElementMap::of(candidate, map.shape()); own)
      if (own->values() == map.values() && std::ranges::equal(own->elements(), map.elements()))
        return candidate;
  if (!tiled)
    return std::unexpected(std::move(tiled.error()));
  return lossy("its registers are numbered in another order");
}

Result<TMEMLayout> mosaicTmem(const TmemMap &map) {
  if (const auto *own = std::get_if<TMEMLayout>(&map.layout()))
    return *own;
  Result<TiledLayout> tiled =
      recover(digitsOf(map), map.shape(), int64_t(map.columns()) * map.packing(), map.packing());
  if (!tiled)
    return std::unexpected(std::move(tiled.error()));
  TMEMLayout layout(*std::move(tiled));
  Result<TmemMap> own = TmemMap::of(layout, map.shape(), map.bitwidth());
  if (!own)
    return std::unexpected(std::move(own.error()));
  if (!std::ranges::equal(own->elements(), map.elements()))
    return lossy("its columns are numbered in another order");
  return layout;
}

Result<SmemMap> mosaicShared(const AddressMap &map) {
  const Shape &shape = map.shape();
  auto matches = [&](const SmemMap &candidate) {
    // A few elements are enough to rule most candidates out.
    int64_t count = elementCount(shape);
    Shape index = unravelIndex(count > 0 ? count - 1 : 0, shape);
    if (count > 0 && candidate.elementOffset(index) != map.offset(count - 1))
      return false;
    for (int64_t element = 1; element < count; element *= 2)
      if (candidate.elementOffset(unravelIndex(element, shape)) != map.offset(element))
        return false;
    AddressMap own = AddressMap::of(candidate);
    return std::ranges::equal(own.offsets(), map.offsets());
  };
  auto tried = [&](Shape tiling, std::optional<int> swizzle, bool transpose) -> std::optional<SmemMap> {
    Result<SmemMap> candidate = SmemMap::of(shape, map.bitwidth(), std::move(tiling), swizzle, transpose);
    if (!candidate || !matches(*candidate))
      return std::nullopt;
    return *std::move(candidate);
  };
  for (std::optional<int> swizzle : {std::optional<int>(), std::optional(32), std::optional(64), std::optional(128)})
    if (std::optional<SmemMap> plain = tried({}, swizzle, false))
      return *std::move(plain);
  if (shape.size() >= 2) {
    int64_t rows = shape[shape.size() - 2], columns = shape.back();
    for (int swizzle : {128, 64, 32, 16})
      for (int64_t tileRows = 1; tileRows <= rows; ++tileRows) {
        if (rows % tileRows != 0)
          continue;
        for (int64_t tileColumns = 1; tileColumns <= columns; ++tileColumns) {
          if (columns % tileColumns != 0 || (swizzle > 16 && tileColumns * map.bitwidth() != swizzle * 8))
            continue;
          for (bool transpose : {false, true})
            if (std::optional<SmemMap> found =
                    tried({tileRows, tileColumns}, swizzle == 16 ? std::nullopt : std::optional(swizzle), transpose))
              return *std::move(found);
        }
      }
  }
  return lossy("its bytes are not those of a tiling with a 32-, 64- or 128-byte swizzle");
}

Result<std::string> jaxText(const Placement &placement) {
  if (const auto *map = std::get_if<ElementMap>(&placement)) {
    Result<RegisterLayout> layout = mosaicRegisters(*map);
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return jaxText(*layout);
  }
  if (const auto *map = std::get_if<TmemMap>(&placement)) {
    Result<TMEMLayout> layout = mosaicTmem(*map);
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return jaxText(*layout);
  }
  Result<SmemMap> map = mosaicShared(std::get<AddressMap>(placement));
  if (!map)
    return std::unexpected(std::move(map.error()));
  return MosaicShared::of(*map).transformsText();
}

Result<std::string> mlirText(const Placement &placement) {
  if (const auto *map = std::get_if<ElementMap>(&placement)) {
    Result<RegisterLayout> layout = mosaicRegisters(*map);
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return mlirText(*layout);
  }
  if (const auto *map = std::get_if<TmemMap>(&placement)) {
    Result<TMEMLayout> layout = mosaicTmem(*map);
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return mlirText(*layout);
  }
  Result<SmemMap> map = mosaicShared(std::get<AddressMap>(placement));
  if (!map)
    return std::unexpected(std::move(map.error()));
  if (map->transpose())
    return lossy("the dialect has no transposed order of tiles");
  return MosaicShared::of(*map).mlirText();
}

} // namespace lanescope::layouts
