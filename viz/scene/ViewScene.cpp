// Draws the picture that a view's text requests.
#include "layouts/Catalogue.h"
#include "layouts/DefaultArray.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "viz/scene/DevicesScene.h"
#include "viz/scene/Legend.h"
#include "viz/scene/MatrixScene.h"
#include "viz/scene/OperandsScene.h"
#include "viz/scene/Selection.h"
#include "viz/scene/TmemArraysScene.h"
#include "viz/scene/ViewText.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

using layouts::Layout;

Result<std::optional<Layout>> parsed(const std::string &written, bool tmem) {
  if (written.empty())
    return std::nullopt;
  SourceRef source = Source::make("layout", written);
  if (tmem && written.starts_with('#')) // MLIR writes register and tensor-memory layouts in the same way
    if (Result<layouts::TMEMLayout> layout = layouts::parseTmemLayout(source))
      return Layout(*std::move(layout));
  Result<Layout> layout = layouts::parseLayout(source);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return *std::move(layout);
}

Result<std::shared_ptr<const layouts::ElementMap>> mapOf(const Layout &layout, const layouts::Shape &shape) {
  Result<layouts::ElementMap> map = layouts::elementMapOf(layout, shape);
  if (!map)
    return std::unexpected(std::move(map.error()));
  return std::make_shared<const layouts::ElementMap>(*std::move(map));
}

Result<Scene> matrixOf(const Layout &layout, const ViewSpec &spec, layouts::Dtype dtype) {
  Result<layouts::Placement> placed =
      layouts::placement(layout, spec.shape, layouts::bitwidth(dtype), memoryAsked(layout, spec.view, spec.memory));
  if (!placed)
    return std::unexpected(std::move(placed.error()));
  Result<layouts::LinearLayout> linear = layouts::linearForm(*placed);
  if (!linear)
    return std::unexpected(std::move(linear.error()));
  layouts::BitMatrix bits = linear->matrix();
  std::string called = layouts::catalogueName(layout).value_or(text(layouts::languageOf(layout), " layout"));
  Result<Scene> scene = f2Scene({bits.rows, bits.columns, bits.entries},
                                text(called, "  ", layouts::tupleText(spec.shape)), {.theme = spec.theme});
  if (scene)
    addCoverage(*scene, *placed);
  return scene;
}

Result<Scene> movesOf(const Layout &layout, const std::optional<Layout> &against, const ViewSpec &spec,
                      const LayoutSceneOptions &options) {
  if (!against)
    return error("no-second-layout",
                 Message("the `{}` view is of two layouts: name the other one too", name(spec.view)));
  auto from = mapOf(layout, spec.shape), to = mapOf(*against, spec.shape);
  if (!from || !to)
    return std::unexpected(std::move(from ? to.error() : from.error()));
  MoveSceneOptions moves{.labels = options.labels,
                         .tooltips = options.tooltips,
                         .maxLabelled = options.maxLabelled,
                         .maxCells = options.maxCells,
                         .slice = spec.slice,
                         .theme = spec.theme,
                         .boxes = options.boxes};
  if (spec.view == View::Diff)
    return diffScene(*from, *to, moves);
  Result<Scene> scene = flowScene(*from, *to, moves);
  if (!scene || spec.select.index() == 0)
    return scene;
  Result<Selection> chosen = selectionOf(*scene, spec.select);
  if (!chosen)
    return std::unexpected(std::move(chosen.error()));
  constexpr size_t kMostSelected = 64; // enough for the elements of a thread
  moves.selected = std::move(chosen->elements);
  moves.selected.resize(std::min(moves.selected.size(), kMostSelected));
  return flowScene(*from, *to, moves);
}

/// Draws an array in shared memory, tiled and swizzled. If there is a layout, it provides the owners.
Result<Scene> tiledOf(const std::optional<Layout> &layout, const ViewSpec &spec, layouts::Dtype dtype,
                      LayoutSceneOptions options) {
  options.theme = spec.theme;
  options.slice = spec.slice;
  options.view = spec.view;
  options.colourBy = spec.colourBy;
  SmemSceneOptions smem = addressOptions(options);
  smem.owners = layout;
  smem.stage = spec.stage;
  if (spec.smemColour)
    smem.colourBy = *spec.smemColour;
  else if (layout && spec.colourBy == ColourBy::Warp && !smem.array)
    smem.colourBy = SmemColour::Warp;
  return smemScene({.shape = spec.shape,
                    .dtype = dtype,
                    .tiling = spec.tiling,
                    .swizzle = spec.swizzle,
                    .transpose = spec.transpose},
                   smem);
}

/// Draws all operands of the instruction or tiled MMA in the text.
Result<Scene> operandsOf(const ViewSpec &spec, LayoutSceneOptions options) {
  std::optional<layouts::OperandSet> set = layouts::operandSet(Source::make("layout", spec.layout));
  if (!set)
    return error("view-does-not-fit",
                 "the `operands` view is of an instruction or a tiled MMA, such as `mma.m16n8k16.f16`");
  options.colourBy = spec.colourBy;
  options.theme = spec.theme;
  return operandsScene(*set, options);
}

bool isTiled(const ViewSpec &spec) { return !spec.tiling.empty() || spec.swizzle != 0 || spec.transpose; }

} // namespace

