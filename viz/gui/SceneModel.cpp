#include "viz/gui/SceneModel.h"

#include "viz/scene/Palette.h"

#include <cmath>

namespace lanescope::viz {

namespace {
constexpr int64_t kMaxBinsPerSide = 256;
constexpr int64_t kBoxesPerBin = 32;

/// Number of characters, not bytes.
size_t characters(const std::string &text) {
  size_t count = 0;
  for (unsigned char c : text)
    count += (c & 0xC0) != 0x80;
  return count;
}
} // namespace

void SceneFrame::clear() {
  cells.clear(), lit.clear(), labels.clear(), litLabels.clear(), lines.clear();
  top.clear(), left.clear(), topGroups.clear(), leftGroups.clear();
  averaged = false;
}

PreparedScene::PreparedScene(Scene from) : scene(std::move(from)) {
  buildBins();
  buildPyramid();
}

void PreparedScene::buildBins() {
  binStarts.clear(), binBoxes.clear();
  binColumns = binRows = 0;
  if (scene.body.boxes.empty() || scene.body.width <= 0 || scene.body.height <= 0)
    return;
  const auto &boxes = scene.body.boxes;
  double bins = std::max<double>(1, double(boxes.size()) / kBoxesPerBin);
  double aspect = scene.body.width / scene.body.height;
  binColumns = int32_t(std::clamp<double>(std::sqrt(bins * aspect), 1, kMaxBinsPerSide));
  binRows = int32_t(std::clamp<double>(std::sqrt(bins / aspect), 1, kMaxBinsPerSide));
  auto forEachBin = [&](const Rect &r, auto visit) {
    auto column = [&](double x) { return std::clamp(int32_t(x / scene.body.width * binColumns), 0, binColumns - 1); };
    auto row = [&](double y) { return std::clamp(int32_t(y / scene.body.height * binRows), 0, binRows - 1); };
    for (int32_t i = row(r.y), lastRow = row(r.y + r.height); i <= lastRow; ++i)
      for (int32_t j = column(r.x), last = column(r.x + r.width); j <= last; ++j)
        visit(i * binColumns + j);
  };
  binStarts.assign(size_t(binColumns) * binRows + 1, 0);
  for (const Box &box : boxes)
    forEachBin(box.rect, [&](int32_t bin) { ++binStarts[bin + 1]; });
  for (size_t i = 1; i < binStarts.size(); ++i)
    binStarts[i] += binStarts[i - 1];
  binBoxes.resize(binStarts.back());
  std::vector<int32_t> next(binStarts.begin(), binStarts.end() - 1);
  for (size_t i = 0; i < boxes.size(); ++i)
    forEachBin(boxes[i].rect, [&](int32_t bin) { binBoxes[next[bin]++] = int32_t(i); });
}

void PreparedScene::buildPyramid() {
  pyramid.clear();
  if (scene.grid.rows <= 0 || scene.grid.cellWidth <= 0 || scene.grid.cellHeight <= 0)
    return;
  Level base;
  base.rows = int32_t(std::ceil(scene.body.height / scene.grid.cellHeight - 1e-6));
  base.columns = int32_t(std::ceil(scene.body.width / scene.grid.cellWidth - 1e-6));
  if (base.rows <= 0 || base.columns <= 0)
    return;
  base.colours.assign(size_t(base.rows) * base.columns, 0);
  for (const Box &box : scene.body.boxes) {
    auto first = [](double at, double cell, int32_t count) {
      return std::clamp(int32_t(std::floor(at / cell + 0.25)), 0, count - 1);
    };
    int32_t row = first(box.rect.y, scene.grid.cellHeight, base.rows);
    int32_t column = first(box.rect.x, scene.grid.cellWidth, base.columns);
    // A box may cover several cells: a block of merged elements, or a slot that spans two.
    int32_t rows = std::max(1, int32_t(std::lround(box.rect.height / scene.grid.cellHeight)));
    int32_t columns = std::max(1, int32_t(std::lround(box.rect.width / scene.grid.cellWidth)));
    for (int32_t i = row; i < std::min(row + rows, base.rows); ++i)
      for (int32_t j = column; j < std::min(column + columns, base.columns); ++j)
        base.colours[size_t(i) * base.columns + j] = packed(box.fill);
  }
  pyramid.push_back(std::move(base));
  while (pyramid.back().rows > 1 || pyramid.back().columns > 1) {
    const Level &fine = pyramid.back();
    Level coarse{(fine.rows + 1) / 2, (fine.columns + 1) / 2, {}};
    coarse.colours.resize(size_t(coarse.rows) * coarse.columns);
    for (int32_t i = 0; i < coarse.rows; ++i)
      for (int32_t j = 0; j < coarse.columns; ++j) {
        uint32_t sums[3] = {}, count = 0;
        for (int32_t di = 0; di < 2; ++di)
          for (int32_t dj = 0; dj < 2; ++dj) {
            int32_t y = 2 * i + di, x = 2 * j + dj;
            if (y >= fine.rows || x >= fine.columns)
              continue;
            uint32_t c = fine.colours[size_t(y) * fine.columns + x];
            if (!(c >> 24))
              continue;
            sums[0] += c & 255, sums[1] += c >> 8 & 255, sums[2] += c >> 16 & 255, ++count;
          }
        if (count)
          coarse.colours[size_t(i) * coarse.columns + j] =
              (sums[0] / count) | (sums[1] / count) << 8 | (sums[2] / count) << 16 | 0xFF000000u;
      }
    pyramid.push_back(std::move(coarse));
  }
}

void SceneModel::show(std::shared_ptr<const PreparedScene> prepared) {
  const Scene *before = scene();
  bool sameSize = before && prepared && prepared->scene.body.width == before->body.width &&
                  prepared->scene.body.height == before->body.height;
  prepared_ = std::move(prepared);
  hovered_ = pinned_ = litFor_ = -1;
  lit_.clear();
  fitWanted_ = fitWanted_ || !sameSize;
}

void SceneModel::setHovered(int64_t box) {
  if (box == hovered_)
    return;
  hovered_ = box;
  relight();
}

void SceneModel::point(Point canvas) {
  if (!prepared_)
    return setHovered(-1);
  Point body = viewport.toBody(canvas);
  int64_t found = -1;
  visitBoxes({body.x, body.y, 0, 0}, [&](int32_t index) {
    if (prepared_->scene.body.boxes[index].rect.contains(body))
      found = std::max<int64_t>(found, index); // later boxes lie on top
  });
  setHovered(found);
}

void SceneModel::togglePin() {
  pinned_ = hovered_ == pinned_ ? -1 : hovered_;
  relight();
}

void SceneModel::unpin() {
  pinned_ = -1;
  relight();
}

void SceneModel::relight() {
  int64_t wanted = focus();
  if (wanted == litFor_)
    return;
  litFor_ = wanted;
  lit_.clear();
  if (!prepared_ || wanted < 0)
    return;
  const auto &boxes = prepared_->scene.body.boxes;
  int32_t set = boxes[wanted].linkSet;
  std::vector<char> shares(prepared_->scene.linkSets.size(), 0);
  for (size_t other = 0; other < shares.size(); ++other)
    shares[other] = linked(prepared_->scene, set, int32_t(other));
  for (size_t i = 0; i < boxes.size(); ++i)
    if (int64_t(i) == wanted || (boxes[i].linkSet >= 0 && shares[boxes[i].linkSet]))
      lit_.push_back(int32_t(i));
}

void SceneModel::fit(double width, double height) {
  if (prepared_)
    viewport.fit(prepared_->scene.body.width, prepared_->scene.body.height, width, height);
  fitWanted_ = false;
  fitted_ = viewport;
}

void SceneModel::fitReadable(const SceneStyle &style) {
  readableWanted_ = false;
  double needed = 0;
  // A sample of the boxes is enough: labels of one picture are about equally long.
  const auto &boxes = prepared_->scene.body.boxes;
  for (size_t i = 0, step = std::max<size_t>(1, boxes.size() / 512); i < boxes.size(); i += step) {
    const Box &box = boxes[i];
    if (box.label.empty() || box.rect.width <= 0 || box.rect.height <= 0)
      continue;
    double size = style.smallestText * 1.15, lines = box.detail.empty() ? 1 : 2;
    double width = size * style.glyphWidth * double(std::max(characters(box.label), characters(box.detail))) + 4;
    needed = std::max({needed, width / box.rect.width, (size * 1.12 * lines + 3) / box.rect.height});
  }
  if (needed <= 0)
    return;
  viewport.scale = std::clamp(needed, viewport.minScale, viewport.maxScale);
  viewport.x = viewport.y = 0;
}

bool SceneModel::cellCentre(int32_t row, int32_t column, Point &body) const {
  if (!prepared_)
    return false;
  for (const Box &box : prepared_->scene.body.boxes)
    if (box.row == row && box.column == column) {
      body = {box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2};
      return true;
    }
  return false;
}

template <typename Visit> void SceneModel::visitBoxes(const Rect &area, Visit visit) const {
  if (!prepared_ || prepared_->binStarts.empty())
    return;
  double w = prepared_->scene.body.width, h = prepared_->scene.body.height;
  auto bin = [](double at, double size, int32_t count) {
    return int32_t(std::clamp<double>(std::floor(at / size * count), 0, count - 1));
  };
  int32_t j0 = bin(area.x, w, prepared_->binColumns), j1 = bin(area.x + area.width, w, prepared_->binColumns);
  int32_t i0 = bin(area.y, h, prepared_->binRows), i1 = bin(area.y + area.height, h, prepared_->binRows);
  for (int32_t i = i0; i <= i1; ++i)
    for (int32_t j = j0; j <= j1; ++j) {
      size_t b = size_t(i) * prepared_->binColumns + j;
      for (int32_t k = prepared_->binStarts[b]; k < prepared_->binStarts[b + 1]; ++k) {
        const Rect &r = prepared_->scene.body.boxes[prepared_->binBoxes[k]].rect;
        // A box in several bins is visited once: in its own first bin, or in the first one in sight.
        if (std::max(bin(r.y, h, prepared_->binRows), i0) == i && std::max(bin(r.x, w, prepared_->binColumns), j0) == j)
          visit(prepared_->binBoxes[k]);
      }
    }
}

RectRecord SceneModel::record(int32_t index, const SceneStyle &style) const {
  const Box &box = prepared_->scene.body.boxes[index];
  Point from = viewport.toCanvas({box.rect.x, box.rect.y});
  Point to = viewport.toCanvas({box.rect.x + box.rect.width, box.rect.y + box.rect.height});
  Colour fill = box.fill == kEmpty ? style.empty : box.fill;
  return {float(from.x), float(from.y), float(to.x), float(to.y), packed(fill), index};
}

void SceneModel::composeLabels(const Box &box, const RectRecord &r, const SceneStyle &style,
                               std::vector<LabelRecord> &out) {
  if (box.label.empty())
    return;
  double width = r.x1 - r.x0 - 4, height = r.y1 - r.y0 - 3;
  auto sizeFor = [&](size_t count, int lines) {
    return std::min(
        {width / (style.glyphWidth * double(std::max<size_t>(count, 1))), height / (1.12 * lines), style.largestText});
  };
  size_t label = characters(box.label), detail = characters(box.detail);
  double both = box.detail.empty() ? 0 : sizeFor(std::max(label, detail), 2);
  float x = (r.x0 + r.x1) / 2, y = (r.y0 + r.y1) / 2;
  uint32_t ink = packed(box.labelColour);
  if (both >= style.smallestText) {
    out.push_back({x, float(y - both * 0.54), float(both), ink, &box.label});
    out.push_back({x, float(y + both * 0.54), float(both), ink, &box.detail});
    return;
  }
  double single = sizeFor(label, 1);
  if (single >= style.smallestText)
    out.push_back({x, y, float(single), ink, &box.label});
}

void SceneModel::composeBoxes(double width, double height, const SceneStyle &style) {
  Point from = viewport.toBody({0, 0}), to = viewport.toBody({width, height});
  visitBoxes({from.x, from.y, to.x - from.x, to.y - from.y}, [&](int32_t index) {
    RectRecord r = record(index, style);
    if (r.x1 <= 0 || r.y1 <= 0 || r.x0 >= width || r.y0 >= height)
      return;
    frame_.cells.push_back(r);
    composeLabels(prepared_->scene.body.boxes[index], r, style, frame_.labels);
  });
}

void SceneModel::composeAverages(double width, double height) {
  frame_.averaged = true;
  double cellWidth = prepared_->scene.grid.cellWidth * viewport.scale,
         cellHeight = prepared_->scene.grid.cellHeight * viewport.scale;
  size_t level = 0;
  while (level + 1 < prepared_->pyramid.size() && std::min(cellWidth, cellHeight) < 3)
    cellWidth *= 2, cellHeight *= 2, ++level;
  const PreparedScene::Level &texels = prepared_->pyramid[level];
  auto first = [](double origin, double cell, int32_t count) {
    return std::clamp(int32_t(std::floor(-origin / cell)), 0, count);
  };
  auto last = [](double origin, double cell, double size, int32_t count) {
    return std::clamp(int32_t(std::ceil((size - origin) / cell)), 0, count);
  };
  int32_t i0 = first(viewport.y, cellHeight, texels.rows), i1 = last(viewport.y, cellHeight, height, texels.rows);
  int32_t j0 = first(viewport.x, cellWidth, texels.columns), j1 = last(viewport.x, cellWidth, width, texels.columns);
  for (int32_t i = i0; i < i1; ++i)
    for (int32_t j = j0; j < j1;) {
      uint32_t colour = texels.colours[size_t(i) * texels.columns + j];
      int32_t end = j + 1;
      while (end < j1 && texels.colours[size_t(i) * texels.columns + end] == colour)
        ++end;
      if (colour >> 24)
        frame_.cells.push_back({float(viewport.x + j * cellWidth), float(viewport.y + i * cellHeight),
                                float(viewport.x + end * cellWidth), float(viewport.y + (i + 1) * cellHeight), colour,
                                -1});
      j = end;
    }
}

void SceneModel::composeAxes(double width, double height) {
  auto axis = [&](const Axis &axis, double origin, double size, std::vector<TickRecord> &ticks,
                  std::vector<GroupRecord> &groups) {
    for (size_t i = 0; i < axis.ticks.size(); ++i) {
      double at = origin + axis.ticks[i].at * viewport.scale;
      if (at >= 0 && at <= size)
        ticks.push_back({float(at), int32_t(i), &axis.ticks[i].text});
    }
    for (const Axis::Group &group : axis.groups) {
      double from = origin + group.at * viewport.scale, to = from + group.size * viewport.scale;
      if (to > 0 && from < size)
        groups.push_back({float(std::max(from, 0.0)), float(std::min(to, size)), packed(group.fill), &group.text});
    }
  };
  axis(prepared_->scene.top, viewport.x, width, frame_.top, frame_.topGroups);
  axis(prepared_->scene.left, viewport.y, height, frame_.left, frame_.leftGroups);
}

const SceneFrame &SceneModel::compose(double width, double height, const SceneStyle &style) {
  frame_.clear();
  if (!prepared_ || width <= 0 || height <= 0)
    return frame_;
  if (fitWanted_ || viewport == fitted_)
    fit(width - 6, height - 6);
  if (readableWanted_)
    fitReadable(style);
  if (!(viewport == fitted_))
    viewport.keepInSight(prepared_->scene.body.width, prepared_->scene.body.height, width, height);

  double cell = std::min(prepared_->scene.grid.cellWidth, prepared_->scene.grid.cellHeight) * viewport.scale;
  if (!prepared_->pyramid.empty() && cell < style.smallestCell)
    composeAverages(width, height);
  else
    composeBoxes(width, height, style);
  for (int32_t index : lit_) {
    RectRecord r = record(index, style);
    if (r.x1 <= 0 || r.y1 <= 0 || r.x0 >= width || r.y0 >= height)
      continue;
    // A lit cell stays visible however small it is.
    r.x1 = std::max(r.x1, r.x0 + 2), r.y1 = std::max(r.y1, r.y0 + 2);
    frame_.lit.push_back(r);
    composeLabels(prepared_->scene.body.boxes[index], r, style, frame_.litLabels);
  }
  for (const Line &line : prepared_->scene.body.lines) {
    Point from = viewport.toCanvas(line.from), to = viewport.toCanvas(line.to);
    frame_.lines.push_back(
        {float(from.x), float(from.y), float(to.x), float(to.y), float(line.width), packed(line.colour)});
  }
  composeAxes(width, height);
  return frame_;
}

} // namespace lanescope::viz
