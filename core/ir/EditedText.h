// A text with replaced parts that knows the original place of each byte.
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

/// Bytes [begin, end) of the original, and their replacement.
struct TextEdit {
  uint32_t begin = 0, end = 0;
  std::string text;
};

class EditedText {
public:
  EditedText() = default;
  /// The edits may have any order, but must not overlap.
  EditedText(std::string_view original, std::vector<TextEdit> edits);

  const std::string &text() const { return text_; }
  /// The original place of the byte at `offset` in text(); inside a replacement, the place where the replaced part
  /// began.
  uint32_t original(uint32_t offset) const;

private:
  struct Piece {
    uint32_t begin = 0;    // offset in text()
    uint32_t original = 0; // original place of its first byte
    bool replaced = false;
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

} // namespace lanescope::core
