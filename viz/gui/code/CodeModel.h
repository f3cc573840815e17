// A snippet and its translations in panes side by side. The model has the open texts and the line under the pointer. It
// finds the lines that light up with that line in all other texts, in the layouts, the memories and the trace.
//
//   CodeModel model;  model.show(request);           // pages of the same titles stay open
//   model.open(*model.pageNamed("ptx"), true);
//   model.hover({0, 30});                            // line 30 of the snippet
//   model.lit(5)                                     {140, 141, 152}: the lit lines of the sixth text
//   model.pin({0, 30});                              // keeps them lit, and brings them into sight everywhere
//
// A part that marks lines, such as a debugger or an editor, sets `markers` and handles `gutterClicked`. This file does
// not use Dear ImGui.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <functional>
#include <optional>

namespace lanescope::viz {

/// A line of one of the pages; line 0 means no line.
struct CodePlace {
  size_t page = 0;
  uint32_t line = 0; // from 1
  bool some() const { return line > 0; }
  bool operator==(const CodePlace &) const = default;
};

/// A sign in the margin of a line.
struct CodeMarker {
  enum class Kind : uint8_t { Problem, Current, Breakpoint };
  std::string page; // the page's title
  uint32_t line = 0;
  Kind kind = Kind::Current;
  std::string words = {}; // the text of the tooltip
};

class CodeModel {
public:
  struct Page {
    std::string title;
    std::string text;
    // Byte offsets of the lines, and one more: the size of the text plus 1.
    std::vector<size_t> lineStarts;
    std::vector<uint32_t> markedLines;
    std::shared_ptr<const core::LineCosts> costs;
    Language language = Language::Plain;
    std::vector<SyntaxState> states; // the state at the beginning of each line
    size_t columns = 0;              // the length of the longest line
    std::string_view line(size_t index) const {
      return std::string_view(text).substr(lineStarts[index], lineStarts[index + 1] - lineStarts[index] - 1);
    }
    size_t lines() const { return lineStarts.size() - 1; }
    bool marked(size_t index) const;
  };
  /// The place of a page's text in the last frame, in screen pixels. Scripts use it for their pointer.
  struct Drawn {
    float left = 0, top = 0, width = 0, height = 0, lineHeight = 0, scroll = 0;
  };

  std::string title;

  /// Replaces all pages. A page stays open if the new pages have one with its title. The pinned line stays if its page
  /// has that line.
  void show(CodeRequest request);
  const std::vector<Page> &pages() const { return pages_; }
  std::optional<size_t> pageNamed(std::string_view title) const;
  /// The title of a page that is made only on request; empty if there is none.
  const std::string &onDemand() const { return onDemand_; }
  /// Requests that page from the host and opens it when the host delivers it.
  void makeOnDemand(Host &host);

  /// The open pages, in the order that the user chose or, by default, in the order of the pages. If there are pages, at
  /// least one is open.
  std::vector<size_t> openPages() const;
  /// Moves a text by `places` among the open ones, at most to either end.
  void movePage(size_t page, int places);
  /// The titles in the order that the user chose. Pages that it does not contain follow in the order of the pages.
  std::vector<std::string> order;
  bool isOpen(size_t page) const { return page < panes_.size() && panes_[page].open; }
  void open(size_t page, bool open);
  /// Opens exactly these pages, with the first one in front.
  void openOnly(const std::vector<size_t> &pages);
  size_t front() const { return front_; }
  void bringToFront(size_t page);
  /// Brings the next or the previous open page to the front.
  void cycle(int step);

