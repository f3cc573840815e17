// The traces' view of the web page: the window's timeline, driven by JSON as in LayoutPage.h.
//
//   TracePage page;
//   page.file() = text;                                        // a Chrome trace, already expanded
//   page.call(R"({"do": "open", "name": "matmul.json"})")
//     ->  {"trace": {"title": "matmul.json", "slices": 50, …}}
//   page.call(R"({"do": "frame", "width": 900, "height": 600, "scale": 1, "style": {…}})")
//     ->  {"frame": {"bars": {"at": 1048576, "count": 220}, "labels": [[4, 96, 0, 19, "WGMMA", 4279966491], …], …}}
//   page.call(R"({"do": "click", "x": 310, "y": 88})")
//     ->  {"panel": {"slice": {"name": "mbarrier wait", …}, "chain": ["1.08 µs, 62.0 %:  …"], …}}
//
// viz/web/README.md lists the requests. All lengths are in pixels of the canvas. Bulk data of a frame are rows of Fill
// in memory, which are valid until the next call.
#pragma once

#include "viz/gui/timeline/TimelineModel.h"
#include "viz/web/Asked.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

/// A filled rectangle, as the page reads it from memory.
struct Fill {
  float x0, y0, x1, y1;
  uint32_t colour; // 0xAABBGGRR
};

class TracePage {
public:
  /// A request with an error is answered by {"error": {"kind", "message", "text"}}, and changes nothing.
  std::string call(std::string_view request);
  /// The text of the file that the next `open` reads. It is empty afterwards.
  std::string &file() { return file_; }

private:
  struct Look {
    double scale = 1;
    uint32_t ground = 0xFFFFFFFF, ink = 0xFF000000, accent = 0xFFCA6008, rule = 0xFFD6CCC3;
    bool dark = false;
  };

  Result<std::string> answer(const Asked &asked);
  Result<std::string> open(const Asked &asked);
  Result<std::string> texts(const Asked &asked) const;
  std::string frame(const Asked &asked);
  std::string traceFacts() const;
  std::string panel() const;
  std::string pointed(const Asked &asked);
  std::string shared() const;
  Result<void> load(const core::Json &state);
  void set(const core::Json &fields);
  void go(const Asked &asked);

  void fillBars(const TimelineFrame &frame, nlohmann::json &labels, nlohmann::json &outlines);
  void fillGhosts(const TimelineFrame &frame);
  void fillRows(const TimelineFrame &frame, nlohmann::json &rows);
  void fillGraphs(const TimelineFrame &frame, double width);
  uint32_t occupancyFill(size_t blocks) const;

  TimelineModel model_;
  std::shared_ptr<const core::Trace> trace_;
  std::vector<nlohmann::json>
      warnings_; // the trace's warnings without their places, which would keep the file in memory
  std::string file_;
  double width_ = 900; // pixels; the width of the last frame
  Look look_;
  std::vector<Fill> bars_, ghosts_, headings_, overview_, overlap_, occupancy_;
};

} // namespace lanescope::viz
