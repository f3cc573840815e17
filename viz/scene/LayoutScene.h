// A register or TMEM layout as a picture.
//
//   layoutScene(catalogue::wgmma(), {64, 8}, Dtype::F32)                       // the array; each cell says who holds
//   it layoutScene(catalogue::wgmma(), {64, 8}, Dtype::F32, {.view = View::Lanes}) // the threads; each cell says what
//   it holds
//
// Arrays of rank 1 are wrapped into rows of 16; of rank 3 and more, the leading dimensions are stacked as rows.
#pragma once

#include "viz/scene/Scene.h"

#include <optional>
#include <string_view>

namespace lanescope::viz {

/// Grid: rows and columns of the array. Lanes: a row per thread (or TMEM lane), a column per register position. Tmem:
/// the 128 lanes by columns of tensor memory; the default, and the same as Lanes, for a TMEMLayout. Smem: shared
/// memory, for arrays stored there (see SmemScene.h); with a register layout, coloured by its warps.
enum class View { Auto, Grid, Lanes, Tmem, Smem };
enum class ColourBy { Warp, Lane, Register, Vector };

std::string_view name(View view);         // "auto", "grid", "lanes", "tmem", "smem"
std::string_view name(ColourBy colourBy); // "warp", "lane", "register", "vector"
std::optional<View> viewNamed(std::string_view name);
std::optional<ColourBy> colourByNamed(std::string_view name);

using AnyLayout = layouts::Layout; // of registers or tensor memory

struct LayoutSceneOptions {
  View view = View::Auto;
  ColourBy colourBy = ColourBy::Warp;
  std::string name = {};         // of the layout, for the title ("WGMMA"); empty: the catalogue's name or its kind
  bool labels = true;            // two lines in each cell, where there is room
  bool tooltips = true;          // words in Box::tooltip
  int64_t maxLabelled = 1 << 14; // cells; with more, labels are left out
  int64_t maxCells = 1 << 16;    // cells; with more, blocks of them are merged
};

/// Errors: the layout does not apply to the shape; TMEM with an unfit element width; View::Smem (needs SmemScene.h) or
/// View::Tmem for a register layout.
Result<Scene> layoutScene(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                          const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
