#include "viz/scene/CellRaster.h"

#include "viz/scene/Palette.h"

#include <algorithm>

namespace lanescope::viz {

uint32_t packedIn(ColourTheme theme, Colour light) {
  Colour c = inTheme(light, theme);
  return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24;
}

void CellModel::fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const {
  Colour last{0, 0, 0, 0};
  uint32_t packed = 0;
  for (int64_t i = 0; i < count; ++i) {
    Cell at = cell(row, column + i);
    if (at.element < 0) {
      out[i] = 0;
      continue;
    }
    if (!(at.fill == last)) {
      last = at.fill;
      packed = packedIn(theme_, last);
    }
    out[i] = packed;
  }
}

CellRaster::CellRaster(std::shared_ptr<const CellModel> model)
    : model_(std::move(model)), rows_(model_->rows()), columns_(model_->columns()) {
  Size size{rows_, columns_};
  sizes_.push_back(size);
  while (size.rows > 1 || size.columns > 1) {
    size = {(size.rows + 1) / 2, (size.columns + 1) / 2};
    sizes_.push_back(size);
  }
}

int CellRaster::levelFor(double pixelsPerCell) const {
  int level = 0;
  while (level + 1 < levels() && pixelsPerCell < 1) {
    pixelsPerCell *= 2;
    ++level;
  }
  return level;
}

int64_t CellRaster::element(int64_t row, int64_t column) const {
  if (row < 0 || column < 0 || row >= rows_ || column >= columns_)
    return -1;
  return model_->cell(row, column).element;
}

namespace {

/// The mean of up to four colours, channel by channel. Empty colours do not count.
uint32_t mean(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  if (a == b && a == c && a == d)
    return a;
  uint32_t redBlue = 0, green = 0, count = 0;
  for (uint32_t colour : {a, b, c, d})
    if (colour >> 24) {
      redBlue += colour & 0xff00ff; // at most 4 * 255 in each half, so the halves do not overlap
      green += colour >> 8 & 0xff;
      ++count;
    }
  if (count == 0)
    return 0;
  return (redBlue & 0xffff) / count | (redBlue >> 16) / count << 16 | green / count << 8 | 0xff000000u;
}

} // namespace

void CellRaster::average() const {
  averages_.resize(sizes_.size() - 1);
  std::vector<uint32_t> upper(static_cast<size_t>(columns_)), lower(static_cast<size_t>(columns_));
  for (size_t level = 1; level < sizes_.size(); ++level) {
    Size fine = sizes_[level - 1], coarse = sizes_[level];
    std::vector<uint32_t> &out = averages_[level - 1];
    out.resize(static_cast<size_t>(coarse.rows * coarse.columns));
    for (int64_t r = 0; r < coarse.rows; ++r) {
      const uint32_t *a = upper.data(), *b = lower.data();
      bool hasLower = 2 * r + 1 < fine.rows;
      if (level == 1) {
        model_->fillRow(2 * r, 0, fine.columns, upper.data());
        if (hasLower)
          model_->fillRow(2 * r + 1, 0, fine.columns, lower.data());
      } else {
        a = averages_[level - 2].data() + 2 * r * fine.columns;
        b = a + fine.columns;
      }
      if (!hasLower)
        b = a;
      uint32_t *to = out.data() + r * coarse.columns;
      for (int64_t c = 0; 2 * c + 1 < fine.columns; ++c)
        to[c] = mean(a[2 * c], a[2 * c + 1], b[2 * c], b[2 * c + 1]);
      if (fine.columns % 2)
        to[coarse.columns - 1] = mean(a[fine.columns - 1], 0, b[fine.columns - 1], 0);
    }
  }
}

void CellRaster::prepare() const {
  std::call_once(averaged_, [this] { average(); });
}

void CellRaster::fill(int level, int64_t row, int64_t column, int64_t rowCount, int64_t columnCount, uint32_t *out,
                      int64_t stride) const {
  if (level > 0)
    prepare();
  for (int64_t r = 0; r < rowCount; ++r) {
    uint32_t *to = out + r * stride;
    if (level == 0) {
      model_->fillRow(row + r, column, columnCount, to);
      continue;
    }
    const uint32_t *from = averages_[static_cast<size_t>(level) - 1].data() + (row + r) * size(level).columns + column;
    std::copy(from, from + columnCount, to);
  }
}

std::vector<CellAt> CellRaster::cellsWith(std::span<const int32_t> elements) const {
  std::vector<CellAt> cells;
  for (int32_t element : elements)
    model_->cellsOf(element, cells);
  if (!std::ranges::is_sorted(cells)) // pictures in the order of the array give sorted cells
    std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

} // namespace lanescope::viz
