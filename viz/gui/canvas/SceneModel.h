// A scene in a viewport, converted to flat records for drawing: the visible part, with as much detail as there is room
// for.
//
//   SceneModel model;  model.show(scene);
//   Spot spot = model.spotAt({312, 88});                        // the cell under the pointer
//   model.light(model.selectionOf(spot));                       // this picture's part of a selection made anywhere
//   const SceneFrame &frame = model.compose(900, 600, style);   // nothing off the canvas
//
// This file does not use Dear ImGui. Grids come from the scene's raster, and only visible cells are made. If cells are
// smaller than a few pixels, the frame is an image of the canvas's pixels and has no rectangles. Records are kept until
// the viewport, the canvas or the scene changes. So a frame in which only the pointer moves takes little time.
#pragma once

#include "viz/gui/canvas/BoxIndex.h"
#include "viz/gui/canvas/PixelImage.h"
#include "viz/gui/canvas/Viewport.h"
#include "viz/gui/style/SceneStyle.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Selection.h"

#include <memory>
#include <optional>

namespace lanescope::viz {

struct RectRecord {
  float x0, y0, x1, y1;
  uint32_t fill;
  int32_t extra = -1; // index into SceneFrame::extras
};
/// Properties that few cells have: stripes for several owners, a hatch over a copy. The hatch applies only to single
/// cells. See SceneFrame::hatches.
struct CellExtra {
  std::array<uint32_t, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
};
struct LabelRecord {
  float x, y;     // centre
  float size;     // font pixels
  int characters; // the width of the text in characters of a monospaced font
  std::string text;
};
struct TextRecord {
  float x, y; // x: the left end, centre or right end, depending on `align`; y: the middle of the height
  float size;
  uint32_t colour;
  Align align;
  bool bold;
  std::string text;
};
struct LineRecord {
  float x0, y0, x1, y1, width;
  uint32_t colour;
  float head = 0; // length of the arrow head at the end in pixels; 0: none
};
struct TickRecord {
  float at; // canvas pixels along the axis
  std::string text;
};
struct GroupRecord {
  float from, to; // canvas pixels along the axis, cut to the canvas
  uint32_t fill;
  std::string text;
};

struct SceneFrame {
  const PixelImage *image = nullptr; // the whole canvas; replaces `cells`
  const PixelImage *marks = nullptr; // drawn over the dimmed image; replaces `lit`
  std::vector<RectRecord> cells;
  std::vector<RectRecord> lit;     // drawn over the dimmed rest
  std::vector<RectRecord> chosen;  // the selection itself, outlined
  std::vector<RectRecord> hatches; // copies, drawn over `cells` and under `labels`; neighbours are joined
  std::vector<LineRecord> arrows;  // arrows of the selection's elements
  std::vector<CellExtra> extras;
  std::vector<LabelRecord> labels, litLabels;
  std::vector<TextRecord> texts;
  std::vector<LineRecord> under, lines;
  std::vector<TickRecord> top, left;
  std::vector<GroupRecord> topGroups, leftGroups;
  uint32_t ink = 0;    // the labels' colour
  bool dimmed = false; // something is lit, so the rest is dimmed
  RectRecord ground{}; // the picture's extent on the canvas
};

/// In pixels. A wider lit cell is marked by an outline, and a narrower one by its colour.
constexpr float kCellWithOutline = 14;

/// A scene and the index that frames use. It is made once, and not on the UI thread.
struct PreparedScene {
  Scene scene;
  BoxIndex boxes; // filled if the scene has no raster

  explicit PreparedScene(Scene scene);
};

/// A place in a picture: a cell of its grid, or one of its boxes.
struct Spot {
  int64_t row = -1, column = -1;
  int32_t box = -1;
  bool some() const { return row >= 0 || box >= 0; }
  bool operator==(const Spot &) const = default;
};

class SceneModel {
public:
  Viewport viewport;

  /// Shows another scene. If the new picture has the same size, the viewport stays. Otherwise, the next frame fits the
  /// picture to the canvas.
  void show(std::shared_ptr<const PreparedScene> prepared);
  void clear() { *this = SceneModel(); }
  const Scene *scene() const { return prepared_ ? &prepared_->scene : nullptr; }

  /// The spot under a point of the canvas.
  Spot spotAt(Point canvas) const;
  /// A cell of the grid, or the box that stands for it; an empty spot if there is none.
  Spot spotOf(int64_t row, int64_t column) const;
  /// The neighbour of a spot in the grid, for an arrow key. At the edge, it is the same spot. For an empty spot, it is
  /// the first visible cell.
  Spot moved(Spot from, int rows, int columns) const;
  /// The spot's middle, in body coordinates.
  std::optional<Point> centreOf(Spot spot) const;
  /// A description of the spot in words. Empty for an empty spot.
  std::string wordsOf(Spot spot) const;
  Selection selectionOf(Spot spot) const;

