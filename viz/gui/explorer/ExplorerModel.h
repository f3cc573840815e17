// The state of the layout explorer: one array, its layout, and the open pictures of it. The pictures are linked with
// each other.
//
//   ExplorerModel model;
//   model.input.layout = "WGMMA";  model.input.compare = "WGMMA_TRANSPOSED";  model.open(PaneKind::Diff, true);
//   model.changed(requests);                                  // each edit; the pictures follow when they are drawn
//   model.hover(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(9, 2));    // lights every open picture
//
// While an input has an error, the last pictures without an error stay, and the error is shown beside the input. This
// file does not use Dear ImGui.
#pragma once

#include "viz/gui/explorer/ExplorerPanes.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz {

struct Pane {
  PaneKind kind = PaneKind::Array;
  bool open = false;
  SceneModel picture;
  Diagnostics diagnostics; // the reasons why there is no picture, or not the requested one
};

/// The meaning of the colours in some of the open pictures.
struct LegendSection {
  std::string title; // "Array, Threads"
  std::vector<LegendEntry> entries;
  std::vector<std::string> notes;
};

class ExplorerModel {
public:
  ExplorerModel();

  ExplorerInput input;
  /// Determines whether the rows of controls are drawn. Auto: they are drawn if enough room is left for the pictures.
  enum class Controls { Auto, Open, Folded };
  Controls controls = Controls::Auto;
  bool controlsDrawn = true; // the controls were drawn in the last frame
  /// The height of the controls when they were last drawn, with the width and the open pictures of that frame. The
  /// height is only known after drawing.
  struct ControlsSize {
    float width = 0, height = 0;
    std::vector<PaneKind> panes;
  } controlsSize;
  void toggleControls() { controls = controlsDrawn ? Controls::Folded : Controls::Open; }
  /// The open picture to which keys and scripts apply.
  PaneKind front = PaneKind::Array;

  Pane &pane(PaneKind kind) { return panes_[size_t(kind)]; }
  const Pane &pane(PaneKind kind) const { return panes_[size_t(kind)]; }
  /// The open pictures, in the order that the user chose or, by default, in the order of paneTable().
  std::vector<PaneKind> openPanes() const;
  /// Moves an open picture to the place of another one.
  void movePane(PaneKind moved, PaneKind to);
  /// Moves a picture by `places` among the open ones, at most to either end.
  void movePane(PaneKind moved, int places);
  /// The names of all pictures, open or not, in the order in which they are drawn. Setting the order ignores unknown
  /// names.
  std::vector<std::string> paneOrder() const;
  void setPaneOrder(const std::vector<std::string> &names);
  /// Opens or closes a picture. The last open picture stays open. The next changed() draws a picture that was opened.
  void open(PaneKind kind, bool open);
  void bringToFront(PaneKind kind);
  /// Brings the next or the previous open picture to the front.
  void cycle(int step);

  /// Draws the pictures of a changed input on the worker.
  void changed(Requests &requests);
  /// Like changed(), after an edit of the layout's text. If the text contains the shape and type of its array, these
  /// fields are set.
  void layoutChanged(Requests &requests);
  /// Like changed(), after an edit of the shape or the type. From then on, the two fields take precedence over the
  /// layout's text.
  void arrayChanged(Requests &requests);
  /// Shows the given pictures. A single picture comes to the front, and the others stay open. Several pictures replace
  /// the open ones, and the first comes to the front.
  void apply(const std::vector<ViewSpec> &specs, Requests &requests);
  /// Offers the arrays that a kernel declares in tensor memory. The open pictures stay open.
  void offer(std::vector<layouts::TmemArray> arrays, Requests &requests);
  void take(ExplorerOutcome outcome);
  /// Draws the pictures in the colours of the window's theme.
  void useTheme(ColourTheme theme, Requests &requests);

  /// Saves the front picture on the worker's thread. Afterwards, `message` gives the outcome.
  void exportFront(std::string path, Requests &requests);
  /// The open pictures as one line of text, the front one first. paste() and `--view` read it.
  std::string viewText() const;
  /// The same text for the clipboard; `message` reports the copy.
  std::string copied();
  /// Shows the view that the text describes. The text is a shared view, or a layout in any language.
  void paste(const std::string &text, Requests &requests);
  /// Shows one of the layouts in a pasted piece of text.
  void choose(const FoundText &found, Requests &requests);
  /// The outcome of the last export, copy or paste; `messageBad`: it failed.
  std::string message;
  bool messageBad = false;
  std::string exportPath = "layout.svg";

  /// Every message about an input field.
  const Diagnostics &diagnostics() const { return facts_.diagnostics; }
  /// The facts read from the inputs, and the comparison of the two layouts.
  const ExplorerFacts &facts() const { return facts_; }

  /// Sets the spot under the pointer; an empty spot if the pointer is on none.
  void hover(PaneKind kind, Spot spot);
  void leave();
  /// Keeps the hovered spot lit. If that spot is already kept, or if no spot is hovered, removes the kept spot.
  void togglePin();
  void unpin();
  /// Keeps a spot lit, as the arrow keys do.
  void pin(PaneKind kind, Spot spot);
  bool hovering() const { return hovered_.spot.some(); }
  bool pinned() const { return pinned_.spot.some(); }
  /// The kept spot, if it is in this picture; otherwise an empty spot.
  Spot pinnedIn(PaneKind kind) const { return pinned_.kind == kind ? pinned_.spot : Spot{}; }
  /// The lit selection: the hovered one or, if there is none, the kept one.
  const Selection &selection() const { return hovering() ? hovered_.selection : pinned_.selection; }
  /// The places of the selected element in all open pictures, in words. Empty if nothing is selected.
  const std::vector<std::string> &words() const { return words_; }

  /// The legends and notes of all open pictures, the front one first. An entry that several pictures have is listed
  /// once.
  std::vector<LegendSection> legends() const;

  /// The effect of the chosen instruction on the selected element. Empty if no instruction is chosen, or nothing is
  /// selected.
  const std::vector<std::string> &accessWords() const { return accessWords_; }
  /// The tooltip for a picture: it describes the cell and, in shared memory, what the chosen instruction does there.
  std::string hoverWords(PaneKind kind) const;
  /// The arithmetic that leads from the kept element to its places, step by step. explain() computes it on the worker's
  /// thread.
  const std::vector<std::string> &steps() const { return steps_; }
  void explain(Requests &requests);

private:
  struct Focus {
    PaneKind kind = PaneKind::Array;
    Spot spot;
    Selection selection;
  };
  /// The request for one open picture. The front picture's request includes the selection.
  ViewSpec specOf(PaneKind kind) const;
  void relight();
  /// Keeps the selection lit that a pasted view contains, or that was in a picture which is closed now.
  void keepWanted();

  std::array<Pane, kPanes> panes_; // indexed by kind
  std::vector<PaneKind> order_;
  Place wantedPlace_;                                       // the place to keep lit once the pictures are drawn
  std::array<std::optional<ViewZoom>, kPanes> wantedZooms_; // the zooms to set once the pictures are drawn
  ExplorerFacts facts_;
  Focus hovered_, pinned_;
  std::vector<std::string> words_, accessWords_, steps_;
  int64_t explained_ = -1; // the element to which steps_ applies
};

/// The names in the catalogue list, in the catalogue's order.
const std::vector<std::string> &catalogueNames();

/// Splits a text into its lines.
std::vector<std::string> linesOf(const std::string &text);

} // namespace lanescope::viz
