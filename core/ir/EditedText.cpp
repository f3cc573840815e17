#include "core/ir/EditedText.h"

#include <algorithm>

namespace lanescope::core {

EditedText::EditedText(std::string_view original, std::vector<TextEdit> edits) {
  std::ranges::sort(edits, {}, &TextEdit::begin);
  text_.reserve(original.size() + edits.size() * 16);
  auto add = [&](std::string_view part, uint32_t from, bool replaced) {
    pieces_.push_back({static_cast<uint32_t>(text_.size()), from, replaced});
    text_ += part;
  };
  uint32_t at = 0;
  for (const TextEdit &edit : edits) {
    add(original.substr(at, edit.begin - at), at, false);
    add(edit.text, edit.begin, true);
    at = edit.end;
  }
  add(original.substr(at), at, false);
}

uint32_t EditedText::original(uint32_t offset) const {
  auto after = std::ranges::upper_bound(pieces_, offset, {}, &Piece::begin);
  if (after == pieces_.begin())
    return offset;
  const Piece &piece = *std::prev(after);
  return piece.replaced ? piece.original : piece.original + (offset - piece.begin);
}

} // namespace lanescope::core