  /// Lights the part of this picture that belongs to the selection. An empty selection lights nothing. `spot` is the
  /// place of the selection, if the selection was made in this picture.
  void light(const Selection &selection, Spot spot = {});
  /// Lights cells of a picture that shows no array.
  void lightCells(std::vector<CellAt> cells);
  size_t litCount() const { return litCells_.size() + litBoxes_.size(); }

  void fit(double width, double height);
  void requestFit() {
    fitWanted_ = true, readableWanted_ = opening_ = false;
    opened_.reset();
  }
  /// In the next frame, shows the picture at the smallest scale at which the labels in its boxes are readable. Shows
  /// the part around `spot`, or the part from the top left corner on.
  void requestReadable(Spot spot = {}) { readableWanted_ = true, readableAt_ = spot; }
  /// In the next frame, uses this scale and puts the scene's point at the canvas's corner.
  void requestZoom(double scale, Point corner) { zoomWanted_ = {scale, corner}; }
  /// Moves the picture by the smallest distance that makes `spot` visible.
  void bringIntoSight(Spot spot);
  /// The width of the picture in body coordinates. It is the scene's width, increased so that a grid fills its canvas.
  double bodyWidth() const;
  double stretch() const { return stretch_; }
  /// True if a part of the picture is outside of the canvas.
  bool partial() const;
  /// The whole picture in at most side x side pixels, for the minimap. Null without a raster.
  const PixelImage *thumbnail(int side);

  /// The records of the frame, which are valid until the next call. Fits the picture to the canvas first, if it is a
  /// new one.
  const SceneFrame &compose(double width, double height, const SceneStyle &style);

private:
  struct Key {
    Viewport viewport;
    double width = 0, height = 0;
    SceneStyle style;
    bool operator==(const Key &) const = default;
  };
  const CellRaster *raster() const { return prepared_ ? prepared_->scene.raster.get() : nullptr; }
  double cellWidth() const; // in body coordinates, after stretching
  double cellHeight() const;
  GridPlace gridPlace() const;
  Rect rectOf(Spot spot) const;
  RectRecord onCanvas(const Rect &rect, uint32_t fill) const;
  /// Called after fit() for a new picture. If a large part of the picture stays visible, opens the picture at a size at
  /// which its labels are readable.
  void open(const SceneStyle &style, double width, double height);
  bool openReadable(const SceneStyle &style, double width, double height);
  /// The scale at which labels are readable, with or without the second line of each label. 0 if there are no labels.
  double readableScale(const SceneStyle &style, bool details) const;
  /// If a picture is much longer than high, or much higher than long, opens it at its beginning with a part that is
  /// large enough to see.
  void openHairline(double width, double height);
  void fitReadable(const SceneStyle &style, double width, double height);
  void composeGrid(const Key &key);
  void composeCells(const Key &key);
  void composeBorders(int64_t row, int64_t column, int64_t rows, int64_t columns, const std::vector<Cell> &cells);
  void composeBoxes(const Key &key);
  void composeLit(const Key &key);
  void composeTicks(const Key &key);
  void addLabels(const RectRecord &record, const std::string &label, const std::string &detail, const SceneStyle &style,
                 std::vector<LabelRecord> &out) const;
  void composeHatches(int64_t row, int64_t column, int64_t rows, int64_t columns, const std::vector<Cell> &cells);
  enum class Hatch : bool { No, Yes };
  enum class Themed : bool { No, Yes }; // Yes: the colours are those of the scene's theme already
  RectRecord boxRecord(int32_t index, const SceneStyle &style);
  void addExtra(RectRecord &record, const std::array<Colour, 4> &bands, int bandCount, Hatch hatch, Themed themed);

  std::shared_ptr<const PreparedScene> prepared_;
  bool fitWanted_ = false, readableWanted_ = false, opening_ = false;
  Spot readableAt_;
  std::optional<std::pair<double, Point>> zoomWanted_;
  double stretch_ = 1;                 // factor for the width of grids
  std::pair<double, double> openedIn_; // the canvas size at the last attempt to open the picture with labels
  // The viewport after the last fit, and after the last open() that showed a part. When the canvas changes its size,
  // the picture is fitted or opened again, until the user zooms or pans. The stretch of a grid depends on the canvas
  // too, so a picture that kept its first stretch would look different after each order of layout and drawing.
  Viewport fitted_;
  std::optional<Viewport> opened_;
  double width_ = 0, height_ = 0; // the size of the canvas in the last frame

  std::vector<CellAt> litCells_, chosenCells_;
  std::vector<CellArrow> arrows_; // the chosen elements' arrows
  std::vector<int32_t> litBoxes_, chosenBoxes_;
  bool litChanged_ = false;

  std::optional<Key> composed_; // the inputs of frame_
  SceneFrame frame_;
  size_t cellExtras_ = 0; // number of frame_.extras that belong to cells
  PixelImage image_, marks_;
  std::shared_ptr<PixelImage> thumbnail_;
};

} // namespace lanescope::viz
