// The edits of a text, for undo and redo.
#pragma once

#include "viz/gui/editor/TextBuffer.h"

#include <cstdint>
#include <vector>

namespace lanescope::viz {

class EditHistory {
public:
  static constexpr size_t kMost = 10000; // edits; older ones are dropped

  /// The kinds of edits. Edits of one kind without a pause in between form a group, except those of kind Other.
  enum class Kind : uint8_t { Other, Typing, Erasing };
  struct Edit {
    TextPlace at;
    std::string removed, inserted;
    TextPlace cursor, anchor; // before the edit
    uint64_t group = 0;       // edits of one group are undone together
  };

  /// The next edits belong to the current group only if they are of the same kind and `joins`.
  void begin(Kind kind, bool joins);
  void endGroup() { kind_ = Kind::Other; }
  /// Adds an edit that has been made, to the current group. Edits that were undone are lost.
  void add(Edit edit);
  /// Takes back the last group in the text, or makes the next one again. Sets the cursor and the other end of the
  /// selection. Returns false if there is none.
  bool undo(TextBuffer &text, TextPlace &cursor, TextPlace &anchor);
  bool redo(TextBuffer &text, TextPlace &cursor, TextPlace &anchor);

private:
  std::vector<Edit> edits_;
  size_t done_ = 0; // the number of edits that are in effect; all others are undone
  uint64_t group_ = 0;
  Kind kind_ = Kind::Other;
};

} // namespace lanescope::viz
