// A snippet in the editor: its text, the cursor and the selection, undo, and the state of its file.
//
//   EditorModel editor;
//   editor.open("double.py", "x = 1\n");
//   editor.move(EditorMove::LineEnd);  editor.type("0");      // "x = 10\n"
//   editor.undo();                                            // "x = 1\n"
//   editor.fileChanged("x = 2\n")                             // EditorReload::Taken: no edit is lost
//
// The editor never loses text. If a file changes while the editor has unsaved edits, the user resolves the conflict. If
// a reload replaced a text, undo restores it. This file does not use Dear ImGui.
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
  LineBegin, // the first character that is not a blank; from there, the line's beginning
  LineEnd,
  Begin,
  End
};

enum class EditorReload : uint8_t {
  Same,    // the file is unchanged, or equals the editor's text
  Taken,   // the text had no edits, so the editor shows the file's text; undo restores the old text
  Conflict // theirs() waits for takeTheirs() or keepMine()
};

class EditorModel {
public:
  static constexpr size_t kMostBytes = 4 << 20; // the largest text that can be opened
  static constexpr size_t kMostUndo = 10000;    // edits; older ones are dropped

  /// Shows a file and clears the undo history. Returns false and changes nothing if the content is too large or is not
  /// text.
  bool open(std::string path, std::string_view text);
  const std::string &path() const { return path_; } // empty if nothing is open
  bool empty() const { return path_.empty(); }

  const TextBuffer &buffer() const { return buffer_; }
  /// Incremented on each change of the text.
  uint64_t version() const { return version_; }
  TextPlace cursor() const { return cursor_; }
  bool selecting() const { return cursor_ != anchor_; }
  TextPlace selectionBegin() const { return std::min(cursor_, anchor_); }
  TextPlace selectionEnd() const { return std::max(cursor_, anchor_); }
  std::string selected() const { return buffer_.between(selectionBegin(), selectionEnd()); }

  // --- moving; with `select`, the other end of the selection stays
  void move(EditorMove move, bool select = false);
  /// Moves by lines (up if negative). The column stays the one that the cursor had before it reached shorter lines.
  void moveLines(int64_t lines, bool select = false);
  void moveTo(TextPlace place, bool select = false);
  void selectWord(TextPlace place);
  void selectLine(size_t line);
  void selectAll();

  // --- editing; each replaces the selection
  /// Inserts typed characters. One undo removes all characters that were typed without a pause in between.
  void type(std::string_view characters);
  void paste(std::string_view text);
  void newLine();
  void backspace(bool word = false); // in a line's indentation, erases one step
  void eraseNext(bool word = false);
  std::string cut(); // cuts the line if nothing is selected
  /// Indents the selected lines, or moves the cursor to the next step of indentation.
  void indent();
  void outdent();
  /// Puts `# ` before the selected lines, or removes it if all of them have it.
  void toggleComment();
  /// Exchanges the selected lines with the line above or below.
  void moveSelectedLines(bool down);
  bool undo(); // false if there is nothing to undo
  bool redo();
  /// One step of the text's indentation.
  const std::string &unit() const { return unit_; }

  // --- the file
  /// True if the text differs from the file's text when it was last read or written.
  bool modified() const;
  /// The text to write to the file.
  std::string text() const { return buffer_.text(); }
  const std::string &base() const { return base_; }
  /// Records that `text` was written to the file.
  void saved(std::string text);
  /// Handles a change of the file, which now contains `text`.
  EditorReload fileChanged(const std::string &text);
  const std::optional<std::string> &theirs() const { return theirs_; }
  void takeTheirs(); // undo restores the editor's text
  void keepMine();   // saving then replaces the file's text

  // --- completion
  /// Requests completions at the cursor.
  void requestCompletions(Host &host);
  /// Handles the answer to the editor's own request: inserts a single candidate or a longer common beginning, and
  /// offers several candidates. Returns false if another part made the request.
  bool completed(const Completions &answer);
  const std::vector<std::string> &offered() const { return offered_; }
  void accept(size_t offer);
  void dismissOffers() { offered_.clear(); }
  size_t chosenOffer = 0;

  std::vector<TextProblem> problems; // problems of the text or of its last run
  std::string said;                  // the error of the last save; empty if there is none

  // The state that the view has shown, and what it has to do in the next frame.
  std::vector<SyntaxState> lineStates; // the states of the text of version `colouredVersion`
  uint64_t colouredVersion = ~uint64_t{0};
  TextPlace shownCursor;
  uint64_t shownVersion = 0;
  bool takeFocus = false, leave = false; // take the keyboard; give it up
  bool fieldActive = false;              // the editor has the keyboard

private:
  struct Edit {
    TextPlace at;
    std::string removed, inserted;
    TextPlace cursor, anchor; // before the edit
    uint64_t group = 0;       // edits of one group are undone together
  };
  enum class Kind : uint8_t { Other, Typing, Erasing };
  /// Replaces [from, to) and puts the cursor after the inserted text.
  void replace(TextPlace from, TextPlace to, std::string_view with);
  /// Begins a group of edits that are undone together. Edits of the same kind as the previous ones join their group.
  void begin(Kind kind);
  void changed();
  template <typename Change> void changeLines(Change change);

  std::string path_, base_;
  TextBuffer buffer_;
  TextPlace cursor_, anchor_;
  size_t column_ = 0; // column in characters, which stays when the cursor moves up and down
  std::string unit_ = "  ";
  std::vector<Edit> edits_;
  size_t done_ = 0; // the number of edits in edits_ that are in effect; all others are undone
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
