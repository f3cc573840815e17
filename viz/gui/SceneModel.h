// A scene under a viewport, turned each frame into flat records to draw: what is in sight, with the detail that fits.
//
//   SceneModel model;  model.show(scene);
//   model.fit(900, 600);  model.point({312, 88});           // the box under the pointer and all that it is linked to
//   const SceneFrame &frame = model.compose(900, 600, style);   // rectangles, labels, ticks; nothing off the canvas
//
// No Dear ImGui in here. Cells narrower than a few pixels are drawn from a pyramid of averaged colours, so that a frame
// costs what it shows and not what the scene holds.
#pragma once

#include "viz/gui/Viewport.h"
#include "viz/scene/Scene.h"

#include <memory>
#include <span>

namespace lanescope::viz {

/// Packed as Dear ImGui wants it: 0xAABBGGRR.
constexpr uint32_t packed(Colour c) {
  return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24;
}

struct RectRecord {
  float x0, y0, x1, y1;
  uint32_t fill;
  int32_t box; // index into the scene's boxes; -1: an average of several
};
struct LabelRecord {
  float x, y; // centre
  float size; // font pixels
  uint32_t colour;
  const std::string *text;
};
struct LineRecord {
  float x0, y0, x1, y1, width;
  uint32_t colour;
};
struct TickRecord {
  float at;      // canvas pixels along the axis
  int32_t index; // in Axis::ticks: those that are left out for want of room follow a regular pattern
  const std::string *text;
};
struct GroupRecord {
  float from, to; // canvas pixels along the axis, cut to the canvas
  uint32_t fill;
  const std::string *text;
};

struct SceneFrame {
  std::vector<RectRecord> cells;
  std::vector<RectRecord> lit; // drawn over the dimmed rest
  std::vector<LabelRecord> labels, litLabels;
  std::vector<LineRecord> lines;
  std::vector<TickRecord> top, left;
  std::vector<GroupRecord> topGroups, leftGroups;
  bool averaged = false; // cells are averages: too small to draw one by one
  void clear();
};

/// How the window draws scenes, as far as the records depend on it.
struct SceneStyle {
  double glyphWidth = 0.6; // of a character, in font sizes
  double smallestText = 9; // font pixels; smaller labels are left out
  double largestText = 17;
  double smallestCell = 3;     // pixels; below, averages are drawn
  Colour empty{246, 248, 250}; // instead of the scene's colour for cells that hold nothing
  Colour rule{208, 215, 222};
};

/// A scene and what frames look up in it: made once, off the UI thread.
struct PreparedScene {
  struct Level {
    int32_t rows = 0, columns = 0;
    std::vector<uint32_t> colours; // alpha 0: nothing there
  };
  Scene scene;
  // Boxes by place: bin b holds binBoxes[binStarts[b] .. binStarts[b + 1]).
  int32_t binColumns = 0, binRows = 0;
  std::vector<int32_t> binStarts, binBoxes;
  std::vector<Level> pyramid; // [0]: a texel per grid cell; each next one half as fine

  explicit PreparedScene(Scene scene);

private:
  void buildBins();
  void buildPyramid();
};

class SceneModel {
public:
  Viewport viewport;

  /// Takes another scene; the viewport stays when the picture has the same size, else the next frame fits it.
  void show(std::shared_ptr<const PreparedScene> prepared);
  const Scene *scene() const { return prepared_ ? &prepared_->scene : nullptr; }

  /// The pointer, in canvas pixels; nothing hovered when it is outside of every box.
  void point(Point canvas);
  void leave() { setHovered(-1); }
  int64_t hovered() const { return hovered_; }
  /// Keeps the hovered box's links lit until the next click; a click on the pinned box or on nothing lets go.
  void togglePin();
  void unpin();
  int64_t pinned() const { return pinned_; }
  /// The box whose links are lit: the hovered one, else the pinned one, else -1.
  int64_t focus() const { return hovered_ >= 0 ? hovered_ : pinned_; }
  std::span<const int32_t> lit() const { return lit_; }

  void fit(double width, double height);
  void requestFit() { fitWanted_ = true, readableWanted_ = false; }
  /// At the next frame: as small as the labels in the boxes allow, from the top left corner.
  void requestReadable() { readableWanted_ = true; }
  /// Centre of the box that stands for row, column of the scene's grid; false when there is none.
  bool cellCentre(int32_t row, int32_t column, Point &body) const;

  /// Valid until the next call. Fits the picture first when a new one was shown.
  const SceneFrame &compose(double width, double height, const SceneStyle &style);

private:
  void setHovered(int64_t box);
  void relight();
  void composeBoxes(double width, double height, const SceneStyle &style);
  void composeAverages(double width, double height);
  void composeLabels(const Box &box, const RectRecord &record, const SceneStyle &style, std::vector<LabelRecord> &out);
  void composeAxes(double width, double height);
  RectRecord record(int32_t index, const SceneStyle &style) const;
  template <typename Visit> void visitBoxes(const Rect &area, Visit visit) const;

  std::shared_ptr<const PreparedScene> prepared_;
  int64_t hovered_ = -1, pinned_ = -1, litFor_ = -1;
  bool fitWanted_ = false, readableWanted_ = false;
  Viewport fitted_; // as the last fit left it: until someone zooms or pans, the picture follows the canvas's size
  void fitReadable(const SceneStyle &style);
  std::vector<int32_t> lit_;
  SceneFrame frame_;
};

} // namespace lanescope::viz
