#include "viz/gui/canvas/BoxIndex.h"

namespace lanescope::viz {

namespace {
constexpr int64_t kMaxBinsPerSide = 256;
constexpr int64_t kBoxesPerBin = 32;
} // namespace

BoxIndex::BoxIndex(const Picture &body) : width_(body.width), height_(body.height) {
  if (body.boxes.empty() || width_ <= 0 || height_ <= 0)
    return;
  double bins = std::max<double>(1, double(body.boxes.size()) / kBoxesPerBin), aspect = width_ / height_;
  columns_ = int32_t(std::clamp<double>(std::sqrt(bins * aspect), 1, kMaxBinsPerSide));
  rows_ = int32_t(std::clamp<double>(std::sqrt(bins / aspect), 1, kMaxBinsPerSide));
  auto forEachBin = [&](const Rect &r, auto visit) {
    for (int32_t i = bin(r.y, height_, rows_), last = bin(r.y + r.height, height_, rows_); i <= last; ++i)
      for (int32_t j = bin(r.x, width_, columns_), end = bin(r.x + r.width, width_, columns_); j <= end; ++j)
        visit(size_t(i) * size_t(columns_) + size_t(j));
  };
  starts_.assign(size_t(columns_) * size_t(rows_) + 1, 0);
  for (const Box &box : body.boxes)
    forEachBin(box.rect, [&](size_t b) { ++starts_[b + 1]; });
  for (size_t b = 1; b < starts_.size(); ++b)
    starts_[b] += starts_[b - 1];
  entries_.resize(size_t(starts_.back()));
  std::vector<int32_t> next(starts_.begin(), starts_.end() - 1);
  for (size_t i = 0; i < body.boxes.size(); ++i) {
    const Rect &r = body.boxes[i].rect;
    Entry entry{int32_t(i), bin(r.y, height_, rows_), bin(r.x, width_, columns_)};
    forEachBin(r, [&](size_t b) { entries_[size_t(next[b]++)] = entry; });
  }
}

} // namespace lanescope::viz
