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

#include "viz/gui/editor/EditableText.h"
#include "viz/host/Host.h"
#include "viz/scene/Syntax.h"

namespace lanescope::viz {

enum class EditorReload : uint8_t {
  Same,    // the file is unchanged, or equals the editor's text
  Taken,   // the text had no edits, so the editor shows the file's text; undo restores the old text
  Conflict // theirs() waits for takeTheirs() or keepMine()
};

class EditorModel : public EditableText {
public:
  static constexpr size_t kMostBytes = 4 << 20; // the largest text that can be opened

  /// Shows a file and clears the undo history. Returns false and changes nothing if the content is too large or is not
  /// text.
  bool open(std::string path, std::string_view text);
  const std::string &path() const { return path_; } // empty if nothing is open
  bool empty() const { return path_.empty(); }

  // --- the file
  /// True if the text differs from the file's text when it was last read or written.
  bool modified() const;
  /// The text to write to the file.
  std::string text() const { return buffer().text(); }
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
  const std::vector<std::string> &offered() const { return offers_; }
  void accept(size_t offer);
  void dismissOffers() { offers_.clear(); }
  size_t chosenOffer = 0;

  std::vector<TextProblem> problems; // problems of the text or of its last run
  std::string said;                  // the error of the last save; empty if there is none

  /// The state that the view has shown.
  struct Shown {
    std::vector<SyntaxState> lineStates; // the states of the text of version `colouredVersion`
    uint64_t colouredVersion = ~uint64_t{0};
    TextPlace cursor;
    uint64_t version = 0;
  } shown;
  bool takeFocus = false, leave = false; // in the next frame: take the keyboard; give it up
  bool fieldActive = false;              // the editor has the keyboard

private:
  void textChanged() override;
  void cursorMoved() override { offers_.clear(); }

  std::string path_, base_;
  std::optional<std::string> theirs_;
  mutable uint64_t comparedVersion_ = ~uint64_t{0};
  mutable bool modified_ = false;
  uint64_t request_ = 0;
  std::vector<std::string> offers_;
  TextPlace offeredFrom_;
};

} // namespace lanescope::viz
