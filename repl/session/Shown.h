// The result of `show(x)` as data. A window draws it in a view, and a terminal gets it as text (Show.h).
//
//   SessionOptions options;
//   options.onShow = [&](const Shown &shown) { window.post(shown); return true; };   // true: nothing to print
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "core/gpu/dumps/DumpKernelPage.h"
#include "core/Trace.h"
#include "viz/scene/ViewText.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::repl {

/// A picture of an array. All pictures of arrays are drawn from this request. If `layout` is set, it is the layout of
/// the spec, which then names none. `against` works in the same way.
struct ShownView {
  viz::ViewSpec spec;
  std::optional<layouts::Layout> layout = std::nullopt, against = std::nullopt;
};

struct ShownTrace {
  std::shared_ptr<const core::Trace> trace;
  std::string title = {}; // name of the kernel
};

/// Texts to read: a kernel's snippet and its stages, or one long string.
struct ShownCode {
  struct Page {
    std::string title, text;
  };
  std::string title;
  std::vector<Page> pages = {};
  /// The stages of a kernel, and the text that defines the kernel. Null for other texts.
  std::shared_ptr<const core::KernelStages> stages = {};
  SourceRef source = {};
};

/// A kernel that JAX dumped.
struct ShownDump {
  std::shared_ptr<const core::dumps::KernelPage> page;
};

using Shown = std::variant<ShownView, ShownTrace, ShownCode, ShownDump>;

} // namespace lanescope::repl
