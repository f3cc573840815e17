#include "viz/gui/canvas/SceneModel.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::viz {

namespace {
constexpr double kNarrowest = 0.6, kWidest = 3; // factors by which cells are made narrower or wider to fill the canvas
} // namespace

PreparedScene::PreparedScene(Scene from) : scene(std::move(from)) {
  if (scene.raster)
    scene.raster->prepare();
  else
    boxes = BoxIndex(scene.body);
}

void SceneModel::show(std::shared_ptr<const PreparedScene> prepared) {
  const Scene *before = scene();
  bool sameSize = before && prepared && prepared->scene.body.width == before->body.width &&
                  prepared->scene.body.height == before->body.height;
  prepared_ = std::move(prepared);
  thumbnail_.reset();
  composed_.reset();
  light({});
  fitWanted_ = fitWanted_ || !sameSize;
  openedIn_ = {};
  opening_ = opening_ || !sameSize;
}

double SceneModel::cellWidth() const {
  const Scene &scene = prepared_->scene;
  return stretch_ * scene.grid.cellWidth / double(std::max<int64_t>(scene.grid.blockColumns, 1));
}

double SceneModel::bodyWidth() const { return prepared_->scene.body.width * stretch_; }

double SceneModel::cellHeight() const {
  const Scene &scene = prepared_->scene;
  return scene.grid.cellHeight / double(std::max<int64_t>(scene.grid.blockRows, 1));
}

GridPlace SceneModel::gridPlace() const {
  return {cellWidth() * viewport.scale, cellHeight() * viewport.scale, viewport.x, viewport.y};
}

Rect SceneModel::rectOf(Spot spot) const {
  if (spot.box >= 0)
    return prepared_->scene.body.boxes[size_t(spot.box)].rect;
  return {double(spot.column) * cellWidth(), double(spot.row) * cellHeight(), cellWidth(), cellHeight()};
}

Spot SceneModel::spotAt(Point canvas) const {
  if (!prepared_)
    return {};
  Point body = viewport.toBody(canvas);
  if (const CellRaster *cells = raster()) {
    if (body.x < 0 || body.y < 0 || !(cellWidth() > 0) || !(cellHeight() > 0))
      return {};
    double row = std::floor(body.y / cellHeight()), column = std::floor(body.x / cellWidth());
    if (row >= double(cells->rows()) || column >= double(cells->columns()))
      return {};
    return {int64_t(row), int64_t(column)};
  }
  Spot found;
  prepared_->boxes.visit({body.x, body.y, 0, 0}, [&](int32_t index) {
    if (prepared_->scene.body.boxes[size_t(index)].rect.contains(body))
      found.box = std::max(found.box, index); // later boxes are on top of earlier ones
  });
  return found;
}

Spot SceneModel::spotOf(int64_t row, int64_t column) const {
  if (!prepared_ || row < 0 || column < 0)
    return {};
  if (const CellRaster *cells = raster())
    return row < cells->rows() && column < cells->columns() ? Spot{row, column} : Spot{};
  const auto &boxes = prepared_->scene.body.boxes;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (boxes[i].row == row && boxes[i].column == column)
      return {-1, -1, int32_t(i)};
  return {};
}

Spot SceneModel::moved(Spot from, int rows, int columns) const {
  if (!prepared_)
    return {};
  if (const CellRaster *cells = raster()) {
    if (!from.some()) {
      Spot first = spotAt({std::max(viewport.x, 0.0) + 1, std::max(viewport.y, 0.0) + 1});
      return first.some() ? first : spotOf(0, 0);
    }
    return spotOf(std::clamp<int64_t>(from.row + rows, 0, cells->rows() - 1),
                  std::clamp<int64_t>(from.column + columns, 0, cells->columns() - 1));
  }
  const auto &boxes = prepared_->scene.body.boxes;
  if (boxes.empty())
    return {};
  if (!from.some())
    return {-1, -1, 0};
  const Box &at = boxes[size_t(from.box)];
  Spot next = spotOf(at.row + rows, at.column + columns);
  return next.some() ? next : from;
}

