// What the layout explorer can draw of an array: from the texts of its controls to a request per picture, which
// viewScene() draws as it does for files and terminals. Runs on the worker.
//
//   ExplorerOutcome out = explore({.layout = "WGMMA", .shape = "64x64", .dtype = "f16"}, {PaneKind::Array});
//   out.panes[0].scene
//
// A new picture: a View that viewScene() draws, a PaneKind, its rows in the tables of ExplorerPanes.cpp.
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
  const char *name;  // in scripts and shared texts
  const char *title; // on its button and above it
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
  /// What the layout is read as where it knows several memories; nothing: as Reading.h says.
  std::optional<layouts::Memory> memory = std::nullopt;
  /// Where the array lies in tensor memory, when `layout` does not say so; "auto": see tmemText().
  std::string tmem = "auto";
  /// Where it lies in shared memory, when `layout` does not say so. "auto": tiles of 8 rows, as wide as the swizzle.
  std::string tiling = "auto";
  int swizzle = 128; // bytes; 0: none
  bool transpose = false;
  SmemStage stage = SmemStage::Swizzled;
  std::vector<layouts::TmemArray> arrays; // of PaneKind::Arrays: a kernel's, side by side in tensor memory
  DeviceSplit devices;                    // of PaneKind::Devices: how an array is split of which `shape` is a part
  std::string access;                     // the instruction whose bank conflicts are counted; empty: none
  ColourBy colourBy = ColourBy::Warp;
  SmemColour smemColour = SmemColour::Chunk;
  layouts::Shape slice; // indices of leading dimensions; short: the rest is stacked
  ColourTheme theme = ColourTheme::Dark;
  bool layoutEdited = false; // `layout` is newer than `shape` and `dtype`: what it says of them wins
};

/// A layout written in some language.
struct LayoutText {
  std::string title, text; // "As JAX prints it"; empty: cannot be written so
};

/// A layout in a piece of text that is more than one layout: a module's alias, a print; or one of a kernel's arrays.
struct FoundText {
  std::string name; // "#blocked", "%acc"; else its language
  std::string text;
  std::string shape, dtype; // empty: not said
};

/// A linear layout and the way back, for the picture of its bits.
struct BitArithmetic {
  layouts::LinearLayout layout, back;

  /// The ones of the columns whose bits are set in the element's (first) place: their exclusive or is the element.
  std::vector<CellAt> cellsOf(const layouts::Shape &index) const;
};

/// What was read from the inputs.
struct ExplorerFacts {
  Diagnostics diagnostics; // each points into a source named as the field: layout, compare, shape, dtype, tiling, …
  std::optional<layouts::Layout> layout, compare;
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  std::optional<layouts::Memory> read;  // what the layout is read as, in every picture of it
  std::vector<layouts::Memory> choices; // what it may be read as, where that is more than one
  std::string shapeText, dtypeText;     // what the layout's own text says, for the fields; empty: nothing
  std::vector<std::string> remarks;     // of the parsers: "read as …"
  std::vector<LayoutText> texts;        // of the first layout
  std::optional<BitArithmetic> bits;    // where the picture of bits is open and the layout is linear
  std::vector<FoundText>
      found; // in `layout`, when that is a piece of text around layouts; the first one is drawn. Or of `arrays`
  /// How the two layouts compare, a sentence each: equality, what changes owner, what a relayout costs.
  std::vector<std::string> comparison;
  bool equal = false;
  bool severalOperands = false;     // the text is of an instruction or a tiled MMA
  std::optional<AccessCost> access; // of input.access, where the picture of shared memory is open
};

/// What a picture is drawn by, and what the clipboard gets of it.
struct PaneRequest {
  ViewSpec spec;                                        // of PaneKind::Second the view is Auto
  std::optional<layouts::Layout> layout = std::nullopt; // what spec.layout means
  std::string note = {};                                // what was chosen in place of a wish
  Diagnostics problems = {};                            // why it cannot be drawn
};
/// The picture's entry with the words for what is drawn: the memory of a TPU is no GPU's shared memory.
const PaneEntry &paneEntry(PaneKind kind, const ExplorerFacts &facts);
PaneRequest paneRequest(const ExplorerInput &input, const ExplorerFacts &facts, PaneKind kind);

/// What one picture came to: a scene, or the reason why there is none.
struct PaneOutcome {
  PaneKind kind;
  std::shared_ptr<const PreparedScene> scene;
  Diagnostics diagnostics;
};

struct ExplorerOutcome {
  ExplorerFacts facts;
  std::vector<PaneOutcome> panes; // of those asked for; none when the array itself could not be read
  /// Which pictures are open from now on, where a new text is of several operands, or no longer is; empty: as they
  /// were.
  std::vector<PaneKind> opened;
};

/// Arrays of more elements than this are refused: a picture of them would tell nothing, and memory is finite.
constexpr int64_t kMaxDrawnElements = int64_t(1) << 24;

ExplorerOutcome explore(const ExplorerInput &input, const std::vector<PaneKind> &panes);

/// The arithmetic from an element to its places, a line each; empty where the layout does not apply.
std::vector<std::string> explainLines(const ExplorerFacts &facts, const layouts::Shape &index);

/// The text of the layout in tensor memory, "auto" worked out as JAX does for one CTA: by the number of rows, packed as
/// tightly as the type allows. Errors: there is none for the shape.
Result<std::string> tmemText(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype);
/// What may be written for it: "auto", and each form of tensor memory that fits the shape.
std::vector<std::string> tmemForms(const layouts::Shape &shape, layouts::Dtype dtype);
/// Tiles and swizzle of the array in shared memory, "auto" worked out. `remark`: what was chosen in place of the wish.
/// Error: the tiling is none.
Result<SmemSpec> smemSpec(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype,
                          std::string &remark);

/// Whether the layout can be asked about the memory.
bool knows(const layouts::Layout &layout, layouts::Memory memory);

/// Draws one picture on light paper into a file; its suffix names the format.
Result<void> exportPane(const ExplorerInput &input, PaneKind kind, const std::string &path);

} // namespace lanescope::viz
