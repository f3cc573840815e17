// A snippet and what became of it in panes side by side: which texts are open, which line is pointed at, and what
// lights up with it in every other text, in the layouts, the memories and the trace.
//
//   CodeModel model;  model.show(request);           // pages of the same titles stay open
//   model.open(*model.pageNamed("ptx"), true);
//   model.hover({0, 30});                            // line 30 of the snippet
//   model.lit(5)                                     {140, 141, 152}: its lines of the sixth text
//   model.pin({0, 30});                              // keeps them lit, and brings them into sight everywhere
//
// A debugger, or whoever else has something to say of lines, sets `markers` and takes `gutterClicked`. No Dear ImGui in
// here.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <functional>
#include <optional>

namespace lanescope::viz {

/// A line of one of the pages; line 0: none.
struct CodePlace {
  size_t page = 0;
  uint32_t line = 0; // from 1
  bool some() const { return line > 0; }
  bool operator==(const CodePlace &) const = default;
};

/// A sign in the margin of a line.
struct CodeMarker {
  enum class Kind : uint8_t { Problem, Current, Breakpoint };
  std::string page; // its title
  uint32_t line = 0;
  Kind kind = Kind::Current;
  std::string words = {}; // what is said under the pointer
};

class CodeModel {
public:
  struct Page {
    std::string title;
    std::string text;
    std::vector<size_t> lineStarts; // byte offsets; one more than lines, the last is the text's size + 1
    std::vector<uint32_t> markedLines;
    std::shared_ptr<const core::LineCosts> costs;
    Language language = Language::Plain;
    std::vector<SyntaxState> states; // of each line's beginning
    size_t columns = 0;              // of the longest line
    std::string_view line(size_t index) const {
      return std::string_view(text).substr(lineStarts[index], lineStarts[index + 1] - lineStarts[index] - 1);
    }
    size_t lines() const { return lineStarts.size() - 1; }
    bool marked(size_t index) const;
  };
  /// Where a page's text was drawn in the last frame, in pixels of the screen; scripts point with it.
  struct Drawn {
    float left = 0, top = 0, width = 0, height = 0, lineHeight = 0, scroll = 0;
  };

  std::string title;

  /// Replaces all pages. Open ones stay open by their titles; the pinned line stays where its page still has it.
  void show(CodeRequest request);
  const std::vector<Page> &pages() const { return pages_; }
  std::optional<size_t> pageNamed(std::string_view title) const;
  /// Title of a page that is made when somebody asks for it; empty: none.
  const std::string &onDemand() const { return onDemand_; }
  /// Asks the host for that page and opens it when it comes.
  void makeOnDemand(Host &host);

  /// In the order of the pages, or the one that somebody chose; one at least, where there are pages.
  std::vector<size_t> openPages() const;
  /// Moves a text by that many places among the open ones, as far as there are.
  void movePage(size_t page, int places);
  /// Titles as somebody put them beside each other; others follow in the order of the pages.
  std::vector<std::string> order;
  bool isOpen(size_t page) const { return page < panes_.size() && panes_[page].open; }
  void open(size_t page, bool open);
  /// Exactly these, the first in front.
  void openOnly(const std::vector<size_t> &pages);
  size_t front() const { return front_; }
  void bringToFront(size_t page);
  /// The next open page, or the one before.
  void cycle(int step);

  /// The pointer is on a line, or (none) on no line.
  void hover(CodePlace place);
  CodePlace hovered() const { return hovered_; }
  /// Keeps a line lit and brings it and what belongs to it into sight in every open page; none lets go.
  void pin(CodePlace place);
  /// Keeps all lines from the pinned one to this one of its page lit.
  void extendPin(uint32_t line);
  CodePlace pinned() const { return pinned_; }
  uint32_t pinnedLast() const { return pinnedLast_; }
  /// What lights up: what is hovered, else what is kept.
  CodePlace pointed() const { return hovered_.some() ? hovered_ : pinned_; }
  /// Moves the pinned line of the page in front; the first in sight where none is.
  void movePin(int lines);
  /// Where the pointer was when keys moved the line: while it rests there, it is not asked.
  std::optional<std::pair<float, float>> restingPointer = {};
  /// The lines of a page that are lit, ascending.
  const std::vector<uint32_t> &lit(size_t page) const;
  bool isLit(size_t page, uint32_t line) const;
  /// The lit lines of a page behind or before those in sight: shows them.
  void showNextLit(size_t page, int step);

  /// Scrolls until the line is in sight.
  void reveal(CodePlace place);
  /// What reveal() asked of the page, once.
  std::optional<uint32_t> takeReveal(size_t page);
  Drawn &drawn(size_t page) { return panes_[page].drawn; }
  /// The lines of the page that were in sight in the last frame, first and last.
  std::pair<uint32_t, uint32_t> inSight(size_t page) const;

  std::vector<CodeMarker> markers;
  const CodeMarker *markerAt(size_t page, uint32_t line) const;
  /// A click into the margin, before a line's number; empty: it pins the line.
  std::function<void(const std::string &page, uint32_t line)> gutterClicked = {};

  /// The column that bars in the margin show, of costColumns().
  size_t costColumn = 0;
  bool costChosen = false; // someone has chosen the column
  bool showCosts = true;
  const std::vector<core::CostColumn> &costColumns() const;

  /// The arrays, memories and regions that lit lines are about.
  std::vector<const CodeRequest::Array *> litArrays() const;
  std::vector<CodeRequest::Memory> litMemories() const; // those of one memory together
  std::vector<std::string> litRegions() const;
  /// The lit lines of the snippet, as traces name them: "x.py:12".
  std::vector<std::string> litPlaces() const;
  const std::vector<CodeRequest::Region> &regions() const { return regions_; }
  /// What is known of the lit lines, for people: what they cost, which lines belong to them.
  std::vector<std::string> words() const;
  /// The lit lines of a page, as text.
  std::string litText(size_t page) const;
  /// Of each page with lit lines: "highlighted ptx: 40-42, 57".
  std::vector<std::string> litWords() const;

  /// The picture of one of litArrays(), where there is one.
  SceneModel picture;
  std::string pictureTitle;
  size_t chosenArray = 0; // of litArrays()
  /// Draws it on the worker when it is another one than last time.
  void drawPicture(bool dark, Requests &requests);

private:
  /// The column that bars begin with: in PTX alone each line is one instruction, which tells nothing.
  size_t tellingColumn() const;
  struct Pane {
    bool open = false;
    std::optional<uint32_t> reveal;
    Drawn drawn;
    std::vector<uint32_t> lit;
  };
  void light();
  bool anyLit(size_t page, const std::vector<uint32_t> &lines) const;

  std::vector<Page> pages_;
  std::vector<Pane> panes_; // of the same index
  std::shared_ptr<const core::LinkTable> links_;
  std::vector<CodeRequest::Array> arrays_;
  std::vector<CodeRequest::Memory> memories_;
  std::vector<CodeRequest::Region> regions_;
  std::string onDemand_, awaited_;
  std::vector<std::string> wanted_; // titles of the pages that someone opened
  size_t front_ = 0;
  CodePlace hovered_, pinned_;
  uint32_t pinnedLast_ = 0; // of the page of `pinned_`, not before it
  std::optional<ViewSpec> pictureOf_;
};

/// "40-42, 57": ascending lines, neighbours together; the first few of many.
std::string lineRanges(const std::vector<uint32_t> &lines);

} // namespace lanescope::viz
