#include "layouts/tilus/TilusLayout.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <memory>

namespace lanescope::layouts::tilus {

namespace {

constexpr int64_t kMaxThreads = int64_t(1) << 20;

/// The modes that make up each dimension; modes of size one belong to none.
Result<std::vector<std::vector<size_t>>> grouped(const Shape &shape, const Shape &modes) {
  std::vector<std::vector<size_t>> out;
  size_t next = 0;
  auto fits = [&] {
    return error("layout-modes",
                 Message("modes {} do not make up the shape {shape}", listText(modes), listText(shape)));
  };
  for (int64_t size : shape) {
    out.emplace_back();
    for (int64_t left = size; left > 1; ++next) {
      if (next >= modes.size() || left % modes[next] != 0)
        return fits();
      if (modes[next] == 1)
        continue;
      left /= modes[next];
      out.back().push_back(next);
    }
  }
  while (next < modes.size() && modes[next] == 1)
    ++next;
  if (next != modes.size())
    return fits();
  return out;
}

Result<void> checkSizes(const Shape &shape, const Shape &modes) {
  for (const Shape *sizes : {&shape, &modes})
    for (int64_t size : *sizes)
      if (size < 1)
        return error("layout-modes", Message("sizes are positive, not {size}", size));
  if (elementCount(shape) > kMaxMapEntries)
    return error("too-large", Message("shape {shape} has more than {limit} elements", listText(shape), kMaxMapEntries));
  return {};
}

/// True if modes m and m+1 of one dimension follow each other in both orders, so that they can be merged.
bool continues(const Shape &order, size_t mode) {
  auto at = std::ranges::find(order, static_cast<int64_t>(mode));
  return at != order.end() && at + 1 != order.end() && *(at + 1) == static_cast<int64_t>(mode) + 1;
}

} // namespace

Result<RegisterLayout> RegisterLayout::make(Shape shape, Shape modeShape, Shape spatialModes, Shape localModes) {
  if (Result<void> sizes = checkSizes(shape, modeShape); !sizes)
    return std::unexpected(std::move(sizes.error()));
  Result<std::vector<std::vector<size_t>>> groups = grouped(shape, modeShape);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  std::vector<int> uses(modeShape.size(), 0);
  int64_t threads = 1;
  for (const Shape *modes : {&spatialModes, &localModes})
    for (int64_t mode : *modes) {
      if (mode < 0 && modes == &spatialModes) {
        threads = saturatingMultiply(threads, mode == INT64_MIN ? INT64_MAX : -mode);
        continue;
      }
      if (mode < 0 || mode >= static_cast<int64_t>(modeShape.size()))
        return error("layout-modes",
                     Message("mode {} is none of the {modes} modes {}", mode, modeShape.size(), listText(modeShape)));
      if (modes == &spatialModes)
        threads = saturatingMultiply(threads, modeShape[mode]);
      if (++uses[mode] > 1)
        return error("layout-modes", Message("mode {} is used twice", mode));
    }
  for (size_t mode = 0; mode < uses.size(); ++mode)
    if (uses[mode] == 0 && modeShape[mode] > 1)
      return error("layout-modes",
                   Message("mode {} of size {size} is neither spatial nor local", mode, modeShape[mode]));
  if (threads > kMaxThreads)
    return error("too-large",
                 Message("the layout has {threads} threads; at most {limit} are supported", threads, kMaxThreads));

  if (std::ranges::find(modeShape, 1) != modeShape.end()) {
    // Modes of size one are removed first, so that their neighbours can merge.
    Shape kept, renumber(modeShape.size(), -1);
    for (size_t mode = 0; mode < modeShape.size(); ++mode)
      if (modeShape[mode] > 1) {
        renumber[mode] = static_cast<int64_t>(kept.size());
        kept.push_back(modeShape[mode]);
      }
    for (Shape *modes : {&spatialModes, &localModes}) {
      std::erase_if(*modes, [&](int64_t mode) { return mode >= 0 && renumber[mode] < 0; });
      for (int64_t &mode : *modes)
        mode = mode < 0 ? mode : renumber[mode];
    }
    return make(std::move(shape), std::move(kept), std::move(spatialModes), std::move(localModes));
  }

  // The new number of each mode in the canonical form; -1 if it merges into the mode before it.
  std::vector<int64_t> renamed(modeShape.size(), -1);
  RegisterLayout out;
  for (const std::vector<size_t> &group : *groups)
    for (size_t i = 0; i < group.size(); ++i) {
      if (i > 0 && group[i] == group[i - 1] + 1 &&
          (continues(spatialModes, group[i - 1]) || continues(localModes, group[i - 1]))) {
        out.modeShape_.back() *= modeShape[group[i]];
        continue;
      }
      renamed[group[i]] = static_cast<int64_t>(out.modeShape_.size());
      out.modeShape_.push_back(modeShape[group[i]]);
    }
  for (int64_t mode : spatialModes)
    if (mode < -1)
      out.spatialModes_.push_back(mode);
    else if (mode >= 0 && renamed[mode] >= 0)
      out.spatialModes_.push_back(renamed[mode]);
  for (int64_t mode : localModes)
    if (renamed[mode] >= 0)
      out.localModes_.push_back(renamed[mode]);
  out.shape_ = std::move(shape);
  return out;
}

std::vector<std::vector<size_t>> RegisterLayout::groups() const { return *grouped(shape_, modeShape_); }

int64_t RegisterLayout::threads() const {
  int64_t out = 1;
  for (int64_t mode : spatialModes_)
    out *= mode < 0 ? -mode : modeShape_[mode];
  return out;
}

std::string RegisterLayout::text() const {
  return lanescope::text("RegisterLayout(shape=", listText(shape_), ", mode_shape=", listText(modeShape_),
                         ", spatial_modes=", listText(spatialModes_), ", local_modes=", listText(localModes_), ')');
}

Result<ElementMap> RegisterLayout::elementMap(const Shape &shape) const {
  Layout self = Foreign(std::make_shared<RegisterLayout>(*this));
  if (shape != shape_)
    return error("layout-shape",
                 Message("`{}` is for shape {shape}, not {other_shape}", text(), tupleText(shape_), tupleText(shape)));
  AffinePlaces places;
  for (int64_t size : modeShape_)
    places.modes.push_back({size});
  int64_t weight = 1;
  for (size_t i = spatialModes_.size(); i-- > 0;) {
    int64_t mode = spatialModes_[i];
    if (mode < 0)
      places.replicas.push_back({-mode, weight});
    else
      places.modes[mode].thread = weight;
    weight *= mode < 0 ? -mode : modeShape_[mode];
  }
  weight = 1;
  for (size_t i = localModes_.size(); i-- > 0; weight *= modeShape_[localModes_[i]])
    places.modes[localModes_[i]].value = weight;
  return affineRegisters(self, shape, places);
}

namespace {

/// The index in each mode, with one explain step per dimension that is cut.
Shape modeIndices(const Shape &modes, const std::vector<std::vector<size_t>> &groups, const Shape &index,
                  std::vector<ExplainStep> &steps) {
  Shape out(modes.size(), 0);
  for (size_t dim = 0; dim < groups.size(); ++dim) {
    int64_t left = index[dim];
    Shape sizes, values;
    for (size_t i = groups[dim].size(); i-- > 0;) {
      size_t mode = groups[dim][i];
      out[mode] = left % modes[mode];
      left /= modes[mode];
    }
    for (size_t mode : groups[dim]) {
      sizes.push_back(modes[mode]);
      values.push_back(out[mode]);
    }
    steps.push_back({text("dimension ", dim), text(index[dim], " cut by ", tupleText(sizes)), tupleText(values)});
  }
  return out;
}

} // namespace

Result<std::vector<ExplainStep>> RegisterLayout::explain(const Shape &shape, const Shape &index) const {
  if (shape != shape_)
    return error("layout-shape", Message("the layout is for shape {shape}", tupleText(shape_)));
  std::vector<ExplainStep> steps;
  Shape indices = modeIndices(modeShape_, groups(), index, steps);
  auto number = [&](const char *what, const Shape &modes) {
    int64_t value = 0;
    std::string how;
    for (int64_t mode : modes) {
      int64_t size = mode < 0 ? -mode : modeShape_[mode];
      value = value * size + (mode < 0 ? 0 : indices[mode]);
      how +=
          (how.empty() ? "" : ", ") + (mode < 0 ? lanescope::text("any of ", size, " copies")
                                                : lanescope::text("mode ", mode, " = ", indices[mode], " of ", size));
    }
    steps.push_back({what, how.empty() ? "no mode" : "row-major over " + how, lanescope::text(value)});
  };
  number("thread", spatialModes_);
  number("local", localModes_);
  return steps;
}

Result<SharedLayout> SharedLayout::make(Shape shape, Shape modeShape, Shape modeStrides,
                                        std::optional<AffineSwizzle> swizzle) {
  if (Result<void> sizes = checkSizes(shape, modeShape); !sizes)
    return std::unexpected(std::move(sizes.error()));
  if (modeShape.size() != modeStrides.size())
    return error("layout-modes",
                 Message("there are {modes} modes and {count} strides", modeShape.size(), modeStrides.size()));
  if (Result<std::vector<std::vector<size_t>>> groups = grouped(shape, modeShape); !groups)
    return std::unexpected(std::move(groups.error()));
  for (int64_t stride : modeStrides)
    if (stride < 0)
      return error("layout-modes", Message("strides are not negative, as {stride} is", stride));
  if (swizzle)
    if (Result<void> fits = checkAffineSwizzle(*swizzle); !fits)
      return std::unexpected(std::move(fits.error()));
  SharedLayout out;
  for (size_t i = 0; i < modeShape.size(); ++i)
    if (modeShape[i] > 1) {
      out.modeShape_.push_back(modeShape[i]);
      out.modeStrides_.push_back(modeStrides[i]);
    }
  out.shape_ = std::move(shape);
  if (swizzle && swizzle->bits > 0)
    out.swizzle_ = swizzle;
  return out;
}

std::string SharedLayout::text() const {
  std::string swizzle = swizzle_ ? lanescope::text("Swizzle(base=", swizzle_->base, ", bits=", swizzle_->bits,
                                                   ", shift=", swizzle_->shift, ')')
                                 : "None";
  return lanescope::text("SharedLayout(shape=", listText(shape_), ", mode_shape=", listText(modeShape_),
                         ", mode_strides=", listText(modeStrides_), ", swizzle=", swizzle, ')');
}

Result<AddressMap> SharedLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (shape != shape_)
    return error("layout-shape",
                 Message("`{}` is for shape {shape}, not {other_shape}", text(), tupleText(shape_), tupleText(shape)));
  AffinePlaces places;
  for (size_t i = 0; i < modeShape_.size(); ++i)
    places.modes.push_back({modeShape_[i], 0, modeStrides_[i]});
  Result<std::vector<int32_t>> offsets = affineOffsets(text(), shape, places);
  if (!offsets)
    return std::unexpected(std::move(offsets.error()));
  if (swizzle_)
    for (int32_t &offset : *offsets)
      offset = static_cast<int32_t>((*swizzle_)(offset));
  return AddressMap::make(text(), shape, bitwidth, *std::move(offsets));
}

