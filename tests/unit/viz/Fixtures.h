// Scenes that several tests draw.
#pragma once

#include "layouts/Catalogue.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/SmemScene.h"
#include "viz/scene/TraceScene.h"

#include <gtest/gtest.h>

namespace lanescope::viz::test {

using layouts::Dtype;
namespace catalogue = layouts::catalogue;

inline AnyLayout any(const layouts::TiledLayout &layout) { return layouts::RegisterLayout(layout); }

/// The scene, or an empty one and a failed test.
inline Scene drawn(Result<Scene> scene) {
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : render(scene.error()));
  return scene ? std::move(*scene) : Scene{};
}

inline Scene wgmma(layouts::Shape shape = {64, 8}, LayoutSceneOptions options = {}) {
  return drawn(layoutScene(any(catalogue::wgmma()), shape, Dtype::F32, options));
}

/// Two warpgroups: load and compute (with one nested step), then a gap and a store.
inline std::shared_ptr<const core::Trace> smallTrace() {
  core::Trace trace;
  trace.names = {"load", "compute", "step", "store"};
  for (int i = 0; i < 2; ++i) {
    double at = 1000 + 40 * i;
    trace.tracks.push_back(
        {1,
         1 + i,
         "SM 0",
         "block (0, 0, 0) warpgroup " + std::to_string(i),
         {{0, 0, at, at + 300}, {1, 0, at + 300, at + 800}, {2, 1, at + 350, at + 500}, {3, 0, at + 850, at + 1000}}});
  }
  return std::make_shared<const core::Trace>(std::move(trace));
}

} // namespace lanescope::viz::test