std::optional<Point> SceneModel::centreOf(Spot spot) const {
  if (!prepared_ || !spot.some())
    return std::nullopt;
  Rect r = rectOf(spot);
  return Point{r.x + r.width / 2, r.y + r.height / 2};
}

std::string SceneModel::wordsOf(Spot spot) const {
  if (!prepared_ || !spot.some())
    return {};
  if (spot.box >= 0)
    return prepared_->scene.body.boxes[size_t(spot.box)].tooltip;
  return raster()->describe(spot.row, spot.column);
}

Selection SceneModel::selectionOf(Spot spot) const {
  if (!prepared_ || !spot.some())
    return {};
  Selection out = spot.box >= 0 ? selectionAt(prepared_->scene, spot.box)
                                : selectionAt(prepared_->scene, CellAt{spot.row, spot.column});
  if (out.words.empty())
    out.words = wordsOf(spot);
  return out;
}

void SceneModel::light(const Selection &selection, Spot spot) {
  litChanged_ = true;
  litCells_.clear(), chosenCells_.clear(), litBoxes_.clear(), chosenBoxes_.clear(), arrows_.clear();
  if (!prepared_)
    return;
  if (const CellRaster *cells = raster()) {
    if (prepared_->scene.array) {
      litCells_ = cells->cellsWith(selection.linked);
      chosenCells_ = cells->cellsWith(selection.elements);
      constexpr size_t kMostWithArrows = 64; // with more elements, the arrows would only hide each other
      for (int32_t element : std::span(selection.elements).first(std::min(selection.elements.size(), kMostWithArrows)))
        cells->model().arrowsOf(element, arrows_);
    }
    if (spot.row >= 0 && !wordsOf(spot).empty()) { // excludes an empty corner between pictures
      // Outlines only the selected place, and not every copy of its element.
      chosenCells_ = {{spot.row, spot.column}};
      // With several arrays, the place alone determines which cells belong to it.
      if (!prepared_->scene.array) {
        std::vector<int32_t> together;
        cells->model().linkedElements(spot.row, spot.column, together);
        litCells_ = cells->cellsWith(together);
      }
      if (litCells_.empty())
        litCells_ = chosenCells_;
    }
    return;
  }
  if (prepared_->scene.array) {
    litBoxes_ = boxesWith(prepared_->scene, selection.linked);
    chosenBoxes_ = boxesWith(prepared_->scene, selection.elements);
  }
  if (spot.box < 0)
    return;
  chosenBoxes_ = {spot.box};
  if (!litBoxes_.empty())
    return;
  const auto &boxes = prepared_->scene.body.boxes;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (int32_t(i) == spot.box || linked(prepared_->scene, boxes[size_t(spot.box)].linkSet, boxes[i].linkSet))
      litBoxes_.push_back(int32_t(i));
}

void SceneModel::lightCells(std::vector<CellAt> cells) {
  litChanged_ = true;
  litCells_ = std::move(cells);
}

void SceneModel::fit(double width, double height) {
  if (prepared_) {
    const Picture &body = prepared_->scene.body;
    stretch_ = 1;
    if (raster() && !prepared_->scene.grid.square && body.width > 0 && body.height > 0 && width > 0 && height > 0)
      stretch_ = std::clamp((width / height) / (body.width / body.height), kNarrowest, kWidest);
    viewport.fit(bodyWidth(), body.height, width, height);
    // The zoom goes from the whole picture to a single cell that fills the canvas.
    if (raster() && std::min(cellWidth(), cellHeight()) > 0)
      viewport.maxScale = std::max(viewport.scale, 0.9 * std::min(width / cellWidth(), height / cellHeight()));
  }
  fitWanted_ = false;
  fitted_ = viewport;
}

void SceneModel::open(const SceneStyle &style, double width, double height) {
  // Repeats this in each other canvas, until the picture opens with readable labels or the user moves it.
  if (std::exchange(openedIn_, {width, height}) == std::pair(width, height))
    return;
  constexpr double kLeastCanvas = 100; // pixels; a pane is smaller for one frame while it is laid out
  if (width < kLeastCanvas || height < kLeastCanvas)
    return;
  if (!raster() || !(bodyWidth() > 0) || !(prepared_->scene.body.height > 0)) {
    opening_ = false;
    return;
  }
  opening_ = !openReadable(style, width, height);
  if (opening_)
    openHairline(width, height);
  if (!(viewport == fitted_))
    opened_ = viewport;
}

