// A scene as terminal text: a coloured grid, or a timeline of bars for a trace.
#pragma once

#include "viz/scene/LayoutScene.h"

#include <string>

namespace lanescope::viz {

enum class TerminalColour { None, Ansi256, TrueColour };

struct TerminalOptions {
  int width = 80;   // columns; wider content is cut off, and a line says so
  int maxRows = 64; // the most rows of the grid
  int barWidth = 0; // width of the bars of a timeline or of tensor memory; 0: the rest of `width`
  TerminalColour colour = TerminalColour::None;
  /// The hint that is shown for a grid that was cut off.
  std::string seeAll = "write it to a file to see all: .svg, .html, .txt";
  bool colours() const { return colour != TerminalColour::None; }
};

/// The text ends with a newline. Without colours, it is ASCII except for the user's own names.
std::string terminalText(const Scene &scene, const TerminalOptions &options);
/// The text for the layout's default scene.
Result<std::string> terminalText(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                                 const TerminalOptions &options, const LayoutSceneOptions &sceneOptions = {});

} // namespace lanescope::viz
