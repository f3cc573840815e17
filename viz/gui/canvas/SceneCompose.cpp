// Makes the frames of a SceneModel: the part of the picture that is on the canvas, as records.
#include "viz/gui/canvas/SceneModel.h"

#include "layouts/support/Utf8.h"
#include "viz/scene/Palette.h"

#include <cmath>

namespace lanescope::viz {

namespace {

constexpr Colour kUnitBorder{27, 31, 36, 105}, kZoneBorder{27, 31, 36, 255};
constexpr double kCellWithBorders = 8;            // pixels; narrower cells have no borders
constexpr float kArrowWidth = 3, kArrowHead = 11; // the arrow along the path of a selected element
constexpr double kThinnestBorder = 1;             // in pixels; thinner borders are drawn with a fainter colour instead

/// A mix of a and b per channel, with `share` of b; opaque.
uint32_t mixed(uint32_t a, uint32_t b, double share) {
  uint32_t out = 0xFF000000u;
  for (int shift : {0, 8, 16}) {
    double from = a >> shift & 255, to = b >> shift & 255;
    out |= uint32_t(from + (to - from) * share) << shift;
  }
  return out;
}

bool outside(const RectRecord &r, double width, double height) {
  return r.x1 <= 0 || r.y1 <= 0 || r.x0 >= width || r.y0 >= height;
}

/// The part of a row of equal cells that the canvas shows: [begin, end).
struct Span1 {
  int64_t begin, end;
};
Span1 inSight(double origin, double cell, double size, int64_t count) {
  auto clamped = [count](double at) { return int64_t(std::clamp(at, 0.0, double(count))); };
  return {clamped(std::floor(-origin / cell)), clamped(std::ceil((size - origin) / cell))};
}

} // namespace

RectRecord SceneModel::onCanvas(const Rect &rect, uint32_t fill) const {
  Point from = viewport.toCanvas({rect.x, rect.y});
  Point to = viewport.toCanvas({rect.x + rect.width, rect.y + rect.height});
  return {float(from.x), float(from.y), float(to.x), float(to.y), fill};
}

void SceneModel::addExtra(RectRecord &record, const std::array<Colour, 4> &bands, int bandCount, Hatch hatch,
                          Themed themed) {
  if (bandCount <= 1 && hatch == Hatch::No)
    return;
  CellExtra extra{{}, bandCount, hatch == Hatch::Yes};
  for (int i = 0; i < bandCount && i < 4; ++i)
    extra.bands[size_t(i)] =
        themed == Themed::Yes ? packed(bands[size_t(i)]) : packedIn(prepared_->scene.theme, bands[size_t(i)]);
  record.extra = int32_t(frame_.extras.size());
  frame_.extras.push_back(extra);
}

void SceneModel::addLabels(const RectRecord &r, const std::string &label, const std::string &detail,
                           const SceneStyle &style, std::vector<LabelRecord> &out) const {
  if (label.empty())
    return;
  double width = r.x1 - r.x0 - 4, height = r.y1 - r.y0 - 3;
  auto sizeFor = [&](size_t count, int lines) {
    return std::min(
        {width / (style.glyphWidth * double(std::max<size_t>(count, 1))), height / (1.12 * lines), style.largestText});
  };
  size_t first = characterCount(label), second = characterCount(detail), longest = std::max(first, second);
  double both = detail.empty() ? 0 : sizeFor(longest, 2);
  float x = (r.x0 + r.x1) / 2, y = (r.y0 + r.y1) / 2;
  if (both >= style.smallestText) {
    out.push_back({x, float(y - both * 0.54), float(both), int(first), label});
    out.push_back({x, float(y + both * 0.54), float(both), int(second), detail});
    return;
  }
  double single = sizeFor(first, 1);
  if (single >= style.smallestText)
    out.push_back({x, y, float(single), int(first), label});
}

double SceneModel::readableScale(const SceneStyle &style, bool details) const {
  // Without details, `size` makes the scale the smallest one at which addLabels() writes labels.
  const double size = style.smallestText * (details ? 1.15 : 1), aside = details ? 5 : 4, above = details ? 4 : 3;
  double needed = 0;
  auto want = [&](const std::string &label, const std::string &detail, double cellWide, double cellHigh) {
    if (label.empty() || !(cellWide > 0) || !(cellHigh > 0))
      return;
    bool two = details && !detail.empty();
    double wide =
        size * style.glyphWidth * double(std::max(characterCount(label), two ? characterCount(detail) : 0)) + aside;
    needed = std::max({needed, wide / cellWide, (size * 1.12 * (two ? 2 : 1) + above) / cellHigh});
  };
  // A sample is enough, because the labels of a picture are about equally long.
  constexpr int64_t kSamples = 16;
  if (const CellRaster *cells = raster()) {
    std::string label, detail;
    for (int64_t i = 0; i < kSamples; ++i)
      for (int64_t j = 0; j < kSamples; ++j) {
        label.clear(), detail.clear();
        int64_t row = (cells->rows() - 1) * i / (kSamples - 1), column = (cells->columns() - 1) * j / (kSamples - 1);
        if (cells->element(row, column) >= 0 || !prepared_->scene.array)
          cells->label(row, column, label, detail);
        want(label, detail, cellWidth(), cellHeight());
      }
  } else {
    for (const Box &box : prepared_->scene.body.boxes)
      want(box.label, box.detail, box.rect.width, box.rect.height);
  }
  return needed;
}

void SceneModel::fitReadable(const SceneStyle &style, double width, double height) {
  readableWanted_ = false;
  double needed = readableScale(style, true);
  if (needed <= 0)
    return;
  // If the fitted picture is larger than its labels need, it keeps that size and uses the whole canvas.
  viewport.scale = std::clamp(std::max(needed, fitted_.scale), viewport.minScale, viewport.maxScale);
  viewport.x = viewport.y = 0;
  if (auto centre = centreOf(readableAt_)) {
    viewport.x = width / 2 - centre->x * viewport.scale;
    viewport.y = height / 2 - centre->y * viewport.scale;
  }
}

void SceneModel::composeBorders(int64_t row, int64_t column, int64_t rows, int64_t columns,
                                const std::vector<Cell> &cells) {
  // `cells` includes one row above and one column before the drawn part, so that the borders at its edges are known.
  enum Border { kNone, kUnit, kZone };
  GridPlace place = gridPlace();
  auto at = [&](int64_t r, int64_t c) -> const Cell & { return cells[size_t((r + 1) * (columns + 1) + c + 1)]; };
  auto between = [](const Cell &a, const Cell &b) {
    if (a.element < 0 && b.element < 0)
      return kNone;
    return a.zone != b.zone ? kZone : a.unit != b.unit ? kUnit : kNone;
  };
  bool units = std::min(place.cellWidth, place.cellHeight) >= kCellWithBorders;
  auto x = [&](int64_t c) { return float(place.x + double(column + c) * place.cellWidth); };
  auto y = [&](int64_t r) { return float(place.y + double(row + r) * place.cellHeight); };
  double length = 0;
  size_t first = frame_.lines.size();
  auto emit = [&](float x0, float y0, float x1, float y1) {
    length += (x1 - x0) + (y1 - y0);
    frame_.lines.push_back({x0, y0, x1, y1, 1, 0});
  };
  for (Border want : {kUnit, kZone}) { // strong borders are drawn over faint ones
    for (int64_t c = column > 0 ? 0 : 1; c < columns; ++c)
      for (int64_t r = 0, begin = 0; r <= rows; ++r) {
        if (r < rows && between(at(r, c - 1), at(r, c)) == want)
          continue;
        if (r > begin)
          emit(x(c), y(begin), x(c), y(r));
        begin = r + 1;
      }
    for (int64_t r = row > 0 ? 0 : 1; r < rows; ++r)
      for (int64_t c = 0, begin = 0; c <= columns; ++c) {
        if (c < columns && between(at(r - 1, c), at(r, c)) == want)
          continue;
        if (c > begin)
          emit(x(begin), y(r), x(c), y(r));
        begin = c + 1;
      }
    Colour colour = want == kZone ? kZoneBorder : kUnitBorder;
    double area = double(rows) * place.cellHeight * double(columns) * place.cellWidth;
    BorderStrength strength = borderStrength(length, area, want == kZone ? 1.5 : 1, colour.a, kThinnestBorder);
    if (strength.alpha == 0 || (want == kUnit && !units))
      frame_.lines.resize(first);
    colour.a = strength.alpha;
    for (uint32_t shade = packedIn(prepared_->scene.theme, colour); first < frame_.lines.size(); ++first)
      frame_.lines[first].width = float(strength.width), frame_.lines[first].colour = shade;
    length = 0;
  }
}

void SceneModel::composeHatches(int64_t row, int64_t column, int64_t rows, int64_t columns,
                                const std::vector<Cell> &cells) {
  // `cells` is as in composeBorders(). Adjacent hatched cells in a row are joined, and then joined with an equal run in
  // the row above.
  GridPlace place = gridPlace();
  auto hatched = [&](int64_t r, int64_t c) { return cells[size_t((r + 1) * (columns + 1) + c + 1)].hatched; };
  auto x = [&](int64_t c) { return float(place.x + double(column + c) * place.cellWidth); };
  auto y = [&](int64_t r) { return float(place.y + double(row + r) * place.cellHeight); };
  size_t above = 0; // the first record whose rectangle ends at the row above
  for (int64_t r = 0; r < rows; ++r) {
    size_t begin = frame_.hatches.size(), next = above;
    std::vector<RectRecord> grown;
    for (int64_t c = 0; c < columns; ++c) {
      if (!hatched(r, c))
        continue;
      int64_t from = c;
      while (c < columns && hatched(r, c))
        ++c;
      RectRecord run{x(from), y(r), x(c), y(r + 1), 0};
      while (next < begin && frame_.hatches[next].x0 < run.x0)
        ++next;
      if (next < begin && frame_.hatches[next].x0 == run.x0 && frame_.hatches[next].x1 == run.x1) {
        run.y0 = frame_.hatches[next].y0;
        frame_.hatches[next].y1 = frame_.hatches[next].y0; // erased below, because `run` includes its area
      }
      grown.push_back(run);
    }
    frame_.hatches.insert(frame_.hatches.end(), grown.begin(), grown.end());
    above = begin;
  }
  std::erase_if(frame_.hatches, [](const RectRecord &r) { return r.y1 <= r.y0; });
}

void SceneModel::composeCells(const Key &key) {
  const CellRaster &cells = *raster();
  GridPlace place = gridPlace();
  Span1 rows = inSight(place.y, place.cellHeight, key.height, cells.rows());
  Span1 columns = inSight(place.x, place.cellWidth, key.width, cells.columns());
  int64_t rowCount = rows.end - rows.begin, columnCount = columns.end - columns.begin;
  if (rowCount <= 0 || columnCount <= 0)
    return;
  std::vector<uint32_t> fills(size_t(rowCount * columnCount));
  cells.fill(0, rows.begin, columns.begin, rowCount, columnCount, fills.data(), columnCount);
  std::vector<Cell> known(size_t((rowCount + 1) * (columnCount + 1)));
  for (int64_t r = -1; r < rowCount; ++r)
    for (int64_t c = -1; c < columnCount; ++c)
      if (rows.begin + r >= 0 && columns.begin + c >= 0)
        known[size_t((r + 1) * (columnCount + 1) + c + 1)] = cells.cell(rows.begin + r, columns.begin + c);
  uint32_t empty = packed(key.style.empty);
  double narrowest = key.style.smallestText * key.style.glyphWidth + 4, lowest = key.style.smallestText * 1.12 + 3;
  bool labels = place.cellWidth >= narrowest && place.cellHeight >= lowest;
  std::string label, detail;
  frame_.cells.reserve(fills.size());
  for (int64_t r = 0; r < rowCount; ++r)
    for (int64_t c = 0; c < columnCount; ++c) {
      uint32_t fill = fills[size_t(r * columnCount + c)];
      const Cell &cell = known[size_t((r + 1) * (columnCount + 1) + c + 1)];
      RectRecord record{float(place.x + double(columns.begin + c) * place.cellWidth),
                        float(place.y + double(rows.begin + r) * place.cellHeight),
                        float(place.x + double(columns.begin + c + 1) * place.cellWidth),
                        float(place.y + double(rows.begin + r + 1) * place.cellHeight), fill ? fill : empty};
      if (fill)
        addExtra(record, cell.bands, cell.bandCount, Hatch::No, Themed::No);
      frame_.cells.push_back(record);
      if (!labels || !fill)
        continue;
      label.clear(), detail.clear();
      cells.label(rows.begin + r, columns.begin + c, label, detail);
      addLabels(record, label, detail, key.style, frame_.labels);
    }
  composeBorders(rows.begin, columns.begin, rowCount, columnCount, known);
  if (cells.model().hasCopies())
    composeHatches(rows.begin, columns.begin, rowCount, columnCount, known);
}

void SceneModel::composeGrid(const Key &key) {
  GridPlace place = gridPlace();
  if (std::min(place.cellWidth, place.cellHeight) >= key.style.smallestCell) {
    composeCells(key);
    return;
  }
  image_.paintCells(*raster(), place, int(key.width), int(key.height), key.style.hatch);
  frame_.image = &image_;
}

RectRecord SceneModel::boxRecord(int32_t index, const SceneStyle &style) {
  const Box &box = prepared_->scene.body.boxes[size_t(index)];
  Colour empty = inTheme(kEmpty, prepared_->scene.theme);
  RectRecord record = onCanvas(box.rect, packed(box.fill == empty ? style.empty : box.fill));
  addExtra(record, box.bands, box.bandCount, Hatch{box.hatched}, Themed::Yes);
  return record;
}

void SceneModel::composeBoxes(const Key &key) {
  Point from = viewport.toBody({0, 0}), to = viewport.toBody({key.width, key.height});
  prepared_->boxes.visit({from.x, from.y, to.x - from.x, to.y - from.y}, [&](int32_t index) {
    RectRecord record = boxRecord(index, key.style);
    if (outside(record, key.width, key.height))
      return;
    frame_.cells.push_back(record);
    const Box &box = prepared_->scene.body.boxes[size_t(index)];
    addLabels(record, box.label, box.detail, key.style, frame_.labels);
  });
}

void SceneModel::composeLit(const Key &key) {
  // A lit cell stays visible, however small it is.
  constexpr float kSmallest = 2;
  auto widened = [](RectRecord record) {
    record.x1 = std::max(record.x1, record.x0 + kSmallest), record.y1 = std::max(record.y1, record.y0 + kSmallest);
    return record;
  };
  frame_.lit.clear(), frame_.chosen.clear(), frame_.litLabels.clear();
  frame_.extras.resize(cellExtras_);
  frame_.marks = nullptr;
  frame_.arrows.clear();
  for (const CellArrow &arrow : arrows_) {
    GridPlace place = gridPlace();
    frame_.arrows.push_back({float(place.x + double(arrow.from.column + 1) * place.cellWidth),
                             float(place.y + (double(arrow.from.row) + 0.5) * place.cellHeight),
                             float(place.x + double(arrow.to.column) * place.cellWidth),
                             float(place.y + (double(arrow.to.row) + 0.5) * place.cellHeight), kArrowWidth, 0,
                             kArrowHead});
  }
  if (const CellRaster *cells = raster()) {
    frame_.dimmed = !litCells_.empty() && int64_t(litCells_.size()) < cells->rows() * cells->columns();
    auto rectAt = [&](CellAt at) { return onCanvas(rectOf({at.row, at.column}), 0); };
    if (frame_.image && frame_.dimmed) {
      marks_.paintMarks(*cells, litCells_, gridPlace(), int(key.width), int(key.height), int(kSmallest),
                        [&](uint32_t fill) { return mixed(fill, key.style.lit, key.style.litShare); });
      frame_.marks = &marks_;
    } else if (frame_.dimmed) {
      std::string label, detail;
      for (CellAt at : litCells_) {
        RectRecord record = rectAt(at);
        if (outside(record, key.width, key.height))
          continue;
        cells->fill(0, at.row, at.column, 1, 1, &record.fill, 1);
        Cell cell = cells->cell(at.row, at.column);
        addExtra(record, cell.bands, cell.bandCount, Hatch{cell.hatched}, Themed::No);
        if (record.x1 - record.x0 < kCellWithOutline)
          record.fill = mixed(record.fill, key.style.lit, key.style.litShare);
        frame_.lit.push_back(record);
        label.clear(), detail.clear();
        cells->label(at.row, at.column, label, detail);
        addLabels(record, label, detail, key.style, frame_.litLabels);
      }
    }
    for (CellAt at : chosenCells_)
      if (RectRecord record = widened(rectAt(at)); !outside(record, key.width, key.height))
        frame_.chosen.push_back(record);
    return;
  }
  frame_.dimmed = !litBoxes_.empty() && litBoxes_.size() < prepared_->scene.body.boxes.size();
  for (int32_t index : litBoxes_)
    if (RectRecord record = widened(boxRecord(index, key.style));
        frame_.dimmed && !outside(record, key.width, key.height)) {
      frame_.lit.push_back(record);
      const Box &box = prepared_->scene.body.boxes[size_t(index)];
      addLabels(record, box.label, box.detail, key.style, frame_.litLabels);
    }
  for (int32_t index : chosenBoxes_)
    if (RectRecord record = widened(boxRecord(index, key.style)); !outside(record, key.width, key.height))
      frame_.chosen.push_back(record);
}

void SceneModel::composeTicks(const Key &key) {
  const Scene &scene = prepared_->scene;
  auto groups = [&](const Axis &axis, double origin, double scale, double size, std::vector<GroupRecord> &out) {
    for (const Axis::Group &group : axis.groups) {
      double from = origin + group.at * scale, to = from + group.size * scale;
      if (to > 0 && from < size)
        out.push_back({float(std::max(from, 0.0)), float(std::min(to, size)), packed(group.fill), group.text});
    }
  };
  groups(scene.top, viewport.x, viewport.scale * stretch_, key.width, frame_.topGroups);
  groups(scene.left, viewport.y, viewport.scale, key.height, frame_.leftGroups);
  auto given = [&](const Axis &axis, double origin, double size, std::vector<TickRecord> &out) {
    for (const Tick &tick : axis.ticks)
      if (double at = origin + tick.at * viewport.scale; at >= 0 && at <= size)
        out.push_back({float(at), tick.text});
  };
  if (!raster()) {
    given(scene.top, viewport.x, key.width, frame_.top);
    given(scene.left, viewport.y, key.height, frame_.left);
    return;
  }
  // The numbers on a grid's axis are made only for the visible part: all of them if there is room, otherwise every
  // second, every fourth, …
  GridPlace place = gridPlace();
  const CellModel &model = raster()->model();
  auto numbers = [&](double origin, double cell, double size, int64_t count, double room, auto textOf,
                     std::vector<TickRecord> &out) {
    Span1 seen = inSight(origin, cell, size, count);
    int64_t step = 1;
    while (double(step) * cell < room && step < count)
      step *= 2;
    std::string last;
    for (int64_t i = (seen.begin + step - 1) / step * step; i < seen.end; i += step) {
      double at = origin + (double(i) + 0.5) * cell;
      std::string text = textOf(i);
      if (at < 0 || at > size || text == last) // two elements in one bank have the same number
        continue;
      out.push_back({float(at), text});
      last = std::move(text);
    }
  };
  double widest = 2;
  Span1 seen = inSight(place.x, place.cellWidth, key.width, raster()->columns());
  for (int64_t column : {seen.begin, (seen.begin + seen.end) / 2, std::max(seen.end - 1, seen.begin)})
    if (column < raster()->columns())
      widest = std::max(widest, double(characterCount(model.columnTick(column))));
  if (!scene.top.ticks.empty())
    numbers(
        place.x, place.cellWidth, key.width, raster()->columns(), (widest * 0.62 + 0.8) * key.style.tickText,
        [&](int64_t column) { return model.columnTick(column); }, frame_.top);
  if (!scene.left.ticks.empty())
    numbers(
        place.y, place.cellHeight, key.height, raster()->rows(), key.style.tickText * 1.15,
        [&](int64_t row) { return model.rowTick(row); }, frame_.left);
}

const SceneFrame &SceneModel::compose(double width, double height, const SceneStyle &style) {
  width = std::floor(width), height = std::floor(height);
  if (!prepared_ || width <= 0 || height <= 0) {
    frame_ = SceneFrame();
    composed_.reset();
    return frame_;
  }
  width_ = width, height_ = height;
  const bool otherCanvas = viewport == opened_ && openedIn_ != std::pair(width, height);
  opening_ |= otherCanvas;
  if (fitWanted_ || viewport == fitted_ || otherCanvas)
    fit(width - 6, height - 6);
  if (opening_ && viewport == fitted_)
    open(style, width, height);
  if (readableWanted_)
    fitReadable(style, width, height);
  if (zoomWanted_) {
    auto [scale, corner] = *zoomWanted_;
    fit(width - 6, height - 6);
    viewport.scale = std::clamp(scale, viewport.minScale, viewport.maxScale);
    viewport.x = -corner.x * stretch_ * viewport.scale, viewport.y = -corner.y * viewport.scale;
    zoomWanted_.reset();
  }
  if (!(viewport == fitted_))
    viewport.keepInSight(bodyWidth(), prepared_->scene.body.height, width, height);
  Key key{viewport, width, height, style};
  if (composed_ == key) {
    if (litChanged_)
      composeLit(key);
    litChanged_ = false;
    return frame_;
  }
  composed_ = key;
  frame_ = SceneFrame();
  const Scene &scene = prepared_->scene;
  frame_.ink = packedIn(scene.theme, kInk);
  frame_.ground = onCanvas({0, 0, bodyWidth(), scene.body.height}, packed(style.empty));
  if (raster())
    composeGrid(key);
  else
    composeBoxes(key);
  // Arrows become thinner when the picture shrinks, so that many arrows stay distinguishable.
  auto widthOf = [&](const Line &line) {
    return line.head > 0 ? std::max(1.0, line.width * std::clamp(viewport.scale, 0.4, 1.0)) : line.width;
  };
  for (const Line &line : scene.body.lines) {
    Point from = viewport.toCanvas({line.from.x * stretch_, line.from.y});
    Point to = viewport.toCanvas({line.to.x * stretch_, line.to.y});
    if (std::max(from.x, to.x) >= 0 && std::min(from.x, to.x) <= width && std::max(from.y, to.y) >= 0 &&
        std::min(from.y, to.y) <= height)
      (line.under ? frame_.under : frame_.lines)
          .push_back({float(from.x), float(from.y), float(to.x), float(to.y), float(widthOf(line)), packed(line.colour),
                      float(line.head > 0 ? std::clamp(line.head * viewport.scale, 2.0, line.head) : 0)});
  }
  for (const Text &text : scene.body.texts) {
    Point at = viewport.toCanvas({text.at.x * stretch_, text.at.y});
    double size = std::min(text.size * viewport.scale, style.largestText * 1.3);
    if (size >= style.smallestText * 0.8 && at.y > -size && at.y < height + size)
      frame_.texts.push_back(
          {float(at.x), float(at.y), float(size), packed(text.colour), text.align, text.bold, text.text});
  }
  composeTicks(key);
  cellExtras_ = frame_.extras.size();
  composeLit(key);
  litChanged_ = false;
  return frame_;
}

} // namespace lanescope::viz