bool SceneModel::openReadable(const SceneStyle &style, double width, double height) {
  // If a picture has several arrays, they should be visible together, and so should both ends of an arrow.
  if (!prepared_->scene.array && !prepared_->scene.left.groups.empty())
    return false;
  const std::vector<Line> &lines = prepared_->scene.body.lines;
  if (std::ranges::any_of(lines, [](const Line &line) { return line.head > 0; }))
    return false;
  const double least = readableScale(style, false);
  if (least <= 0 || least <= viewport.scale)
    return least > 0; // the labels of the whole picture are readable
  // A smaller part of the picture, or fewer cells, would not show its structure.
  constexpr double kLeastShare = 0.01, kLeastCells = 24;
  auto rows = double(raster()->rows()), columns = double(raster()->columns());
  constexpr double kComfortable = 1.15;
  for (double scale : {readableScale(style, true), least * kComfortable}) {
    if (scale > viewport.maxScale)
      continue;
    double across = std::min(width / (cellWidth() * scale), columns);
    double down = std::min(height / (cellHeight() * scale), rows);
    if (across * down < kLeastCells || across * down < kLeastShare * rows * columns)
      continue;
    viewport.scale = scale;
    viewport.x = viewport.y = 0;
    return true;
  }
  return false;
}

void SceneModel::openHairline(double width, double height) {
  // If a picture would shrink to a line, it opens at its beginning and fills half of the canvas in its narrow
  // direction.
  constexpr double kLeast = 0.1, kWanted = 0.5;
  double share = std::min(bodyWidth() * viewport.scale / width, prepared_->scene.body.height * viewport.scale / height);
  if (share >= kLeast || std::min(raster()->rows(), raster()->columns()) < 8)
    return;
  viewport.scale = std::clamp(viewport.scale * kWanted / share, viewport.minScale, viewport.maxScale);
  viewport.x = viewport.y = 0;
}

bool SceneModel::partial() const {
  if (!prepared_ || width_ <= 0)
    return false;
  Point end = viewport.toCanvas({bodyWidth(), prepared_->scene.body.height});
  return viewport.x < -1 || viewport.y < -1 || end.x > width_ + 1 || end.y > height_ + 1;
}

void SceneModel::bringIntoSight(Spot spot) {
  if (!prepared_ || !spot.some() || width_ <= 0)
    return;
  Rect r = rectOf(spot);
  Point from = viewport.toCanvas({r.x, r.y}), to = viewport.toCanvas({r.x + r.width, r.y + r.height});
  auto shift = [](double begin, double end, double size) {
    double margin = std::min(size / 8, 40.0);
    if (begin < margin)
      return std::min(margin - begin, std::max(size - margin - end, 0.0) + margin - begin);
    return end > size - margin ? size - margin - end : 0.0;
  };
  if (partial())
    viewport.pan(shift(from.x, to.x, width_), shift(from.y, to.y, height_));
}

const PixelImage *SceneModel::thumbnail(int side) {
  const CellRaster *cells = raster();
  if (!cells || prepared_->scene.body.width <= 0 || prepared_->scene.body.height <= 0)
    return nullptr;
  double scale = side / std::max(bodyWidth(), prepared_->scene.body.height);
  int width = std::max(2, int(std::lround(bodyWidth() * scale)));
  int height = std::max(2, int(std::lround(prepared_->scene.body.height * scale)));
  if (!thumbnail_ || thumbnail_->width() != width || thumbnail_->height() != height) {
    thumbnail_ = std::make_shared<PixelImage>();
    thumbnail_->paintCells(*cells, {cellWidth() * scale, cellHeight() * scale, 0, 0}, width, height);
  }
  return thumbnail_.get();
}

} // namespace lanescope::viz
