#include "viz/gui/editor/EditableText.h"

#include "layouts/support/Utf8.h"
#include "viz/host/Indent.h"

#include <algorithm>
#include <utility>

namespace lanescope::viz {

namespace {

size_t indentOf(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// The first indentation in the text. Two blanks if the text has none.
std::string unitOf(const TextBuffer &text) {
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < text.lines(); ++i)
    if (size_t blanks = indentOf(text.line(i)); blanks > 0 && blanks <= kMost && blanks < text.line(i).size())
      return text.line(i).front() == '\t' ? "\t" : std::string(blanks, ' ');
  return "  ";
}

/// The byte offset of a column, which is counted in characters.
size_t byteOfColumn(std::string_view line, size_t column) {
  size_t at = 0;
  for (; column > 0 && at < line.size(); --column)
    at = characterEnd(line, at);
  return at;
}

size_t columnOf(std::string_view line, size_t byte) {
  size_t column = 0;
  for (size_t at = 0; at < byte && at < line.size(); ++column)
    at = characterEnd(line, at);
  return column;
}

} // namespace

EditableText::EditableText(std::string_view text) { reset(text); }

void EditableText::reset(std::string_view text) {
  buffer_ = TextBuffer(text);
  unit_ = unitOf(buffer_);
  cursor_ = anchor_ = {};
  column_ = 0;
  history_ = {};
  ++version_;
}

void EditableText::begin(Kind kind) { history_.begin(kind, !selecting()); }

void EditableText::replace(TextPlace from, TextPlace to, std::string_view with) {
  if (from == to && with.empty())
    return;
  EditHistory::Edit edit{from, buffer_.erase(from, to), std::string(with), cursor_, anchor_};
  cursor_ = anchor_ = buffer_.insert(from, with);
  history_.add(std::move(edit));
  changed();
}

void EditableText::changed() {
  ++version_;
  column_ = columnOf(buffer_.line(cursor_.line), cursor_.byte);
  textChanged();
}

void EditableText::move(EditorMove move, bool select) {
  bool collapse = selecting() && !select;
  TextPlace to = cursor_;
  const std::string &line = buffer_.line(cursor_.line);
  switch (move) {
  case EditorMove::Left: to = collapse ? selectionBegin() : buffer_.before(cursor_); break;
  case EditorMove::Right: to = collapse ? selectionEnd() : buffer_.after(cursor_); break;
  case EditorMove::Up: return moveLines(-1, select);
  case EditorMove::Down: return moveLines(1, select);
  case EditorMove::WordLeft: to = buffer_.wordBefore(cursor_); break;
  case EditorMove::WordRight: to = buffer_.wordAfter(cursor_); break;
  case EditorMove::LineBegin: to.byte = cursor_.byte == indentOf(line) ? 0 : indentOf(line); break;
  case EditorMove::LineEnd: to.byte = line.size(); break;
  case EditorMove::Begin: to = {}; break;
  case EditorMove::End: to = buffer_.end(); break;
  }
  moveTo(to, select);
}

void EditableText::moveLines(int64_t lines, bool select) {
  int64_t last = static_cast<int64_t>(buffer_.lines()) - 1, line = static_cast<int64_t>(cursor_.line) + lines;
  size_t column = column_;
  if (line < 0)
    moveTo({}, select);
  else if (line > last)
    moveTo(buffer_.end(), select);
  else
    moveTo({static_cast<size_t>(line), byteOfColumn(buffer_.line(static_cast<size_t>(line)), column)}, select);
  column_ = column;
}

void EditableText::moveTo(TextPlace place, bool select) {
  cursor_ = buffer_.within(place);
  if (!select)
    anchor_ = cursor_;
  column_ = columnOf(buffer_.line(cursor_.line), cursor_.byte);
  history_.endGroup();
  cursorMoved();
}

void EditableText::selectWord(TextPlace place) {
  place = buffer_.within(place);
  const std::string &line = buffer_.line(place.line);
  size_t begin = place.byte, end = place.byte;
  while (begin > 0 && isNameByte(line[begin - 1]))
    --begin;
  while (end < line.size() && isNameByte(line[end]))
    ++end;
  if (begin == end)
    end = buffer_.after(place).line == place.line ? buffer_.after(place).byte : end;
  moveTo({place.line, begin});
  moveTo({place.line, end}, true);
}

void EditableText::selectLine(size_t line) {
  moveTo({line, 0});
  moveTo(line + 1 < buffer_.lines() ? TextPlace{line + 1, 0} : buffer_.end(), true);
}

void EditableText::selectAll() {
  moveTo({});
  moveTo(buffer_.end(), true);
}

void EditableText::type(std::string_view characters) {
  begin(Kind::Typing);
  replace(selectionBegin(), selectionEnd(), characters);
}

void EditableText::paste(std::string_view text) {
  std::string plain; // the clipboard's text with the editor's line ends
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\0' && !(text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n'))
      plain += text[i];
  begin(Kind::Other);
  replace(selectionBegin(), selectionEnd(), plain);
}

