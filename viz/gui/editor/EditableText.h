// A text that is being edited: the cursor and the selection, and undo.
//
//   EditableText text("x = 1\n");
//   text.move(EditorMove::LineEnd);  text.type("0");          // "x = 10\n"
//   text.undo();                                              // "x = 1\n"
//
// EditorModel adds the text's file, completions and what the view shows. This file does not use Dear ImGui.
#pragma once

#include "viz/gui/editor/EditHistory.h"

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

class EditableText {
public:
  EditableText() = default;
  explicit EditableText(std::string_view text);
  EditableText(const EditableText &) = default;
  EditableText(EditableText &&) = default;
  EditableText &operator=(const EditableText &) = default;
  EditableText &operator=(EditableText &&) = default;
  virtual ~EditableText() = default;

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

protected:
  using Kind = EditHistory::Kind;
  /// Replaces [from, to) and puts the cursor after the inserted text.
  void replace(TextPlace from, TextPlace to, std::string_view with);
  /// Begins a group of edits that are undone together. Edits of the same kind as the previous ones join their group.
  void begin(Kind kind);
  /// Shows another text, without a history.
  void reset(std::string_view text);
  void setCursor(TextPlace place) { cursor_ = anchor_ = place; }
  void endLinesAs(const TextBuffer &other) { buffer_.endLinesAs(other); }
  /// Called after each change of the text, and after each move of the cursor.
  virtual void textChanged() {}
  virtual void cursorMoved() {}

private:
  void changed();
  template <typename Change> void changeLines(Change change);

  TextBuffer buffer_;
  TextPlace cursor_, anchor_;
  size_t column_ = 0; // column in characters, which stays when the cursor moves up and down
  std::string unit_ = "  ";
  uint64_t version_ = 0;
  EditHistory history_;
};

} // namespace lanescope::viz
