// A picture as plain data. The window, the terminal and every file format draw it.
//
//   auto scene = *layoutScene(catalogue::wgmma(), {64, 8}, Dtype::F32);
//   scene.body.boxes[74]  ->  rect, fill, "T5", "r1.0", tooltip "element (9, 2) is held by warp 0, lane 5, …"
//
// The body is the picture itself, in pixels from its own top left corner (x right, y down). Title, axes, legend and
// notes are separate data. For files, page() (Page.h) places them around the body. The window draws them in its own
// way, for example with axes that stay visible while the body scrolls. A scene keeps its `subject`, so that JSON and
// CSV can contain the data rather than the picture.
#pragma once

#include "core/Trace.h"
#include "layouts/AddressMap.h"
#include "layouts/Diff.h"
#include "layouts/Dtype.h"
#include "layouts/SharedMemory.h"
#include "layouts/TmemArray.h"
#include "layouts/TmemMap.h"
#include "viz/scene/DeviceSplit.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::viz {

struct Colour {
  uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Colour &) const = default;
};

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(Point p) const { return p.x >= x && p.x < x + width && p.y >= y && p.y < y + height; }
};

/// The theme of a picture: dark ink on light paper, or light ink on dark paper. See Palette.h.
enum class ColourTheme : uint8_t { Light, Dark };

enum class Align { Left, Centre, Right };

/// One line of text. `at` is vertically at the middle of the line, and horizontally at its left end, centre or right
/// end, depending on `align`.
struct Text {
  Point at;
  std::string text;
  double size = 12; // font size in pixels
  Colour colour;
  Align align = Align::Left;
  bool bold = false;
};

struct Line {
  Point from, to;
  Colour colour;
  double width = 1;
  bool under = false; // true: drawn before the boxes, so that it is under them
  double head = 0;    // length of the arrow head at `to`; 0: no head
};

/// A rectangle with a meaning: an element of the array, a cell of a memory, a slice of a trace.
struct Box {
  Rect rect;
  Colour fill, stroke;
  double strokeWidth = 0;
  /// If it is more than one, the fill consists of this many vertical bands of equal width, as for an element that
  /// several warps hold.
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false; // draws a diagonal hatch over the fill: several owners hold a copy
  /// One or two centred lines of text; empty if the box is too small for them.
  std::string label, detail;
  double labelSize = 11;
  Colour labelColour;
  std::string tooltip; // describes in words what the box shows
  /// The row-major index of the (first) element, or the slice's index in its track; -1 for an empty box.
  int64_t element = -1;
  int64_t elements = 1;        // if more than 1, the box stands for a block of that many elements
  int32_t row = 0, column = 0; // in Scene::grid; for a trace, the track and the nesting depth
  /// Index into Scene::linkSets; -1: none. If the sets of two boxes share a key, the boxes light up together under the
  /// pointer.
  int32_t linkSet = -1;
};

struct Tick {
  double at = 0; // position along the axis, in body coordinates
  std::string text;
};

/// Labels along the top or the left side of the body.
struct Axis {
  std::string title;
  std::vector<Tick> ticks;
  /// A wider group of ticks, drawn outside of them, such as "warp 0" over its 32 lanes. `size` is the extent along the
  /// axis.
  struct Group {
    double at = 0, size = 0;
    std::string text;
    Colour fill;
  };
  std::vector<Group> groups;
};

struct LegendEntry {
  Colour fill;
  std::array<Colour, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
  std::string sample = {}; // text on the swatch: "T5"
  std::string text = {};   // "warp 0: threads 0 to 31; a darker shade is a higher lane"
  bool caption = false;    // a text about the entries that follow, without a swatch
  bool ofLines = false;    // explains lines, which terminals do not draw, so they skip it
  bool operator==(const LegendEntry &) const = default;
};

struct Picture {
  double width = 0, height = 0;
  std::vector<Box> boxes;
  std::vector<Line> lines;
  std::vector<Text> texts;
};

/// The regular grid of the boxes, which the terminal prints. Without rows, the scene has no grid (a trace). A box
/// stands for blockRows x blockColumns cells of Scene::raster.
struct Grid {
  int32_t rows = 0, columns = 0;
  double cellWidth = 0, cellHeight = 0; // size of a box
  int64_t blockRows = 1, blockColumns = 1;
  bool square = false; // an image: a window must not widen its cells
};

struct RegisterSubject {
  layouts::Layout layout;
  layouts::Shape shape;
  std::shared_ptr<const layouts::ElementMap> map;
};
struct TmemSubject {
  layouts::Layout layout;
  layouts::Shape shape;
  layouts::Dtype dtype;
  std::shared_ptr<const layouts::TmemMap> map;
};
/// All arrays that a kernel declares in tensor memory.
struct TmemArraysSubject {
  std::vector<layouts::TmemArray> arrays;
};
struct SmemSubject {
  std::shared_ptr<const layouts::AddressMap> map;
  layouts::Dtype dtype;
  std::optional<layouts::SmemMap> tiled = std::nullopt; // set for a tiled reference of Mosaic
};
struct TraceSubject {
  std::shared_ptr<const core::Trace> trace;
  // The trace to which Box::row and Box::element refer (see TraceLanes.h).
  std::shared_ptr<const core::Trace> drawn = nullptr;
};
/// A matrix over F2. Rows are output bits and columns are input bits, both with names.
struct MatrixSubject {
  std::vector<std::string> rows, columns;
  std::vector<uint8_t> entries; // row-major, 0 or 1
};
/// Two register layouts of one array, and how each element moves between them.
struct MoveSubject {
  std::shared_ptr<const layouts::ElementMap> from, to;
  std::shared_ptr<const layouts::DiffResult> diff;
};
/// An array that is split over devices. All devices hold their parts in the same layout.
struct DevicesSubject {
  std::shared_ptr<const layouts::ElementMap> map; // the map of one part
  DeviceSplit split;
};
using Subject = std::variant<std::monostate, RegisterSubject, TmemSubject, SmemSubject, TraceSubject, MatrixSubject,
                             MoveSubject, TmemArraysSubject, DevicesSubject>;

class CellRaster;

struct Scene {
  std::string title, subtitle;
  ColourTheme theme = ColourTheme::Light; // the theme of all its colours
  /// The array to whose elements Box::element refers. Nothing if the picture shows no array. See Selection.h.
  std::optional<layouts::Shape> array = std::nullopt;
  Picture body;
  Axis top, left;
  std::vector<LegendEntry> legend;
  std::vector<std::string> notes; // say what was left out or merged, and how to see it
  Grid grid;
  std::shared_ptr<const CellRaster> raster; // for a grid: computes any of its cells on demand
  /// Sets of sorted keys. A key is, for layouts, a thread of the warpgroup; for TMEM, a lane; for shared memory, a
  /// 16-byte chunk of the array; for traces, the index of a name.
  std::vector<std::vector<int32_t>> linkSets;
  std::string linkHint; // "hover: everything that the same thread holds lights up"
  Subject subject;
};

/// The lines, in which the head of each arrow is two further lines. For formats without arrows.
std::vector<Line> withHeads(const std::vector<Line> &lines);
/// The topmost box under a point of the body, or -1.
int64_t boxAt(const Scene &scene, Point point);
/// True if two link sets share a key; false if either is -1.
bool linked(const Scene &scene, int32_t setA, int32_t setB);

} // namespace lanescope::viz
