// Draws a layout for registers or tensor memory as a picture.
//
//   layoutScene(catalogue::wgmma(), {64, 8}, Dtype::F32)                            // the array: each cell's owner
//   layoutScene(catalogue::wgmma(), {64, 8}, Dtype::F32, {.view = View::Lanes})     // the threads: their elements
//   layoutScene(cute, {64, 64}, Dtype::F16, {.view = View::Smem})                   // lines of 128 bytes by 32 banks
//
// Accepts layouts in any language and with any number of threads. Arrays of rank 1 are wrapped (Fold.h). From rank 3
// on, the leading dimensions are stacked as rows, or fixed by `slice`.
#pragma once

#include "viz/scene/Scene.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::viz {

/// The view of a picture.
/// Grid: the rows and columns of the array.
/// Lanes: a row per thread (or TMEM lane), a column per register position.
/// Tmem: the 128 lanes by the columns of tensor memory. It is the default for a TMEM layout, and equals Lanes there.
/// Smem: shared memory as lines of 128 bytes by 32 banks, for layouts that give addresses. SmemScene.h draws tiled
/// arrays.
/// Other functions draw the remaining views: F2 (MatrixScene.h), Flow and Diff (MoveScene.h), Devices (DevicesScene.h),
/// Operands (OperandsScene.h).
enum class View { Auto, Grid, Lanes, Tmem, Smem, F2, Flow, Diff, Devices, Operands };
/// Bank: the bank of shared memory. There are 32 banks of 4 bytes (see LayoutSceneOptions::addresses). Custom: see
/// `classes`.
enum class ColourBy { Warp, Lane, Register, Vector, Bank, Custom };

std::string_view
name(View view); // "auto", "grid", "lanes", "tmem", "smem", "f2", "flow", "diff", "devices", "operands"
std::string_view name(ColourBy colourBy); // "warp", "lane", "register", "vector", "bank", "custom"
std::optional<View> viewNamed(std::string_view name);
std::span<const View> allViews();
/// "auto, grid, lanes, …", for messages.
std::string viewNames();
std::optional<ColourBy> colourByNamed(std::string_view name);

using AnyLayout = layouts::Layout; // a layout for registers, tensor memory or shared memory

constexpr int32_t kMostClasses = 1 << 16;

/// A class for each element. ColourBy::Custom shows the classes as colours.
struct ElementClasses {
  std::vector<int32_t> of; // one per element, row-major, below kMostClasses; negative for an element without a class
  std::vector<std::string> names; // for the legend; a class without a name shows its number
};

struct LayoutSceneOptions {
  View view = View::Auto;
  ColourBy colourBy = ColourBy::Warp;
  /// The memory for which the layout is read (Reading.h). A view that shows only one memory requires that memory.
  std::optional<layouts::Memory> memory = std::nullopt;
  std::string name = {};         // the layout's name for the title ("WGMMA"); empty: the catalogue's name or its kind
  bool labels = true;            // two lines of text in each cell, if there is room
  bool tooltips = true;          // sets Box::tooltip
  int64_t maxLabelled = 1 << 14; // with more cells, labels are left out
  int64_t maxCells = 1 << 16;    // with more cells, cells are merged into blocks
  ColourTheme theme = ColourTheme::Light;
  layouts::Shape slice = {}; // indices of the leading dimensions that are fixed; the picture shows the other dimensions
  bool boxes = true;         // false: makes only Scene::raster, axes and legend, for a window that draws the raster
  bool wholeMemory = false;  // shows all 512 columns of tensor memory, beginning with those of the layout
  /// The addresses whose banks ColourBy::Bank shows for a register layout. If null, the array is in rows, from address
  /// 0 on.
  std::shared_ptr<const layouts::AddressMap> addresses = nullptr;
  std::shared_ptr<const ElementClasses> classes = nullptr; // for ColourBy::Custom
};

/// The memory for which a view reads a layout: the requested one or, if none is requested, the view's own memory, if
/// the layout is for it.
std::optional<layouts::Memory> memoryAsked(const AnyLayout &layout, View view, std::optional<layouts::Memory> asked);

/// Errors: the layout does not apply to the shape, or has no map for the memory that the view shows; a slice outside
/// the shape; an element width that TMEM does not support; ColourBy::Custom without classes for all elements.
Result<Scene> layoutScene(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                          const LayoutSceneOptions &options = {});
/// The same for an existing map. `scene` must have its title and subtitle.
Result<Scene> elementMapScene(std::shared_ptr<const layouts::ElementMap> map, layouts::Dtype dtype,
                              const LayoutSceneOptions &options, Scene scene = {});

/// Checks that the slice has at most as many indices as the shape has dimensions, each within its size.
Result<void> checkSlice(const layouts::Shape &shape, const layouts::Shape &slice);

} // namespace lanescope::viz
