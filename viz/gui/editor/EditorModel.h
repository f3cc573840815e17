// A snippet that is edited: its text, the cursor and what is selected, undoing, and how the text goes with its file.
//
//   EditorModel editor;
//   editor.open("double.py", "x = 1\n");
//   editor.move(EditorMove::LineEnd);  editor.type("0");      // "x = 10\n"
//   editor.undo();                                            // "x = 1\n"
//   editor.fileChanged("x = 2\n")                             // EditorReload::Taken: nothing of ours is lost
//
// Nothing is ever lost: a file that changes under an edit is a conflict that the reader decides, and what a reload
// replaces can be undone. No Dear ImGui in here.
#pragma once

#include "viz/gui/editor/TextBuffer.h"
#include "viz/host/Host.h"
#include "viz/scene/Syntax.h"

namespace lanescope::viz {

enum class EditorMove : uint8_t {
  Left,
  Right,
  Up,
  Down,
  WordLeft,
  WordRight,
  LineBegin, // the first character that is no blank, and then the line's begin
  LineEnd,
  Begin,
  End
};

enum class EditorReload : uint8_t {
  Same,    // the file holds what it held, or what the editor has
  Taken,   // nothing was edited: the editor shows the file's text; undo brings the old one back
  Conflict // theirs() waits for takeTheirs() or keepMine()
};

class EditorModel {
public:
  static constexpr size_t kMostBytes = 4 << 20; // of a text that is opened here
  static constexpr size_t kMostUndo = 10000;    // edits; older ones are forgotten

  /// Shows a file; forgets what could be undone. False: it is too large, or no text, and nothing changes.
  bool open(std::string path, std::string_view text);
  const std::string &path() const { return path_; } // empty: nothing is open
  bool empty() const { return path_.empty(); }

  const TextBuffer &buffer() const { return buffer_; }
  /// Counts changes of the text.
  uint64_t version() const { return version_; }
  TextPlace cursor() const { return cursor_; }
  bool selecting() const { return cursor_ != anchor_; }
  TextPlace selectionBegin() const { return std::min(cursor_, anchor_); }
  TextPlace selectionEnd() const { return std::max(cursor_, anchor_); }
  std::string selected() const { return buffer_.between(selectionBegin(), selectionEnd()); }

  // --- moving; `select` keeps the other end of what is selected
  void move(EditorMove move, bool select = false);
  /// Up (negative) or down by lines, in the column where the cursor was before it came into shorter lines.
  void moveLines(int64_t lines, bool select = false);
  void moveTo(TextPlace place, bool select = false);
  void selectWord(TextPlace place);
  void selectLine(size_t line);
  void selectAll();

  // --- editing; each replaces what is selected
  /// Characters as they are typed: a run of them is undone at once.
  void type(std::string_view characters);
  void paste(std::string_view text);
  void newLine();
  void backspace(bool word = false); // in a line's indentation: a step of it
  void eraseNext(bool word = false);
  std::string cut(); // without a selection: the line
  /// Indents the selected lines, or moves the cursor to the next step of indentation.
  void indent();
  void outdent();
  /// Puts `# ` in front of the selected lines, or takes it away where all have it.
  void toggleComment();
  /// Exchanges the selected lines with the one above or below.
  void moveSelectedLines(bool down);
  bool undo(); // false: nothing is left to undo
  bool redo();
  /// A step of indentation, as the text has it.
  const std::string &unit() const { return unit_; }

  // --- the file
  /// The text is not what the file held when it was last read or written.
  bool modified() const;
  /// As it is to be written.
  std::string text() const { return buffer_.text(); }
  const std::string &base() const { return base_; }
  /// `text` has been written.
  void saved(std::string text);
  /// The file holds this now.
  EditorReload fileChanged(const std::string &text);
  const std::optional<std::string> &theirs() const { return theirs_; }
  void takeTheirs(); // undo brings ours back
  void keepMine();   // saving replaces theirs

  // --- completion
  /// Asks for what may stand at the cursor.
  void requestCompletions(Host &host);
  /// Takes an answer to its own request: one candidate or a longer common beginning goes into the text, several are
  /// offered. False: it is not ours.
  bool completed(const Completions &answer);
  const std::vector<std::string> &offered() const { return offered_; }
  void accept(size_t offer);
  void dismissOffers() { offered_.clear(); }
  size_t chosenOffer = 0;

  std::vector<TextProblem> problems; // of the text, or of its last run
  std::string said;                  // what saving came to; empty: nothing to say

  // What the view has shown, and what it is to do in the next frame.
  std::vector<SyntaxState> lineStates; // of the text of version `colouredVersion`
  uint64_t colouredVersion = ~uint64_t{0};
  TextPlace shownCursor;
  uint64_t shownVersion = 0;
  bool takeFocus = false, leave = false; // the keyboard comes here; it goes
  bool fieldActive = false;              // the editor has it

private:
  struct Edit {
    TextPlace at;
    std::string removed, inserted;
    TextPlace cursor, anchor; // before it
    uint64_t group = 0;       // edits of one group are undone together
  };
  enum class Kind : uint8_t { Other, Typing, Erasing };
  /// Replaces [from, to), and puts the cursor behind what is inserted.
  void replace(TextPlace from, TextPlace to, std::string_view with);
  /// The next edits are undone as one, with those before them where both are of this kind.
  void begin(Kind kind);
  void changed();
  template <typename Change> void changeLines(Change change);

  std::string path_, base_;
  TextBuffer buffer_;
  TextPlace cursor_, anchor_;
  size_t column_ = 0; // characters, that moving up and down keeps
  std::string unit_ = "  ";
  std::vector<Edit> edits_;
  size_t done_ = 0; // of edits_; the others have been undone
  uint64_t group_ = 0, version_ = 0;
  Kind kind_ = Kind::Other;
  std::optional<std::string> theirs_;
  mutable uint64_t comparedVersion_ = ~uint64_t{0};
  mutable bool modified_ = false;
  uint64_t request_ = 0;
  std::vector<std::string> offered_;
  TextPlace offeredFrom_;
};

} // namespace lanescope::viz
