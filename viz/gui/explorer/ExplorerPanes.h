// The pictures of an array that the layout explorer can draw. The texts of its controls become one request per picture.
// viewScene() draws these requests, as it does for files and terminals. This runs on the worker's thread.
//
//   ExplorerOutcome out = explore({.layout = "WGMMA", .shape = "64x64", .dtype = "f16"}, {PaneKind::Array});
//   out.panes[0].scene
//
// To add a picture, add a View that viewScene() draws, a PaneKind, and rows in the tables of ExplorerPanes.cpp.
#pragma once

#include "layouts/Layout.h"
#include "layouts/linear/LinearLayout.h"
#include "layouts/Reading.h"
#include "viz/gui/canvas/SceneModel.h"
#include "viz/gui/explorer/AccessWords.h"
#include "viz/scene/ViewText.h"

#include <span>

namespace lanescope::viz {

enum class PaneKind { Array, Threads, Tmem, Smem, F2, Second, Flow, Diff, Arrays, Devices, Operands };
constexpr size_t kPanes = 11;

struct PaneEntry {
  PaneKind kind;
  const char *name;  // the name in scripts and shared texts
  const char *title; // the title on its button and above it
  const char *about;
  bool comparing; // needs a second layout
};
std::span<const PaneEntry> paneTable();
const PaneEntry &paneEntry(PaneKind kind);
std::optional<PaneKind> paneNamed(std::string_view name);
PaneKind paneOf(const ViewSpec &spec);

struct ExplorerInput {
  std::string layout, compare;
  std::string shape, dtype;
  /// The memory as whose layout the text is read, if several are possible. Unset: the rule of Reading.h applies.
  std::optional<layouts::Memory> memory = std::nullopt;
  /// The layout in tensor memory, if `layout` does not give it; "auto": see tmemText().
  std::string tmem = "auto";
  /// The tiling in shared memory, if `layout` does not give it. "auto": tiles of 8 rows, as wide as the swizzle.
  std::string tiling = "auto";
  int swizzle = 128; // bytes; 0: no swizzle
  bool transpose = false;
  SmemStage stage = SmemStage::Swizzled;
  // For PaneKind::Arrays: a kernel's arrays, side by side in tensor memory.
  std::vector<layouts::TmemArray> arrays;
  // For PaneKind::Devices: how an array is split over devices. `shape` is that of one part.
  DeviceSplit devices;
  std::string access; // the instruction whose bank conflicts are counted; empty if none
  ColourBy colourBy = ColourBy::Warp;
  SmemColour smemColour = SmemColour::Chunk;
  // The indices of leading dimensions. Leading dimensions without an index are stacked.
  layouts::Shape slice;
  ColourTheme theme = ColourTheme::Dark;
  // `layout` was edited after `shape` and `dtype`, so the shape and type in its text take precedence.
  bool layoutEdited = false;
};

/// A layout in one language.
struct LayoutText {
  std::string title, text; // "As JAX prints it"; an empty text if the language cannot express the layout
};

/// A layout that was found in a larger text (a module's alias, a print), or one of a kernel's arrays.
struct FoundText {
  std::string name; // "#blocked", "%acc"; the language if the layout has no name
  std::string text;
  std::string shape, dtype; // empty if not given
};

/// A linear layout and its inverse, for the picture of its bits.
struct BitArithmetic {
  layouts::LinearLayout layout, back;

  /// The entries that are 1 in the columns whose bits are set in the element's first place. The exclusive or of these
  /// columns is the element.
  std::vector<CellAt> cellsOf(const layouts::Shape &index) const;
};

/// The facts read from the inputs.
struct ExplorerFacts {
  // Each message refers to a source that has the name of the message's field: layout, compare, shape, dtype, tiling, …
  Diagnostics diagnostics;
  std::optional<layouts::Layout> layout, compare;
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  std::optional<layouts::Memory> read;  // the memory as whose layout the text is read, in every picture of it
  std::vector<layouts::Memory> choices; // the memories as whose layouts the text may be read, if there are several
  // The shape and type in the layout's own text, for the fields; empty if the text has none.
  std::string shapeText, dtypeText;
  std::vector<std::string> remarks;  // remarks by the parsers: "read as …"
  std::vector<LayoutText> texts;     // the first layout in each language
  std::optional<BitArithmetic> bits; // set if the picture of bits is open and the layout is linear
  // The layouts in `layout`, if it is a larger text (the first one is drawn), or in `arrays`.
  std::vector<FoundText> found;
  /// The comparison of the two layouts, one sentence each: equality, elements that change owner, the cost of a
  /// relayout.
  std::vector<std::string> comparison;
  bool equal = false;
  bool severalOperands = false;     // the text is an instruction or a tiled MMA
  std::optional<AccessCost> access; // the cost of input.access, if the picture of shared memory is open
};

/// The request for a picture, and the layout that is copied to the clipboard.
struct PaneRequest {
  ViewSpec spec;                                        // for PaneKind::Second, the view is Auto
  std::optional<layouts::Layout> layout = std::nullopt; // the layout that spec.layout names
  std::string note = {};                                // says which choice was made in place of the requested one
  Diagnostics problems = {};                            // the reasons why it cannot be drawn
};
/// The picture's entry, with words that suit this array. For instance, a TPU's memory is not called a GPU's shared
/// memory.
const PaneEntry &paneEntry(PaneKind kind, const ExplorerFacts &facts);
PaneRequest paneRequest(const ExplorerInput &input, const ExplorerFacts &facts, PaneKind kind);

/// The outcome of one picture: a scene, or the reason why there is none.
struct PaneOutcome {
  PaneKind kind;
  std::shared_ptr<const PreparedScene> scene;
  Diagnostics diagnostics;
};

struct ExplorerOutcome {
  ExplorerFacts facts;
  std::vector<PaneOutcome> panes; // the requested pictures; empty if the array itself could not be read
  /// The pictures to open in place of the current ones. It is set if an edit of the layout opens or closes the picture
  /// of all operands. Empty: no change.
  std::vector<PaneKind> opened;
};

/// Arrays with more elements are refused. Their picture would be unreadable, and would need too much memory.
constexpr int64_t kMaxDrawnElements = int64_t(1) << 24;

ExplorerOutcome explore(const ExplorerInput &input, const std::vector<PaneKind> &panes);

/// The arithmetic that leads from an element to its places, one line per step. Empty if the layout does not apply.
std::vector<std::string> explainLines(const ExplorerFacts &facts, const layouts::Shape &index);

/// The text of the layout in tensor memory. "auto" chooses as JAX does for one CTA: by the number of rows, packed as
/// tightly as the type allows. Fails if no layout fits the shape.
Result<std::string> tmemText(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype);
/// The texts that the field accepts: "auto", and each layout of tensor memory that fits the shape.
std::vector<std::string> tmemForms(const layouts::Shape &shape, layouts::Dtype dtype);
/// The tiles and the swizzle of the array in shared memory, with "auto" replaced by the actual values. `remark` says
/// which choice was made in place of the requested one. Fails if the text is not a tiling.
Result<SmemSpec> smemSpec(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype,
                          std::string &remark);

/// True if the layout can be read as a layout of the memory.
bool knows(const layouts::Layout &layout, layouts::Memory memory);

/// Draws one picture with boxes and on light paper, as files show it.
Result<Scene> paneForFile(const ExplorerInput &input, PaneKind kind);

} // namespace lanescope::viz