Result<std::vector<ExplainStep>> SharedLayout::explain(const Shape &shape, const Shape &index) const {
  if (shape != shape_)
    return error("layout-shape", Message("the layout is for shape {shape}", tupleText(shape_)));
  std::vector<ExplainStep> steps;
  Shape indices = modeIndices(modeShape_, *grouped(shape_, modeShape_), index, steps);
  int64_t offset = 0;
  std::string how;
  for (size_t mode = 0; mode < indices.size(); ++mode) {
    offset += indices[mode] * modeStrides_[mode];
    how += (how.empty() ? "" : " + ") + lanescope::text(indices[mode], '*', modeStrides_[mode]);
  }
  steps.push_back({"offset", how.empty() ? "no mode" : how, lanescope::text(offset)});
  if (swizzle_)
    steps.push_back({"swizzled offset",
                     lanescope::text("bits from ", swizzle_->base + swizzle_->shift, " XORed into the ", swizzle_->bits,
                                     " from ", swizzle_->base),
                     lanescope::text((*swizzle_)(offset))});
  return steps;
}

Result<TmemLayout> TmemLayout::make(Shape shape, int64_t laneOffset, Shape columnStrides) {
  if (Result<void> sizes = checkSizes(shape, {}); !sizes)
    return std::unexpected(std::move(sizes.error()));
  if (shape.size() < 2 || shape.size() != columnStrides.size())
    return error("layout-modes", Message("a tensor-memory layout has at least two dimensions and a stride for each, "
                                         "not {count} with {other_count} strides",
                                         shape.size(), columnStrides.size()));
  if (shape[0] != 32 && shape[0] != 64 && shape[0] != 128)
    return error("layout-shape", Message("tensor memory is taken by 32, 64 or 128 rows, not {}", shape[0]));
  if (columnStrides[0] != 0)
    return error("layout-modes", Message("the rows take lanes: their column stride is 0, not {}", columnStrides[0]));
  for (int64_t stride : columnStrides)
    if (stride < 0)
      return error("layout-modes", Message("strides are not negative, as {stride} is", stride));
  if (laneOffset < 0 || laneOffset > kTmemLanes - shape[0])
    return error("layout-shape",
                 Message("rows {} from lane {lane} do not fit the {limit} lanes", shape[0], laneOffset, kTmemLanes));
  TmemLayout out;
  out.shape_ = std::move(shape);
  out.columnStrides_ = std::move(columnStrides);
  out.laneOffset_ = laneOffset;
  return out;
}

std::string TmemLayout::text() const {
  return lanescope::text("TMemoryLayout(shape=", listText(shape_), ", lane_offset=", laneOffset_,
                         ", column_strides=", listText(columnStrides_), ')');
}

Result<TmemMap> TmemLayout::tmemMap(const Shape &shape, int bitwidth) const {
  Layout self = Foreign(std::make_shared<TmemLayout>(*this));
  if (shape != shape_)
    return error("layout-shape",
                 Message("`{}` is for shape {shape}, not {other_shape}", text(), tupleText(shape_), tupleText(shape)));
  AffinePlaces places;
  places.modes.push_back({shape_[0], 1, 0});
  for (size_t dim = 1; dim < shape_.size(); ++dim)
    places.modes.push_back({shape_[dim], 0, columnStrides_[dim]});
  places.baseThread = laneOffset_;
  return affineTmem(self, shape, bitwidth, places);
}

} // namespace lanescope::layouts::tilus
