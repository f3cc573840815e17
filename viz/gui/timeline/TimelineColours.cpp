#include "viz/gui/timeline/TimelineColours.h"

namespace lanescope::viz {

std::optional<Colour> overlapColour(core::OverlapState state, bool dark) {
  // There are two hues for the two units. They are paler while warps only wait. Grey is for warps without a unit.
  switch (state) {
  case core::OverlapState::TensorAndCopies: return Colour{38, 166, 119};
  case core::OverlapState::Tensor: return Colour{140, 205, 120};
  case core::OverlapState::CopiesWhileRunning: return Colour{86, 140, 226};
  case core::OverlapState::CopiesWhileWaiting: return Colour{226, 148, 66};
  case core::OverlapState::Running: return dark ? Colour{150, 158, 170} : Colour{130, 138, 150};
  case core::OverlapState::Waiting: return Colour{206, 84, 84};
  case core::OverlapState::Idle: return std::nullopt;
  }
  return std::nullopt;
}

float occupancyOpacity(size_t blocks) {
  constexpr float kFaintest = 0.35f;
  return kFaintest + (1 - kFaintest) * float(blocks - 1) / float(core::OccupancyBin().size() - 2);
}

} // namespace lanescope::viz
