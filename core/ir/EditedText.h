// A text with parts replaced, which knows where each of its bytes comes from.
//
//   EditedText edited("wait 1 read\n", {{7, 11, "{read}"}});
//   edited.text()        "wait 1 {read}\n"
//   edited.original(8)   7: the part that was replaced
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// Bytes [begin, end) of the original, and what stands there instead.
struct TextEdit {
  uint32_t begin = 0, end = 0;
  std::string text;
};

class EditedText {
public:
  EditedText() = default;
  /// Edits in any order that do not overlap.
  EditedText(std::string_view original, std::vector<TextEdit> edits);

  const std::string &text() const { return text_; }
  /// Where the byte at `offset` of text() stood; for one of a replaced part, where that part began.
  uint32_t original(uint32_t offset) const;

private:
  struct Piece {
    uint32_t begin = 0;    // in text()
    uint32_t original = 0; // of its first byte
    bool replaced = false;
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

} // namespace lanescope::core
