#include "viz/gui/editor/EditHistory.h"

#include <string_view>
#include <utility>

namespace lanescope::viz {

static TextPlace endOf(TextPlace begin, std::string_view text) {
  for (char c : text)
    begin = c == '\n' ? TextPlace{begin.line + 1, 0} : TextPlace{begin.line, begin.byte + 1};
  return begin;
}

void EditHistory::begin(Kind kind, bool joins) {
  if (kind == Kind::Other || kind != kind_ || !joins)
    ++group_;
  kind_ = kind;
}

void EditHistory::add(Edit edit) {
  edit.group = group_;
  edits_.resize(done_);
  edits_.push_back(std::move(edit));
  if (edits_.size() > kMost)
    edits_.erase(edits_.begin());
  done_ = edits_.size();
}

bool EditHistory::undo(TextBuffer &text, TextPlace &cursor, TextPlace &anchor) {
  if (done_ == 0)
    return false;
  uint64_t group = edits_[done_ - 1].group;
  while (done_ > 0 && edits_[done_ - 1].group == group) {
    const Edit &edit = edits_[--done_];
    text.erase(edit.at, endOf(edit.at, edit.inserted));
    text.insert(edit.at, edit.removed);
    cursor = edit.cursor, anchor = edit.anchor;
  }
  endGroup();
  return true;
}

bool EditHistory::redo(TextBuffer &text, TextPlace &cursor, TextPlace &anchor) {
  if (done_ == edits_.size())
    return false;
  uint64_t group = edits_[done_].group;
  while (done_ < edits_.size() && edits_[done_].group == group) {
    const Edit &edit = edits_[done_++];
    text.erase(edit.at, endOf(edit.at, edit.removed));
    cursor = anchor = text.insert(edit.at, edit.inserted);
  }
  endGroup();
  return true;
}

} // namespace lanescope::viz