void EditableText::newLine() {
  begin(Kind::Other);
  std::string before = buffer_.line(selectionBegin().line).substr(0, selectionBegin().byte);
  replace(selectionBegin(), selectionEnd(), "\n" + nextIndent(before, unit_));
}

void EditableText::backspace(bool word) {
  begin(Kind::Erasing);
  TextPlace from = selectionBegin(), to = selectionEnd();
  if (from == to) {
    const std::string &line = buffer_.line(from.line);
    bool inIndent = from.byte > 0 && indentOf(line) >= from.byte && line[from.byte - 1] == ' ';
    if (word)
      from = buffer_.wordBefore(from);
    else if (inIndent)
      from.byte = (from.byte - 1) / unit_.size() * unit_.size();
    else
      from = buffer_.before(from);
  }
  replace(from, to, "");
}

void EditableText::eraseNext(bool word) {
  begin(Kind::Erasing);
  TextPlace to = selectionEnd();
  if (!selecting())
    to = word ? buffer_.wordAfter(to) : buffer_.after(to);
  replace(selectionBegin(), to, "");
}

/// Changes the selected lines one after another. They stay selected.
template <typename Change> void EditableText::changeLines(Change change) {
  begin(Kind::Other);
  TextPlace cursor = cursor_, anchor = anchor_;
  size_t last = selectionEnd().line;
  if (selecting() && selectionEnd().byte == 0 && last > selectionBegin().line)
    --last; // a selection of whole lines ends at the beginning of the line after them
  for (size_t i = selectionBegin().line, end = last; i <= end; ++i) {
    std::string line = buffer_.line(i), with = change(line);
    if (with == line)
      continue;
    replace({i, 0}, {i, line.size()}, with);
    auto moved = [&](TextPlace place) { // the change is in the blanks and signs at the beginning of the line
      if (place.line == i && place.byte > 0)
        place.byte += std::max(static_cast<ptrdiff_t>(with.size()) - static_cast<ptrdiff_t>(line.size()),
                               -static_cast<ptrdiff_t>(place.byte));
      return buffer_.within(place);
    };
    cursor = moved(cursor), anchor = moved(anchor);
  }
  cursor_ = buffer_.within(cursor), anchor_ = buffer_.within(anchor);
}

std::string EditableText::cut() {
  if (!selecting())
    selectLine(cursor_.line);
  std::string out = selected();
  begin(Kind::Other);
  replace(selectionBegin(), selectionEnd(), "");
  return out;
}

void EditableText::indent() {
  if (selectionBegin().line == selectionEnd().line) {
    size_t step = unit_ == "\t" ? 1 : unit_.size() - columnOf(buffer_.line(cursor_.line), cursor_.byte) % unit_.size();
    begin(Kind::Other);
    replace(selectionBegin(), selectionEnd(), unit_ == "\t" ? unit_ : std::string(step, ' '));
    return;
  }
  changeLines([&](const std::string &line) { return line.empty() ? line : unit_ + line; });
}

void EditableText::outdent() {
  changeLines([&](const std::string &line) { return line.substr(std::min(indentOf(line), unit_.size())); });
}

void EditableText::toggleComment() {
  bool all = true, some = false;
  size_t column = std::string::npos;
  for (size_t i = selectionBegin().line; i <= selectionEnd().line; ++i) {
    const std::string &line = buffer_.line(i);
    size_t begin = indentOf(line);
    if (begin == line.size())
      continue;
    some = true;
    all &= line[begin] == '#';
    column = std::min(column, begin);
  }
  if (!some)
    return;
  changeLines([&](const std::string &line) {
    size_t begin = indentOf(line);
    if (begin == line.size())
      return line;
    if (all)
      return line.substr(0, begin) + line.substr(begin + (line.substr(begin).starts_with("# ") ? 2 : 1));
    return line.substr(0, column) + "# " + line.substr(column);
  });
}

void EditableText::moveSelectedLines(bool down) {
  size_t first = selectionBegin().line, last = selectionEnd().line;
  if (down ? last + 1 == buffer_.lines() : first == 0)
    return;
  TextPlace cursor = cursor_, anchor = anchor_;
  begin(Kind::Other);
  size_t from = down ? first : first - 1, to = down ? last + 1 : last;
  std::string neighbour = buffer_.line(down ? to : from);
  std::string block = buffer_.between({first, 0}, {last, buffer_.line(last).size()});
  replace({from, 0}, {to, buffer_.line(to).size()}, down ? neighbour + "\n" + block : block + "\n" + neighbour);
  for (TextPlace *place : {&cursor, &anchor})
    place->line = down ? place->line + 1 : place->line - 1;
  cursor_ = cursor, anchor_ = anchor;
}

bool EditableText::undo() {
  const bool some = history_.undo(buffer_, cursor_, anchor_);
  if (some)
    changed();
  return some;
}

bool EditableText::redo() {
  const bool some = history_.redo(buffer_, cursor_, anchor_);
  if (some)
    changed();
  return some;
}

} // namespace lanescope::viz
