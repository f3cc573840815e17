// A scene under a viewport, turned into flat records to draw: what is in sight, with the detail that fits.
//
//   SceneModel model;  model.show(scene);
//   Spot spot = model.spotAt({312, 88});                        // the cell under the pointer
//   model.light(model.selectionOf(spot));                       // this picture's part of a selection made anywhere
//   const SceneFrame &frame = model.compose(900, 600, style);   // nothing off the canvas
//
// No Dear ImGui in here. Grids come from the scene's raster, cell by cell and only those in sight; where cells are
// smaller than a few pixels, the frame is an image of the canvas's own pixels instead of rectangles. Records are kept
// until the viewport, the canvas or the scene changes, so that a frame in which only the pointer moves is cheap.
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
/// What few cells have: stripes of several owners, a hatch over copies (of single cells; see SceneFrame::hatches).
struct CellExtra {
  std::array<uint32_t, 4> bands{};
  int bandCount = 0;
  bool hatched = false;
};
struct LabelRecord {
  float x, y;     // centre
  float size;     // font pixels
  int characters; // of the text: its width in a monospaced font
  std::string text;
};
struct TextRecord {
  float x, y; // left end, centre or right end, by `align`; middle of the height
  float size;
  uint32_t colour;
  Align align;
  bool bold;
  std::string text;
};
struct LineRecord {
  float x0, y0, x1, y1, width;
  uint32_t colour;
  float head = 0; // pixels of the arrow head at the end; 0: none
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
  const PixelImage *image = nullptr; // of the whole canvas; instead of `cells`
  const PixelImage *marks = nullptr; // over the dimmed image; instead of `lit`
  std::vector<RectRecord> cells;
  std::vector<RectRecord> lit;     // drawn over the dimmed rest
  std::vector<RectRecord> chosen;  // what the selection itself is, outlined
  std::vector<RectRecord> hatches; // over `cells`, under `labels`: copies, neighbours joined
  std::vector<LineRecord> arrows;  // where the selection's elements go
  std::vector<CellExtra> extras;
  std::vector<LabelRecord> labels, litLabels;
  std::vector<TextRecord> texts;
  std::vector<LineRecord> under, lines;
  std::vector<TickRecord> top, left;
  std::vector<GroupRecord> topGroups, leftGroups;
  uint32_t ink = 0;    // of labels
  bool dimmed = false; // something is lit, so the rest is dimmed
  RectRecord ground{}; // the picture's extent on the canvas
};

/// Wider lit cells are told by an outline, narrower ones by their colour.
constexpr float kCellWithOutline = 14;

/// A scene and what frames look up in it: made once, off the UI thread.
struct PreparedScene {
  Scene scene;
  BoxIndex boxes; // of scenes without a raster

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

  /// Takes another scene; the viewport stays when the picture has the same size, else the next frame fits it.
  void show(std::shared_ptr<const PreparedScene> prepared);
  void clear() { *this = SceneModel(); }
  const Scene *scene() const { return prepared_ ? &prepared_->scene : nullptr; }

  /// What is under a point of the canvas.
  Spot spotAt(Point canvas) const;
  /// A cell of the grid, or the box that stands for one; nothing when there is none.
  Spot spotOf(int64_t row, int64_t column) const;
  /// A spot whose neighbour in the grid is wanted, as an arrow key asks; the same one at the edge. From nowhere: the
  /// first cell in sight.
  Spot moved(Spot from, int rows, int columns) const;
  /// Its middle, in body coordinates.
  std::optional<Point> centreOf(Spot spot) const;
  /// What it is, in words; empty for nothing.
  std::string wordsOf(Spot spot) const;
  Selection selectionOf(Spot spot) const;

  /// Lights the selection's part of this picture; an empty one lights nothing. `spot`: where in this picture it was
  /// made, if it was.
  void light(const Selection &selection, Spot spot = {});
  /// Lights cells of a picture that is of no array.
  void lightCells(std::vector<CellAt> cells);
  size_t litCount() const { return litCells_.size() + litBoxes_.size(); }

  void fit(double width, double height);
  void requestFit() { fitWanted_ = true, readableWanted_ = opening_ = false; }
  /// At the next frame: as small as the labels in the boxes allow, around `spot` or from the top left corner.
  void requestReadable(Spot spot = {}) { readableWanted_ = true, readableAt_ = spot; }
  /// At the next frame: this scale, with the scene's point at the canvas's corner.
  void requestZoom(double scale, Point corner) { zoomWanted_ = {scale, corner}; }
  /// Moves the picture as little as needed.
  void bringIntoSight(Spot spot);
  /// Of the picture in body coordinates: the scene's, widened so that a grid fills its canvas.
  double bodyWidth() const;
  double stretch() const { return stretch_; }
  /// Whether part of the picture is off the canvas.
  bool partial() const;
  /// The whole picture in at most side x side pixels: what the minimap shows. Null without a raster.
  const PixelImage *thumbnail(int side);

  /// Valid until the next call. Fits the picture first when a new one was shown.
  const SceneFrame &compose(double width, double height, const SceneStyle &style);

private:
  struct Key {
    Viewport viewport;
    double width = 0, height = 0;
    SceneStyle style;
    bool operator==(const Key &) const = default;
  };
  const CellRaster *raster() const { return prepared_ ? prepared_->scene.raster.get() : nullptr; }
  double cellWidth() const; // body coordinates, stretched
  double cellHeight() const;
  GridPlace gridPlace() const;
  Rect rectOf(Spot spot) const;
  RectRecord onCanvas(const Rect &rect, uint32_t fill) const;
  /// After fit(), of a picture that is new: its labels can be read from the beginning, where a fair part of it is in
  /// sight then.
  void open(const SceneStyle &style, double width, double height);
  bool openReadable(const SceneStyle &style, double width, double height);
  /// At which labels can be read, with the second line of each or without; 0: there are none.
  double readableScale(const SceneStyle &style, bool details) const;
  /// A picture that is much longer than high, or the other way round, begins with a part that can be seen.
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
  RectRecord boxRecord(int32_t index, const SceneStyle &style);
  void addExtra(RectRecord &record, const std::array<Colour, 4> &bands, int bandCount, bool hatched, bool turned);

  std::shared_ptr<const PreparedScene> prepared_;
  bool fitWanted_ = false, readableWanted_ = false, opening_ = false;
  Spot readableAt_;
  std::optional<std::pair<double, Point>> zoomWanted_;
  double stretch_ = 1;                 // of the width of grids
  std::pair<double, double> openedIn_; // the canvas in which it was tried to open it with labels
  Viewport fitted_; // as the last fit left it: until someone zooms or pans, the picture follows the canvas's size
  double width_ = 0, height_ = 0; // of the canvas, in the last frame

  std::vector<CellAt> litCells_, chosenCells_;
  std::vector<CellArrow> arrows_; // of the chosen elements
  std::vector<int32_t> litBoxes_, chosenBoxes_;
  bool litChanged_ = false;

  std::optional<Key> composed_; // what frame_ was made for
  SceneFrame frame_;
  size_t cellExtras_ = 0; // of frame_.extras, those that belong to cells
  PixelImage image_, marks_;
  std::shared_ptr<PixelImage> thumbnail_;
};

} // namespace lanescope::viz