  /// Sets the line under the pointer. If the pointer is on no line, `place` has none.
  void hover(CodePlace place);
  CodePlace hovered() const { return hovered_; }
  /// Keeps a line lit, and scrolls every open page to that line or to the lines that are linked with it. A place
  /// without a line removes the pin.
  void pin(CodePlace place);
  /// Keeps all lines lit from the pinned one to this line of the same page.
  void extendPin(uint32_t line);
  CodePlace pinned() const { return pinned_; }
  uint32_t pinnedLast() const { return pinnedLast_; }
  /// The line that determines what is lit: the hovered line or, if there is none, the pinned line.
  CodePlace pointed() const { return hovered_.some() ? hovered_ : pinned_; }
  /// Moves the pinned line of the front page. If no line is pinned, pins the first visible line.
  void movePin(int lines);
  /// The position of the pointer at the time when keys moved the line. The pointer is ignored until it moves.
  std::optional<std::pair<float, float>> restingPointer = {};
  /// The lit lines of a page, in ascending order.
  const std::vector<uint32_t> &lit(size_t page) const;
  bool isLit(size_t page, uint32_t line) const;
  /// Scrolls to the lit lines after or before those that are visible.
  void showNextLit(size_t page, int step);

  /// Scrolls until the line is visible.
  void reveal(CodePlace place);
  /// The line that reveal() has requested for the page. Each request is returned once.
  std::optional<uint32_t> takeReveal(size_t page);
  Drawn &drawn(size_t page) { return panes_[page].drawn; }
  /// The first and the last line of the page that were visible in the last frame.
  std::pair<uint32_t, uint32_t> inSight(size_t page) const;

  std::vector<CodeMarker> markers;
  const CodeMarker *markerAt(size_t page, uint32_t line) const;
  /// Called when the user clicks into the margin, before a line's number. If it is empty, the click pins the line.
  std::function<void(const std::string &page, uint32_t line)> gutterClicked = {};

  /// The index in costColumns() of the column that the margin's bars show.
  size_t costColumn = 0;
  bool costChosen = false; // the user has chosen the column
  bool showCosts = true;
  const std::vector<core::CostColumn> &costColumns() const;

  /// The arrays, memories and regions that the lit lines use.
  std::vector<const CodeRequest::Array *> litArrays() const;
  std::vector<CodeRequest::Memory> litMemories() const; // one entry per memory
  std::vector<std::string> litRegions() const;
  /// The lit lines of the snippet, with their names in traces: "x.py:12".
  std::vector<std::string> litPlaces() const;
  const std::vector<CodeRequest::Region> &regions() const { return regions_; }
  /// The facts about the lit lines in words: their costs, and the lines that are linked with them.
  std::vector<std::string> words() const;
  /// The lit lines of a page, as text.
  std::string litText(size_t page) const;
  /// One text for each page with lit lines: "highlighted ptx: 40-42, 57".
  std::vector<std::string> litWords() const;

  /// The picture of one of litArrays(), if it has one.
  SceneModel picture;
  std::string pictureTitle;
  size_t chosenArray = 0; // index into litArrays()
  /// Draws the picture on the worker's thread, if it has changed since the last call.
  void drawPicture(bool dark, Requests &requests);

private:
  /// The column that the bars show at first. In PTX, each line is one instruction, so a count of instructions would say
  /// nothing.
  size_t tellingColumn() const;
  struct Pane {
    bool open = false;
    std::optional<uint32_t> reveal;
    Drawn drawn;
    std::vector<uint32_t> lit;
  };
  void light();
  /// Uses the first text as the source. It is open if the source of the previous file was open, whatever its title. For
  /// another file, scrolls to the first line that has code, because a licence may precede it.
  void takeSource(bool isOther);
  bool anyLit(size_t page, const std::vector<uint32_t> &lines) const;

  std::vector<Page> pages_;
  std::vector<Pane> panes_; // indexed by page
  std::shared_ptr<const core::LinkTable> links_;
  std::vector<CodeRequest::Array> arrays_;
  std::vector<CodeRequest::Memory> memories_;
  std::vector<CodeRequest::Region> regions_;
  std::string onDemand_, awaited_;
  std::vector<std::string> wanted_; // titles of the pages that the user opened
  std::string source_;              // the title that stands for the source in `wanted_`
  size_t front_ = 0;
  CodePlace hovered_, pinned_;
  uint32_t pinnedLast_ = 0; // a line of pinned_'s page, not before the pinned line
  std::optional<ViewSpec> pictureOf_;
};

/// "40-42, 57" for a list of lines in ascending order. Adjacent lines are joined, and a long list is cut off after its
/// first few ranges.
std::string lineRanges(const std::vector<uint32_t> &lines);

} // namespace lanescope::viz
