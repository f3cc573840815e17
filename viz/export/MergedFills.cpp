#include "viz/export/MergedFills.h"

#include <algorithm>
#include <unordered_map>

namespace lanescope::viz {
namespace {

uint32_t packed(Colour c) { return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24; }

struct Run {
  Rect rect;
  uint32_t key;
};

/// Joins adjacent equal boxes in a row into runs, and then rows with the same runs. Calls `emit(rect, key)` for each
/// result.
class Joiner {
public:
  void add(Rect rect, uint32_t key) {
    if (!row_.empty() && rect.y != row_.back().rect.y)
      endRow();
    if (!row_.empty() && row_.back().key == key && row_.back().rect.height == rect.height &&
        row_.back().rect.x + row_.back().rect.width == rect.x) {
      row_.back().rect.width += rect.width;
      return;
    }
    row_.push_back({rect, key});
  }
  std::vector<Run> take() {
    endRow();
    done_.insert(done_.end(), open_.begin(), open_.end());
    open_.clear();
    return std::move(done_);
  }

private:
  void endRow() {
    // Both lists are ordered from left to right.
    std::vector<Run> next;
    size_t above = 0;
    for (Run &run : row_) {
      while (above < open_.size() && open_[above].rect.x < run.rect.x)
        done_.push_back(open_[above++]);
      if (above < open_.size() && open_[above].key == run.key && open_[above].rect.x == run.rect.x &&
          open_[above].rect.width == run.rect.width && open_[above].rect.y + open_[above].rect.height == run.rect.y) {
        open_[above].rect.height += run.rect.height;
        next.push_back(open_[above++]);
      } else {
        next.push_back(run);
      }
    }
    done_.insert(done_.end(), open_.begin() + static_cast<std::ptrdiff_t>(above), open_.end());
    open_ = std::move(next);
    row_.clear();
  }

  std::vector<Run> row_, open_, done_;
};

} // namespace

FillRects mergedFills(const std::vector<Box> &boxes) {
  FillRects out;
  std::unordered_map<uint32_t, size_t> known;
  Joiner joiner;
  auto add = [&](Rect rect, Colour colour) {
    auto [at, isNew] = known.try_emplace(packed(colour), out.size());
    if (isNew)
      out.push_back({colour, {}});
    joiner.add(rect, packed(colour));
  };
  for (const Box &box : boxes) {
    int bands = std::max(box.bandCount, 1);
    double width = box.rect.width / bands;
    for (int i = 0; i < bands; ++i)
      add({box.rect.x + i * width, box.rect.y, width, box.rect.height},
          box.bandCount > 1 ? box.bands[static_cast<size_t>(i)] : box.fill);
  }
  for (const Run &run : joiner.take())
    out[known[run.key]].second.push_back(run.rect);
  return out;
}

std::vector<Rect> mergedHatches(const std::vector<Box> &boxes) {
  Joiner joiner;
  for (const Box &box : boxes)
    if (box.hatched)
      joiner.add(box.rect, 0);
  std::vector<Rect> out;
  for (const Run &run : joiner.take())
    out.push_back(run.rect);
  return out;
}

} // namespace lanescope::viz
