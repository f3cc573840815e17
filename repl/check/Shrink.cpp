#include "repl/check/Shrink.h"

#include <algorithm>
#include <chrono>

namespace lanescope::repl {

namespace {

class Shrinking {
public:
  Shrinking(const core::Launch &launch, double seconds, const ShowsFinding &shows)
      : launch_(launch), shows_(shows),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
    out_.grid = launch.grid;
  }

  Shrunk run() {
    constexpr int kPasses = 2; // a smaller x may permit a smaller y
    for (int pass = 0; pass < kPasses; ++pass) {
      std::array<uint32_t, 3> before = out_.grid;
      for (size_t axis : {2, 1, 0})
        shrinkAxis(axis);
      if (out_.grid == before)
        break;
    }
    shrinkBlocks();
    return out_;
  }

private:
  using Clock = std::chrono::steady_clock;
  using Block = uint64_t;

  bool shows(const core::Launch &launch, const core::BlockChoice &blocks) {
    if (Clock::now() >= end_) {
      out_.endedEarly = true;
      return false;
    }
    ++out_.runs;
    return shows_(launch, blocks);
  }

  bool showsWith(size_t axis, uint32_t size) {
    core::Launch smaller = launch_;
    smaller.grid = out_.grid;
    smaller.grid[axis] = size;
    return shows(smaller, {});
  }

  void shrinkAxis(size_t axis) {
    const uint32_t step = std::max(launch_.cluster[axis], 1u), whole = out_.grid[axis];
    uint32_t least = 0, size = step; // a grid of `least` does not show it
    for (; size < whole && !showsWith(axis, size); size = size > whole / 2 ? whole : size * 2)
      least = size;
    size = std::min(size, whole);
    while (size - least > step) {
      uint32_t middle = least + std::max((size - least) / 2 / step, 1u) * step;
      (showsWith(axis, middle) ? size : least) = middle;
    }
    out_.grid[axis] = size;
  }

  void shrinkBlocks() {
    const Block all = Block{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
    Block first = 0, last = all - 1;
    auto suffices = [&](core::BlockChoice choice) {
      if (!shows(launch_, choice))
        return false;
      out_.blocks = std::move(choice);
      return true;
    };
    for (Block step = all / 2; step > 0;) {
      if (last - first >= step && suffices({.ranges = {{first, last - step}}}))
        last -= step;
      else if (last - first >= step && suffices({.ranges = {{first + step, last}}}))
        first += step;
      else
        step /= 2;
    }
    if (last - first > 1) // two blocks, such as those of a race
      suffices({.ranges = {{first, first}, {last, last}}});
  }

  const core::Launch &launch_;
  const ShowsFinding &shows_;
  const Clock::time_point end_;
  Shrunk out_;
};

} // namespace

Shrunk shrink(const core::Launch &launch, double seconds, const ShowsFinding &shows) {
  return Shrinking(launch, seconds, shows).run();
}

} // namespace lanescope::repl
