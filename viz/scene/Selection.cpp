#include "viz/scene/Selection.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/scene/PlaceWords.h"

#include <algorithm>
#include <numeric>

namespace lanescope::viz {
namespace {

void sortOnce(std::vector<int32_t> &values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Calls `visit` for the raster cells of a box.
template <typename Visit> void eachCell(const Scene &scene, const Box &box, Visit visit) {
  const Grid &grid = scene.grid;
  int64_t row = box.row * grid.blockRows, column = box.column * grid.blockColumns;
  for (int64_t r = row; r < std::min(row + grid.blockRows, scene.raster->rows()); ++r)
    for (int64_t c = column; c < std::min(column + grid.blockColumns, scene.raster->columns()); ++c)
      visit(r, c);
}

const Box *boxNumbered(const Scene &scene, int64_t box) {
  bool known = scene.array && scene.raster && box >= 0 && box < static_cast<int64_t>(scene.body.boxes.size());
  return known ? &scene.body.boxes[static_cast<size_t>(box)] : nullptr;
}

Selection ofElement(const Scene &scene, int64_t element) {
  Selection out;
  out.elements = {static_cast<int32_t>(element)};
  std::vector<CellAt> cells = scene.raster->cellsWith(out.elements);
  for (CellAt at : cells)
    scene.raster->model().linkedElements(at.row, at.column, out.linked);
  out.linked.push_back(out.elements[0]);
  sortOnce(out.linked);
  out.words = cells.empty() ? text("element ", indexWords(*scene.array, element))
                            : scene.raster->describe(cells[0].row, cells[0].column);
  return out;
}

const layouts::ElementMap *registersOf(const Scene &scene) {
  const auto *subject = std::get_if<RegisterSubject>(&scene.subject);
  return subject ? subject->map.get() : nullptr;
}

struct PlaceFinder {
  const Scene &scene;

  Result<Selection> operator()(std::monostate) const { return Selection{}; }

  Result<Selection> operator()(const ElementPlace &place) const {
    const layouts::Shape &shape = *scene.array;
    bool inside = place.index.size() == shape.size();
    for (size_t d = 0; inside && d < shape.size(); ++d)
      inside = place.index[d] >= 0 && place.index[d] < shape[d];
    if (!inside)
      return error("index-range", Message("there is no element {coordinates} in an array of shape {shape}",
                                          layouts::tupleText(place.index), layouts::tupleText(shape)));
    return ofElement(scene, layouts::ravelIndex(place.index, shape));
  }

  Result<Selection> operator()(const ThreadPlace &place) const {
    const layouts::ElementMap *map = registersOf(scene);
    if (!map)
      return error("not-selectable", "only a picture of a register layout has threads to select");
    if (place.thread < 0 || place.thread >= map->threads() || place.reg >= map->registers() ||
        place.position >= map->vector())
      return error("no-such-place", Message("the layout has threads 0 to {} with {} of {} each", map->threads() - 1,
                                            counted(map->registers(), "register"), map->vector()));
    Selection out;
    for (int reg = 0; reg < map->registers(); ++reg)
      for (int position = 0; position < map->vector(); ++position) {
        int32_t element = map->element(place.thread, reg, position);
        if (element < 0)
          continue;
        out.linked.push_back(element);
        if ((place.reg < 0 || place.reg == reg) && (place.position < 0 || place.position == position))
          out.elements.push_back(element);
      }
    sortOnce(out.elements);
    sortOnce(out.linked);
    out.words = threadWords(*map, place.thread);
    return out;
  }

  Result<Selection> operator()(const BytePlace &place) const {
    const auto *subject = std::get_if<SmemSubject>(&scene.subject);
    if (!subject)
      return error("not-selectable", "only a picture of shared memory has bytes to select");
    const layouts::AddressMap &map = *subject->map;
    if (place.byte < 0 || place.byte >= map.bytes())
      return error("no-such-place", Message("byte {byte} is not one of the buffer's {bytes}", place.byte, map.bytes()));
    int64_t first = place.byte * 8 / map.bitwidth(), last = (place.byte * 8 + 7) / map.bitwidth();
    for (int64_t offset = first; offset <= std::min(last, map.extent() - 1); ++offset)
      if (int32_t element = map.element(offset); element >= 0)
        return ofElement(scene, element);
    return Selection{};
  }

  Result<Selection> operator()(const TmemPlace &place) const {
    const auto *subject = std::get_if<TmemSubject>(&scene.subject);
    if (!subject)
      return error("not-selectable", "only a picture of a tensor-memory layout has cells to select");
    const layouts::TmemMap &map = *subject->map;
    if (place.lane < 0 || place.lane >= map.lanes() || place.column < 0 || place.column >= map.columns() ||
        place.sub >= map.packing())
      return error("no-such-place",
                   Message("the layout has lanes 0 to {} and columns 0 to {}, of {elements} elements each",
                           map.lanes() - 1, map.columns() - 1, map.packing()));
    Selection out;
    for (int sub = 0; sub < map.packing(); ++sub)
      if (int32_t element = map.element(place.lane, place.column, sub);
          element >= 0 && (place.sub < 0 || place.sub == sub)) {
        Selection one = ofElement(scene, element);
        out.elements.push_back(element);
        out.linked.insert(out.linked.end(), one.linked.begin(), one.linked.end());
        out.words = one.words;
      }
    sortOnce(out.elements);
    sortOnce(out.linked);
    return out;
  }
};

} // namespace

bool sameArray(const Scene &a, const Scene &b) { return a.array && b.array && *a.array == *b.array; }

std::vector<int32_t> elementsOf(const Scene &scene, int64_t box) {
  std::vector<int32_t> out;
  const Box *at = boxNumbered(scene, box);
  if (!at || at->element < 0)
    return out;
  eachCell(scene, *at, [&](int64_t row, int64_t column) {
    if (int64_t element = scene.raster->element(row, column); element >= 0)
      out.push_back(static_cast<int32_t>(element));
  });
  sortOnce(out);
  return out;
}

std::vector<int32_t> boxesWith(const Scene &scene, std::span<const int32_t> elements) {
  std::vector<int32_t> out;
  if (!scene.array || !scene.raster || scene.body.boxes.empty())
    return out;
  for (CellAt at : scene.raster->cellsWith(elements))
    out.push_back(
        static_cast<int32_t>(at.row / scene.grid.blockRows * scene.grid.columns + at.column / scene.grid.blockColumns));
  sortOnce(out);
  return out;
}

Selection selectionAt(const Scene &scene, int64_t box) {
  Selection out;
  const Box *at = boxNumbered(scene, box);
  if (!at || at->element < 0)
    return out;
  out.elements = elementsOf(scene, box);
  // The cells of a block usually have the same owners. Each owner is looked up once.
  std::vector<int32_t> known, keys;
  eachCell(scene, *at, [&](int64_t row, int64_t column) {
    keys.clear();
    if (scene.raster->element(row, column) >= 0)
      scene.raster->model().linkKeys(row, column, keys);
    if (std::includes(known.begin(), known.end(), keys.begin(), keys.end()))
      return;
    scene.raster->model().linkedElements(row, column, out.linked);
    known.insert(known.end(), keys.begin(), keys.end());
    sortOnce(known);
  });
  out.linked.insert(out.linked.end(), out.elements.begin(), out.elements.end());
  sortOnce(out.linked);
  out.words = at->tooltip;
  return out;
}

Selection selectionAt(const Scene &scene, CellAt cell) {
  Selection out;
  if (!scene.array || !scene.raster)
    return out;
  int64_t element = scene.raster->element(cell.row, cell.column);
  if (element < 0)
    return out;
  out.elements = {static_cast<int32_t>(element)};
  scene.raster->model().linkedElements(cell.row, cell.column, out.linked);
  out.linked.push_back(out.elements[0]);
  sortOnce(out.linked);
  out.words = scene.raster->describe(cell.row, cell.column);
  return out;
}

Result<Selection> selectionOf(const Scene &scene, const Place &place) {
  if (!scene.array || !scene.raster)
    return error("not-selectable", "the picture is of no array, so nothing in it can be selected");
  return std::visit(PlaceFinder{scene}, place);
}

} // namespace lanescope::viz
