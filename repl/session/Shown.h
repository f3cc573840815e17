// What `show(x)` shows, as data: a window draws it in a view of its own, a terminal gets it as text (see Show.h).
//
//   SessionOptions options;
//   options.onShow = [&](const Shown &shown) { window.post(shown); return true; };   // true: nothing to print
#pragma once

#include "core/Trace.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/SmemScene.h"
#include "viz/scene/ViewText.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::repl {

/// A layout of any language, at a shape that fits it.
struct ShownLayout {
  layouts::Layout layout;
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  viz::View view = viz::View::Auto;
  viz::ColourBy colourBy = viz::ColourBy::Warp;
  std::optional<layouts::Layout> against = std::nullopt; // the second layout of View::Flow and View::Diff
  layouts::Shape slice = {};                             // fixed leading indices
};

/// A picture by its one-line text: what `view(…)` shows.
struct ShownView {
  viz::ViewSpec spec;
};

/// An array in tiled, swizzled shared memory.
struct ShownSmem {
  viz::SmemSpec spec;
  viz::SmemColour colourBy = viz::SmemColour::Chunk;
  std::optional<layouts::RegisterLayout> owners = std::nullopt; // whose warps SmemColour::Warp shows
};

struct ShownTrace {
  std::shared_ptr<const core::Trace> trace;
  std::string title = {}; // the kernel's name
};

/// Texts to read: a kernel's snippet and its stages, or one long string.
struct ShownCode {
  struct Page {
    std::string title, text;
  };
  std::string title;
  std::vector<Page> pages = {};
};

using Shown = std::variant<ShownLayout, ShownView, ShownSmem, ShownTrace, ShownCode>;

} // namespace lanescope::repl
