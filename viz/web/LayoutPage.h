// The layouts' view of the web page: the window's explorer, driven by JSON. A request is an object with the member
// `do`, and an answer is an object, too.
//
//   LayoutPage page;
//   page.call(R"({"do": "set", "fields": {"layout": "WGMMA", "shape": "64x64", "dtype": "f16"}})")
//     ->  {"state": {"panes": [{"name": "array", "title": "Array", …}], "facts": {…}, "legends": […], …}}
//   page.call(R"({"do": "frame", "pane": "array", "width": 800, "height": 600, "style": {…}})")
//     ->  {"frame": {"cells": {"at": 1048576, "count": 2048}, "labels": [[12.5, 9, 11, "T0"], …], …}}
//   page.call(R"({"do": "point", "pane": "array", "x": 310, "y": 88})")
//     ->  {"lit": {"changed": true, "words": ["element (9, 2) is held by …"], …}}
//
// Requests: `start`, `set`, `open`, `front`, `choose`, `paste`, `frame`, `point`, `leave`, `click`, `arrow`, `unpin`,
// `zoom`, `pan`, `fit`, `labels`, `export`, `share`, `view`, `load`. viz/web/README.md lists their members.
//
// Bulk data of a frame (cells, lines, images) are not copied into the answer. It gives their place in memory, which is
// valid until the next call. SceneModel.h has their layout.
#pragma once

#include "viz/gui/explorer/ExplorerModel.h"
#include "viz/web/Asked.h"

#include <array>
#include <string>
#include <string_view>

namespace lanescope::viz {

class LayoutPage {
public:
  /// A request with an error is answered by {"error": {"kind", "message", "text"}}, and changes nothing.
  std::string call(std::string_view request);

private:
  /// The inputs of a pane's frame that the page has drawn. While they stay, only lit cells are sent again.
  struct Drawn {
    Viewport viewport;
    double width = 0, height = 0;
    SceneStyle style;
    const Scene *scene = nullptr;
    int64_t version = 0;
    bool operator==(const Drawn &) const = default;
  };

  static Result<PaneKind> paneOfRequest(const Asked &asked);
  Result<std::string> answer(const Asked &asked);
  Result<std::string> frame(const Asked &asked);
  Result<std::string> exported(const Asked &asked);
  Result<void> set(const core::Json &fields);
  Result<void> load(const core::Json &given);
  /// If a new layout applies to no picture of the present shape, takes the layout's example shape, and says so.
  void fitShape();
  static Result<ExplorerInput> inputWith(const core::Json &fields, ExplorerInput input);
  /// Runs the jobs that the model has posted.
  void settle();
  std::string state();
  std::string lit(bool changed);
  std::string shared() const;

  Requests requests_;
  ExplorerModel model_;
  std::array<Drawn, kPanes> drawn_;
  int64_t versions_ = 0;
  std::array<bool, kPanes> moved_ = {}; // the user has zoomed or moved the picture
  double scale_ = 1;                    // canvas pixels per pixel of the page, in the last frame
};

} // namespace lanescope::viz