bool showsOperands(const ViewSpec &spec) {
  return spec.view == View::Auto && spec.shape.empty() && !spec.dtype && !spec.memory && spec.against.empty() &&
         spec.slice.empty() && spec.devices.empty() && spec.colourBy != ColourBy::Bank && !isTiled(spec) &&
         layouts::operandSet(Source::make("layout", spec.layout)).has_value();
}

Result<layouts::Reading> readingOf(const ViewSpec &spec, const Layout &layout) {
  layouts::ReadingRequest request{.memory = memoryAsked(layout, spec.view, spec.memory)};
  if (!spec.shape.empty())
    request.shape = spec.shape;
  std::vector<layouts::Memory> known = layouts::memoriesOf(layout);
  bool holds = isTiled(spec) || spec.view == View::Flow || spec.view == View::Diff; // pictures that show owners
  if (holds && !spec.memory && std::ranges::find(known, layouts::Memory::Registers) != known.end())
    request.memory = layouts::Memory::Registers;
  return layouts::readingOf(layout, request);
}

Result<ReadPicture> readPicture(ViewSpec asked, const Layout &layout, layouts::ReadingSwitch how) {
  layouts::Reading reading = LANESCOPE_TRY(readingOf(asked, layout));
  if (!reading.shape)
    reading.shape = layouts::exampleShape(layout, reading.memory);
  ReadPicture out{.spec = std::move(asked), .memory = reading.memory, .note = guessNote(layout, reading, how)};
  if (std::holds_alternative<layouts::Foreign>(layout) && layouts::memoriesOf(layout).size() > 1)
    out.spec.memory = reading.memory; // all pictures of the layout use the same memory
  out.spec.shape = *std::move(reading.shape);
  return out;
}

Result<Scene> viewScene(const ViewSpec &spec, const LayoutSceneOptions &options) {
  Result<std::optional<Layout>> layout = parsed(spec.layout, spec.view == View::Tmem);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  Result<std::optional<Layout>> against = parsed(spec.against, false);
  if (!against)
    return std::unexpected(std::move(against.error()));
  return viewScene(spec, *layout, *against, options);
}

Result<Scene> viewScene(const ViewSpec &given, const std::optional<Layout> &layout,
                        const std::optional<Layout> &against, const LayoutSceneOptions &options) {
  ViewSpec spec = given;
  if (!spec.arrays.empty()) {
    LayoutSceneOptions drawn = options;
    drawn.view = spec.view;
    drawn.theme = spec.theme;
    drawn.wholeMemory = spec.wholeMemory;
    return tmemArraysScene(spec.arrays, drawn);
  }
  bool tiled = isTiled(spec);
  if (spec.view == View::Operands || showsOperands(spec))
    return operandsOf(spec, options);
  if (!layout && spec.view != View::Smem && !tiled)
    return error("empty-layout", "a layout is expected, such as `\"WGMMA\"`; only the `smem` view goes without");
  std::optional<layouts::Memory> read;
  if (layout) {
    Result<layouts::Reading> reading = readingOf(spec, *layout);
    if (!reading)
      return std::unexpected(std::move(reading.error()));
    read = reading->memory;
    spec.shape = reading->shape.value_or(layouts::Shape{});
  }
  if (spec.shape.empty())
    return error("shape-missing", "the layout's text does not say what array it is for: add `shape=(…)`");
  layouts::Dtype dtype = spec.dtype.value_or(layout ? layouts::defaultDtype(*layout) : layouts::Dtype::F32);
  for (int64_t size : spec.shape)
    if (size <= 0)
      return error("empty-shape", Message("cannot draw the shape {shape}: its sizes must be positive",
                                          layouts::tupleText(spec.shape)));
  bool ownMemory = layout && std::holds_alternative<layouts::Foreign>(*layout) && read != layouts::Memory::Registers;
  if (layout && (spec.view == View::Devices || !spec.devices.empty())) {
    if (spec.view != View::Devices && spec.view != View::Auto)
      return error("view-does-not-fit",
                   Message("the `{}` view is of one device's part: leave `mesh` out", name(spec.view)));
    LayoutSceneOptions drawn = options;
    drawn.memory = spec.memory;
    drawn.colourBy = spec.colourBy;
    drawn.theme = spec.theme;
    drawn.slice = spec.slice;
    return devicesScene(*layout, spec.shape, dtype, spec.devices, drawn);
  }
  // The selected place must exist, even if the picture does not show it.
  auto selected = [&](Result<Scene> scene) -> Result<Scene> {
    if (scene && scene->array && scene->raster)
      if (Result<Selection> found = selectionOf(*scene, spec.select); !found)
        return std::unexpected(std::move(found.error()));
    return scene;
  };
  if (tiled || !layout || (spec.view == View::Smem && !ownMemory))
    return selected(tiledOf(layout, spec, dtype, options));
  if (spec.view == View::F2)
    return matrixOf(*layout, spec, dtype);
  if (spec.view == View::Flow || spec.view == View::Diff)
    return selected(movesOf(*layout, against, spec, options));
  LayoutSceneOptions drawn = options;
  drawn.view = spec.view;
  drawn.memory = spec.memory;
  drawn.colourBy = spec.colourBy;
  drawn.theme = spec.theme;
  drawn.slice = spec.slice;
  drawn.wholeMemory = spec.wholeMemory;
  return selected(layoutScene(*layout, spec.shape, dtype, drawn));
}

} // namespace lanescope::viz
