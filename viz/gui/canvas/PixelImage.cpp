#include "viz/gui/canvas/PixelImage.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace lanescope::viz {

namespace {
std::atomic<uint64_t> lastId = 0;
constexpr int kLargest = 1 << 14; // pixels per side; no canvas is larger
} // namespace

PixelImage::PixelImage() : id_(++lastId) {}

void PixelImage::resize(int width, int height) {
  width_ = std::clamp(width, 0, kLargest), height_ = std::clamp(height, 0, kLargest);
  pixels_.resize(size_t(width_) * size_t(height_));
  ++version_;
}

void PixelImage::paintCells(const CellRaster &raster, const GridPlace &place, int width, int height, uint32_t hatch) {
  resize(width, height);
  int level = raster.levelFor(std::min(place.cellWidth, place.cellHeight));
  CellRaster::Size size = raster.size(level);
  double side = double(int64_t(1) << level), texelWidth = place.cellWidth * side, texelHeight = place.cellHeight * side;
  // The middle of a pixel selects its texel. So a texel that spans one and a half pixels is one or two pixels wide.
  auto texel = [](int pixel, double origin, double extent, int64_t count) -> int64_t {
    double at = std::floor((pixel + 0.5 - origin) / extent);
    return at < 0 ? -1 : at >= double(count) ? count : int64_t(at);
  };
  columns_.resize(size_t(width_));
  int left = width_, right = 0; // the range of pixels that show columns
  for (int x = 0; x < width_; ++x) {
    int64_t at = texel(x, place.x, texelWidth, size.columns);
    if (at < 0 || at >= size.columns)
      continue;
    columns_[size_t(x)] = int32_t(at);
    left = std::min(left, x), right = x + 1;
  }
  int64_t firstRow = size.rows, lastRow = -1;
  for (int y : {0, height_ - 1}) {
    int64_t at = std::clamp<int64_t>(texel(y, place.y, texelHeight, size.rows), 0, size.rows - 1);
    firstRow = std::min(firstRow, at), lastRow = std::max(lastRow, at);
  }
  if (right <= left || lastRow < firstRow) {
    std::fill(pixels_.begin(), pixels_.end(), 0);
    return;
  }
  int64_t firstColumn = columns_[size_t(left)], columns = columns_[size_t(right) - 1] - firstColumn + 1;
  int64_t rows = lastRow - firstRow + 1;
  texels_.resize(size_t(rows * columns));
  raster.fill(level, firstRow, firstColumn, rows, columns, texels_.data(), columns);
  int64_t drawn = -1;
  for (int y = 0; y < height_; ++y) {
    uint32_t *row = pixels_.data() + size_t(y) * size_t(width_);
    int64_t at = texel(y, place.y, texelHeight, size.rows);
    if (at < 0 || at >= size.rows) {
      std::fill_n(row, width_, 0);
    } else if (at == drawn) {
      std::copy_n(row - width_, width_, row);
    } else {
      const uint32_t *from = texels_.data() + (at - firstRow) * columns - firstColumn;
      std::fill(row, row + left, 0);
      for (int x = left; x < right; ++x)
        row[x] = from[columns_[size_t(x)]];
      std::fill(row + right, row + width_, 0);
      drawn = at;
    }
    if (at < 0 || at >= size.rows)
      drawn = -1;
  }
  if (hatch >> 24 && raster.model().hasCopies())
    paintHatch(raster, place, hatch);
}

void PixelImage::paintHatch(const CellRaster &raster, const GridPlace &place, uint32_t hatch) {
  double share = double(hatch >> 24) / 255;
  auto blend = [&](uint32_t &pixel) {
    uint32_t out = 0xFF000000u;
    for (int shift : {0, 8, 16}) {
      double from = pixel >> shift & 255, to = hatch >> shift & 255;
      out |= uint32_t(from + (to - from) * share) << shift;
    }
    pixel = out;
  };
  for (int y = 0; y < height_; ++y) {
    auto row = int64_t(std::floor((y + 0.5 - place.y) / place.cellHeight));
    if (row < 0 || row >= raster.rows())
      continue;
    uint32_t *pixels = pixels_.data() + size_t(y) * size_t(width_);
    for (int x = (kHatchPitch - y % kHatchPitch) % kHatchPitch; x < width_; x += kHatchPitch) {
      if (pixels[x] >> 24 == 0) // transparent: there is no cell here
        continue;
      auto column = int64_t(std::floor((x + 0.5 - place.x) / place.cellWidth));
      if (column >= 0 && column < raster.columns() && raster.model().isCopy(row, column))
        blend(pixels[x]);
    }
  }
}

void PixelImage::paintMarks(const CellRaster &raster, std::span<const CellAt> marks, const GridPlace &place, int width,
                            int height, int smallest, const std::function<uint32_t(uint32_t)> &colour) {
  resize(width, height);
  std::fill(pixels_.begin(), pixels_.end(), 0);
  for (const CellAt &mark : marks) {
    double left = place.x + double(mark.column) * place.cellWidth, top = place.y + double(mark.row) * place.cellHeight;
    if (left >= width_ || top >= height_ || left + place.cellWidth + smallest <= 0 ||
        top + place.cellHeight + smallest <= 0)
      continue;
    int x0 = std::max(int(std::floor(left)), 0), y0 = std::max(int(std::floor(top)), 0);
    int x1 = std::min(std::max(int(std::lround(left + place.cellWidth)), x0 + smallest), width_);
    int y1 = std::min(std::max(int(std::lround(top + place.cellHeight)), y0 + smallest), height_);
    uint32_t fill = 0;
    raster.fill(0, mark.row, mark.column, 1, 1, &fill, 1);
    fill = colour(fill);
    for (int y = y0; y < y1; ++y)
      std::fill(pixels_.begin() + ptrdiff_t(y) * width_ + x0,
                pixels_.begin() + ptrdiff_t(y) * width_ + std::max(x0, x1), fill);
  }
}

} // namespace lanescope::viz
