#include "layouts/Explain.h"

#include "layouts/Equal.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

namespace lanescope::layouts {

namespace {

using Steps = std::vector<ExplainStep>;

/// The tiled index as Python's tuple text.
std::string valueText(const Shape &values) { return tupleText(values); }

/// One digit of a partition list: its name and its value.
struct Part {
  std::string name;
  int64_t value, size;
};

/// The text `dim -3 * 4 + dim -2 = 1*4 + 1`, and the number that it gives.
std::pair<std::string, int64_t> mixed(const std::vector<Part> &parts) {
  if (parts.empty())
    return {"no dimension", 0};
  std::string names, numbers;
  int64_t total = 0, weight = 1;
  for (const Part &part : parts)
    weight *= part.size;
  for (const Part &part : parts) {
    weight /= part.size;
    total += part.value * weight;
    if (part.size == 1 && parts.size() > 1)
      continue;
    names += (names.empty() ? "" : " + ") + part.name + (weight > 1 ? text(" * ", weight) : std::string());
    numbers += (numbers.empty() ? "" : " + ") + text(part.value) + (weight > 1 ? text('*', weight) : std::string());
  }
  if (names.empty())
    return {"every dimension has size 1", total};
  return {names + " = " + numbers, total};
}

Part dimPart(const TiledLayout &layout, const Shape &indices, int64_t dim) {
  return {text("dim ", dim), indices[indices.size() + dim], layout.dimSize(dim)};
}

/// The warp or lane of a list of entries. A replication counts as 0, the first copy.
Steps partitionSteps(const char *what, const TiledLayout &layout, const Shape &indices,
                     const std::vector<PartitionDim> &entries, int64_t &value) {
  std::vector<Part> parts;
  int64_t copies = 1;
  for (const PartitionDim &entry : entries) {
    if (const auto *replicated = std::get_if<Replicated>(&entry)) {
      parts.push_back({text("copy of ", replicated->times), 0, replicated->times});
      copies *= replicated->times;
    } else {
      parts.push_back(dimPart(layout, indices, std::get<int64_t>(entry)));
    }
  }
  auto [how, number] = mixed(parts);
  value = number;
  return {{what, how + (copies > 1 ? text("; ", copies, " copies, the first shown") : std::string()), text(number)}};
}

/// The tiled index: one step per tile.
Shape tileSteps(const Tiling &tiling, const Shape &index, Steps &steps) {
  Shape indices = index;
  for (const Shape &tile : tiling.tiles()) {
    size_t from = indices.size() - tile.size();
    Shape quotients, remainders;
    std::string how;
    for (size_t d = 0; d < tile.size(); ++d) {
      int64_t value = indices[from + d];
      quotients.push_back(value / tile[d]);
      remainders.push_back(value % tile[d]);
      how += (d ? ", " : "") + text(value, " = ", value / tile[d], '*', tile[d], " + ", value % tile[d]);
    }
    indices.resize(from);
    indices.insert(indices.end(), quotients.begin(), quotients.end());
    indices.insert(indices.end(), remainders.begin(), remainders.end());
    steps.push_back({text("tile ", tupleText(tile)), how, valueText(indices)});
  }
  return indices;
}

Result<Steps> tiledSteps(const TiledLayout &layout, const Shape &shape, const Shape &index, bool tmem) {
  Result<Shape> tiled = layout.tiling().tileShape(shape);
  if (!tiled)
    return std::unexpected(std::move(tiled.error()));
  Steps steps;
  Shape indices = tileSteps(layout.tiling(), index, steps);
  int64_t warp = 0, lane = 0;
  for (const ExplainStep &step : partitionSteps(tmem ? "quarter" : "warp", layout, indices, layout.warpDims(), warp))
    steps.push_back(step);
  for (const ExplainStep &step :
       partitionSteps(tmem ? "lane in the quarter" : "lane", layout, indices, layout.laneDims(), lane))
    steps.push_back(step);
  std::vector<Part> registers;
  auto rank = static_cast<int64_t>(tiled->size());
  auto suffix = static_cast<int64_t>(layout.tiledTilingShape().size());
  for (int64_t dim = -rank; dim < 0; ++dim)
    if (dim < -suffix || !layout.isPartitioned(dim))
      if ((*tiled)[rank + dim] != 1)
        registers.push_back({text("dim ", dim), indices[rank + dim], (*tiled)[rank + dim]});
  auto [how, number] = mixed(registers);
  steps.push_back({tmem ? "column" : "register", how, text(number)});
  steps.push_back({tmem ? "part of the column" : "vector position", text("dim ", layout.vectorDim()),
                   text(indices[rank + layout.vectorDim()])});
  steps.push_back({tmem ? "lane" : "thread",
                   text(tmem ? "quarter" : "warp", " * 32 + ", "lane = ", warp, "*32 + ", lane),
                   text(warp * kLanesPerWarp + lane)});
  return steps;
}

Steps stridedSteps(const WGStridedFragLayout &layout, int64_t element) {
  int64_t vec = layout.vecSize(), chunk = element / vec;
  return {{"element", "row-major", text(element)},
          {"chunk", text(element, " / ", vec), text(chunk)},
          {"vector position", text(element, " % ", vec), text(element % vec)},
          {"thread", text(chunk, " % ", kThreadsPerWarpgroup), text(chunk % kThreadsPerWarpgroup)},
          {"register", text(chunk, " / ", kThreadsPerWarpgroup), text(chunk / kThreadsPerWarpgroup)}};
}

Result<void> checkIndex(const Shape &shape, const Shape &index) {
  if (index.size() != shape.size())
    return error("index-range", Message("the index has {}, and the array has rank {rank}",
                                        counted(index.size(), "part"), shape.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (index[d] < 0 || index[d] >= shape[d])
      return error("index-range", Message("{} is outside dimension {dimension} of size {size}", index[d], d, shape[d]));
  return {};
}

} // namespace

Result<Steps> explain(const Layout &layout, const Shape &shape, int bitwidth, const Shape &index,
                      std::optional<Memory> memory) {
  if (Result<int64_t> count = checkedElementCount(shape); !count)
    return std::unexpected(std::move(count.error()));
  if (Result<void> inside = checkIndex(shape, index); !inside)
    return std::unexpected(std::move(inside.error()));
  if (const auto *registers = std::get_if<RegisterLayout>(&layout))
    if (std::holds_alternative<WGSplatFragLayout>(*registers)) {
      if (Result<void> applies = checkApplies(*registers, shape); !applies)
        return std::unexpected(std::move(applies.error()));
      return Steps{{"owners", "a splat holds one value for all elements", "every thread"}};
    }
  Result<Placement> map = placement(layout, shape, bitwidth, memory);
  if (!map)
    return std::unexpected(std::move(map.error()));
  int64_t element = ravelIndex(index, shape);
  Result<Steps> steps = Steps{};
  const auto *foreign = std::get_if<Foreign>(&layout);
  const Layout read = std::holds_alternative<TmemMap>(*map) ? layoutIn(layout, Memory::Tmem) : layout;
  if (foreign && memoryOf(*map) == memoryOf(layout)) // the language's own steps describe the layout's natural memory
    steps = (*foreign)->explain(shape, index);
  else if (foreign)
    steps = Steps{};
  else if (const auto *tmem = std::get_if<TMEMLayout>(&read))
    steps = tiledSteps(tmem->tiled(), shape, index, true);
  else if (const auto *tiled = std::get_if<TiledLayout>(&std::get<RegisterLayout>(layout)))
    steps = tiledSteps(*tiled, shape, index, false);
  else
    steps = stridedSteps(std::get<WGStridedFragLayout>(std::get<RegisterLayout>(layout)), element);
  if (!steps)
    return steps;
  if (steps->empty())
    steps->push_back({"element", "row-major index of " + tupleText(index), text(element)});
  steps->push_back({"places", "from the map", placeText(*map, element)});
  return steps;
}

} // namespace lanescope::layouts
