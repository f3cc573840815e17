// A request for a picture. It can also be written as one line of text, to share and restore it. The REPL, the command
// line and the window draw every picture of an array from such a request.
//
//   view("WGMMA", shape=(64, 64), dtype=f16, view="lanes", colour="register", select=(9, 2), theme="dark")
//   view("WGMMA", shape=(64, 64), view="diff", against="WGMMA_UPCAST_2X")
//   view("((4,8),2):((16,1),8)", shape=(8, 8), memory="registers")
//   view(None, shape=(8, 64), dtype=f16, view="smem", tiling=(8, 64), swizzle=128, byte=144)
//   view(None, arrays=(("acc", "tmem_default_layout()", (128, 128), f32, 0), …))     a kernel's tensor memory
//   view("WGMMA", shape=(64, 64), view="devices", mesh=(("x", 2),), sharding=("x", None))   a part, on two devices
//
// The text is a call in the snippet language with literal arguments, so that the REPL can run it, too. Absent arguments
// have their defaults, and viewText() leaves out defaults. If several pictures are open together, the text has several
// calls with `;` between them. The first one is in front.
//
//   view("WGMMA", shape=(64, 64), view="grid"); view(None, shape=(64, 64), view="smem", tiling=(8, 32), swizzle=128)
#pragma once

#include "layouts/Reading.h"
#include "viz/scene/DeviceSplit.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Selection.h"
#include "viz/scene/SmemScene.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

/// The visible part of the picture: the scale in pixels per body pixel, and the point of the body at the top left of
/// the canvas.
struct ViewZoom {
  double scale = 1, x = 0, y = 0;
  bool operator==(const ViewZoom &) const = default;
};

struct ViewSpec {
  std::string layout = {};                            // in any notation; empty for View::Smem with a tiling
  layouts::Shape shape = {};                          // empty: the shape of the layout
  std::optional<layouts::Dtype> dtype = std::nullopt; // nothing: the dtype of the layout, or f32
  View view = View::Auto;
  // The memory for which the layout is read; nothing: determined as in Reading.h.
  std::optional<layouts::Memory> memory = std::nullopt;
  ColourBy colourBy = ColourBy::Warp;
  std::optional<SmemColour> smemColour = std::nullopt; // "chunk", "row", "column": only for shared memory
  std::string against = {};                            // the second layout of View::Flow and View::Diff
  layouts::Shape slice = {};
  layouts::Shape tiling = {}; // for shared memory, as in SmemSpec
  int swizzle = 0;
  bool transpose = false;
  SmemStage stage =
      SmemStage::Auto; // the picture of shared memory to show; in the window, Auto shows the one after the swizzle
  bool wholeMemory = false;
  /// A kernel's tensor memory. It replaces a layout. In the text, each array is a tuple of name, layout, shape, dtype
  /// and first column, followed by True if it is collective.
  std::vector<layouts::TmemArray> arrays = {};
  DeviceSplit devices = {}; // for View::Devices: how the array is split; `shape` is that of one part
  Place select = {};
  ColourTheme theme = ColourTheme::Light;
  std::optional<ViewZoom> zoom = std::nullopt;
  bool operator==(const ViewSpec &) const = default;
};

/// One line. parseView() reads it back to an equal spec. `select` is written as `select=(9, 2)` for an element,
/// `thread=5, register=1, position=0`, `byte=144`, or `cell=(lane, column, sub)`.
std::string viewText(const ViewSpec &spec);
/// The text of several pictures, beginning with the one in front.
std::string viewsText(const std::vector<ViewSpec> &specs);
/// True if the text is meant as a view, that is, if it begins with `view(`.
bool looksLikeView(std::string_view text);
/// Errors have a place: no call of `view`, an unknown or repeated argument, a value of the wrong kind. `color` is read
/// as `colour`.
Result<ViewSpec> parseView(const SourceRef &source);
/// Reads one call or several: at least one, at most 64.
Result<std::vector<ViewSpec>> parseViews(const SourceRef &source);

/// True if the spec does not choose a picture and its text has several operands. They are then drawn together.
bool showsOperands(const ViewSpec &spec);
/// How the picture reads the layout: for the requested memory. If none is requested, for the view's own memory, or by
/// the rule of Reading.h.
Result<layouts::Reading> readingOf(const ViewSpec &spec, const layouts::Layout &layout);

/// A request in which everything that follows from its layout is filled in.
struct ReadPicture {
  ViewSpec spec;            // has a shape; if the layout can be read for several memories, it has a memory, too
  layouts::Memory memory{}; // the memory for which the layout is read
  std::string note;         // says how the text was read and how to choose another reading; empty: nothing was guessed
};
/// Reads the layout as the request asks for, and fills in the rest of the request. All commands, the language and the
/// window read a layout's picture by it. `how`: the control that the note names. Errors: those of readingOf().
Result<ReadPicture> readPicture(ViewSpec asked, const layouts::Layout &layout, layouts::ReadingSwitch how);

/// The picture for a spec whose layouts are texts in any notation. Errors: those of the notations and of the scenes.
/// `labels`, `tooltips`, `boxes` and the limits come from `options`, and everything else from the spec.
Result<Scene> viewScene(const ViewSpec &spec, const LayoutSceneOptions &options = {});
/// The same with layouts that are already values. The texts in the spec are not read.
Result<Scene> viewScene(const ViewSpec &spec, const std::optional<layouts::Layout> &layout,
                        const std::optional<layouts::Layout> &against, const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
