// Writes the page in which html.py clicks, and prints the cells that the page must highlight, computed from the maps
// alone:
//
//   viz_html page.html
//
// The page has four pictures of one array of 64 x 8 in WGMMA: the owner of each element, the elements of each thread,
// shared memory before and after its swizzle, and the relayout into the transposed layout.
#include "layouts/Catalogue.h"
#include "viz/export/Export.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/SmemScene.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace lanescope;
using namespace lanescope::viz;

namespace {

constexpr int64_t kRows = 64, kColumns = 8;
constexpr int64_t kElement = 9 * kColumns + 2;
constexpr int64_t kMoving = 9 * kColumns + 3; // in another lane of the transposed layout

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return std::cerr << "usage: viz_html FILE.html\n", 2;
  layouts::Shape shape = {kRows, kColumns};
  layouts::RegisterLayout layout = layouts::catalogue::wgmma();
  std::vector<Scene> scenes;
  for (View view : {View::Grid, View::Lanes})
    scenes.push_back(*layoutScene(layout, shape, layouts::Dtype::F32, {.view = view}));
  scenes.push_back(*smemScene({.shape = shape, .dtype = layouts::Dtype::F32, .tiling = {8, 8}, .swizzle = 32}));
  auto mapOf = [&](const layouts::TiledLayout &tiled) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(tiled, shape));
  };
  scenes.push_back(*flowScene(mapOf(layouts::catalogue::wgmma()), mapOf(layouts::catalogue::wgmmaTransposed())));
  if (Result<void> written = exportScenes(scenes, argv[1]); !written)
    return std::cerr << render(written.error()), 1;

  layouts::ElementMap map = *layouts::ElementMap::of(layout, shape);
  layouts::SmemMap swizzled = *layouts::SmemMap::of(shape, 32, {8, 8}, 32),
                   plain = *layouts::SmemMap::of(shape, 32, {8, 8}, {});
  int64_t perStage = kRows * kColumns; // boxes: the lines before the swizzle, then the lines after it
  auto bytes = [&](int64_t element) {
    layouts::Shape index = layouts::unravelIndex(element, shape);
    return std::vector<int64_t>{plain.elementOffset(index), perStage + swizzled.elementOffset(index)};
  };
  layouts::Owner owner = map.owners(kElement)[0];
  nlohmann::json expected = {{"element", kElement},
                             {"columns", kColumns},
                             {"words", elementWords(map, kElement)},
                             {"slots", {map.slots(kElement)[0]}},
                             {"bytes", bytes(kElement)}};
  std::vector<int64_t> held, heldSlots, heldBytes;
  for (int value = 0; value < map.values(); ++value) {
    int64_t slot = int64_t(owner.thread) * map.values() + value;
    int64_t element = map.elements()[static_cast<size_t>(slot)];
    held.push_back(element);
    heldSlots.push_back(slot);
    for (int64_t box : bytes(element))
      heldBytes.push_back(box);
  }
  for (auto *list : {&held, &heldSlots, &heldBytes})
    std::sort(list->begin(), list->end());
  expected["held"] = held;
  expected["heldSlots"] = heldSlots;
  expected["heldBytes"] = heldBytes;
  // The source and the destination of the element: the rows of the threads that hold it in the two layouts.
  layouts::Owner after = mapOf(layouts::catalogue::wgmmaTransposed())->owners(kMoving)[0];
  expected["moving"] = kMoving;
  expected["threads"] = {map.owners(kMoving)[0].thread, after.thread};
  expected["rowHeight"] = scenes.back().grid.cellHeight;
  std::cout << expected.dump() << "\n";
}
