// What `show(x)` shows, as data: a window draws it in a view of its own, a terminal gets it as text (see Show.h).
//
//   SessionOptions options;
//   options.onShow = [&](const Shown &shown) { window.post(shown); return true; };   // true: nothing to print
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "core/gpu/dumps/KernelPage.h"
#include "core/Trace.h"
#include "viz/scene/ViewText.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::repl {

/// A picture of an array: the one request that all of them are drawn by. Where `layout` is there the spec names none,
/// but means this value; likewise `against`.
struct ShownView {
  viz::ViewSpec spec;
  std::optional<layouts::Layout> layout = std::nullopt, against = std::nullopt;
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
  /// Of a kernel: what it was compiled to, and the text that it stands in.
  std::shared_ptr<const core::KernelStages> stages = {};
  SourceRef source = {};
};

/// A kernel that JAX dumped.
struct ShownDump {
  std::shared_ptr<const core::dumps::KernelPage> page;
};

using Shown = std::variant<ShownView, ShownTrace, ShownCode, ShownDump>;

} // namespace lanescope::repl
