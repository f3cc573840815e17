// The layout explorer's state: one array, what holds it, and the pictures of it that are open, linked with each other.
//
//   ExplorerModel model;
//   model.input.layout = "WGMMA";  model.input.compare = "WGMMA_TRANSPOSED";  model.open(PaneKind::Diff, true);
//   model.changed(requests);                                  // each edit; the pictures follow when they are drawn
//   model.hover(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(9, 2));    // lights it in every open
//   picture
//
// While an input has an error the last good pictures stay, with the error beside the input. No Dear ImGui in here.
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
  Diagnostics diagnostics; // why there is no picture, or not the one asked for
};

/// What the colours mean in some of the open pictures.
struct LegendSection {
  std::string title; // "Array, Threads"
  std::vector<LegendEntry> entries;
  std::vector<std::string> notes;
};

class ExplorerModel {
public:
  ExplorerModel();

  ExplorerInput input;
  /// Whether the rows of controls are drawn; Auto: where they leave the pictures room.
  enum class Controls { Auto, Open, Folded };
  Controls controls = Controls::Auto;
  bool controlsDrawn = true; // in the last frame
  /// How high they were when last drawn, for which width and open pictures: what they need, only drawing tells.
  struct ControlsSize {
    float width = 0, height = 0;
    std::vector<PaneKind> panes;
  } controlsSize;
  void toggleControls() { controls = controlsDrawn ? Controls::Folded : Controls::Open; }
  /// The one that keys and scripts act on; open.
  PaneKind front = PaneKind::Array;

  Pane &pane(PaneKind kind) { return panes_[size_t(kind)]; }
  const Pane &pane(PaneKind kind) const { return panes_[size_t(kind)]; }
  /// In the order of paneTable(), or the one that somebody chose.
  std::vector<PaneKind> openPanes() const;
  /// Moves an open picture to the place that another one has.
  void movePane(PaneKind moved, PaneKind to);
  /// By that many places among the open ones, as far as there are.
  void movePane(PaneKind moved, int places);
  /// The names of all, open or not, as they stand beside each other; what is no picture's name is passed over.
  std::vector<std::string> paneOrder() const;
  void setPaneOrder(const std::vector<std::string> &names);
  /// Opens or closes a picture; one stays open. What was closed is drawn by the next changed().
  void open(PaneKind kind, bool open);
  void bringToFront(PaneKind kind);
  /// The next open pane, or the one before.
  void cycle(int step);

  /// The input differs from what is drawn: draws it on the worker.
  void changed(Requests &requests);
  /// As changed(), after an edit of the layout's text: a text that says its array's shape and type sets those fields.
  void layoutChanged(Requests &requests);
  /// As changed(), after an edit of the shape or the type, which stand from now on.
  void arrayChanged(Requests &requests);
  /// One picture comes to the front, beside those that are open; several are what is open from now on, the first in
  /// front.
  void apply(const std::vector<ViewSpec> &specs, Requests &requests);
  /// What a kernel declares in tensor memory can be shown from now on; what is open stays.
  void offer(std::vector<layouts::TmemArray> arrays, Requests &requests);
  void take(ExplorerOutcome outcome);
  /// The colours that pictures are drawn in follow the window's theme.
  void useTheme(ColourTheme theme, Requests &requests);

  /// Saves the picture in front, on the worker; what came of it is said in `message`.
  void exportFront(std::string path, Requests &requests);
  /// The open pictures as one line of text, the one in front first; paste() and `--view` read it back.
  std::string viewText() const;
  /// The same for the clipboard; says so in `message`.
  std::string copied();
  /// Shows what the text describes: a shared view, or a layout of any language.
  void paste(const std::string &text, Requests &requests);
  /// Shows one of the layouts that a pasted piece of text holds.
  void choose(const FoundText &found, Requests &requests);
  /// What the last export, copy or paste came to; `messageBad`: it failed.
  std::string message;
  bool messageBad = false;
  std::string exportPath = "layout.svg";

  /// Every message that concerns an input field.
  const Diagnostics &diagnostics() const { return facts_.diagnostics; }
  /// What was read from the inputs, and how the two layouts compare.
  const ExplorerFacts &facts() const { return facts_; }

  /// The pointer is on a spot of a pane, or (nothing) on none.
  void hover(PaneKind kind, Spot spot);
  void leave();
  /// Keeps what is hovered lit; on the kept spot, or on nothing, lets go.
  void togglePin();
  void unpin();
  /// Keeps a spot, as the arrow keys do.
  void pin(PaneKind kind, Spot spot);
  bool hovering() const { return hovered_.spot.some(); }
  bool pinned() const { return pinned_.spot.some(); }
  /// The kept spot of a pane; nothing when it is another pane's.
  Spot pinnedIn(PaneKind kind) const { return pinned_.kind == kind ? pinned_.spot : Spot{}; }
  /// What lights up: what is hovered, else what is kept.
  const Selection &selection() const { return hovering() ? hovered_.selection : pinned_.selection; }
  /// Where the selected element lies, in every open picture, in words; empty when nothing is selected.
  const std::vector<std::string> &words() const { return words_; }

  /// The legends and notes of all open pictures, the one in front first; entries that are the same in several are said
  /// once, for all of them.
  std::vector<LegendSection> legends() const;

  /// What the chosen instruction does with the selected element; empty when there is none, or nothing is selected.
  const std::vector<std::string> &accessWords() const { return accessWords_; }
  /// What is said at the pointer on a picture: its cell, and in shared memory what the chosen instruction does there.
  std::string hoverWords(PaneKind kind) const;
  /// How the kept element gets to its places, step by step. explain() has it worked out, on the worker.
  const std::vector<std::string> &steps() const { return steps_; }
  void explain(Requests &requests);

private:
  struct Focus {
    PaneKind kind = PaneKind::Array;
    Spot spot;
    Selection selection;
  };
  /// One open picture; what is selected goes with the one in front.
  ViewSpec specOf(PaneKind kind) const;
  void relight();
  /// Keeps lit what a pasted view, or a picture that was closed, had selected.
  void keepWanted();

  std::array<Pane, kPanes> panes_; // by kind
  std::vector<PaneKind> order_;
  Place wantedPlace_;                                       // to keep lit when the pictures are there
  std::array<std::optional<ViewZoom>, kPanes> wantedZooms_; // likewise
  ExplorerFacts facts_;
  Focus hovered_, pinned_;
  std::vector<std::string> words_, accessWords_, steps_;
  int64_t explained_ = -1; // the element that steps_ are of
};

/// The names that the catalogue list offers, in the catalogue's order.
const std::vector<std::string> &catalogueNames();

/// Splits a text into its lines.
std::vector<std::string> linesOf(const std::string &text);

} // namespace lanescope::viz
