#include "viz/gui/editor/EditorModel.h"

#include "layouts/support/Utf8.h"
#include "viz/host/Indent.h"

#include <algorithm>
#include <utility>

namespace lanescope::viz {

namespace {

/// The first number of the editor's requests. The console's requests begin with 1, so the two never have the same
/// numbers.
constexpr uint64_t kFirstRequest = uint64_t{1} << 32;

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

bool EditorModel::open(std::string path, std::string_view text) {
  if (text.size() > kMostBytes || text.find('\0') != std::string_view::npos)
    return false;
  uint64_t version = version_;
  *this = EditorModel();
  version_ = version + 1;
  path_ = std::move(path);
  base_ = text;
  buffer_ = TextBuffer(text);
  unit_ = unitOf(buffer_);
  return true;
}

void EditorModel::begin(Kind kind) {
  if (kind == Kind::Other || kind != kind_ || selecting())
    ++group_;
  kind_ = kind;
}

void EditorModel::replace(TextPlace from, TextPlace to, std::string_view with) {
  if (from == to && with.empty())
    return;
  edits_.resize(done_);
  Edit edit{from, buffer_.erase(from, to), std::string(with), cursor_, anchor_, group_};
  cursor_ = anchor_ = buffer_.insert(from, with);
  edits_.push_back(std::move(edit));
  if (edits_.size() > kMostUndo)
    edits_.erase(edits_.begin());
  done_ = edits_.size();
  changed();
}

void EditorModel::changed() {
  ++version_;
  column_ = columnOf(buffer_.line(cursor_.line), cursor_.byte);
  offered_.clear();
  said.clear();
}

void EditorModel::move(EditorMove move, bool select) {
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

void EditorModel::moveLines(int64_t lines, bool select) {
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

void EditorModel::moveTo(TextPlace place, bool select) {
  cursor_ = buffer_.within(place);
  if (!select)
    anchor_ = cursor_;
  column_ = columnOf(buffer_.line(cursor_.line), cursor_.byte);
  kind_ = Kind::Other;
  offered_.clear();
}

void EditorModel::selectWord(TextPlace place) {
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

void EditorModel::selectLine(size_t line) {
  moveTo({line, 0});
  moveTo(line + 1 < buffer_.lines() ? TextPlace{line + 1, 0} : buffer_.end(), true);
}

void EditorModel::selectAll() {
  moveTo({});
  moveTo(buffer_.end(), true);
}

void EditorModel::type(std::string_view characters) {
  begin(Kind::Typing);
  replace(selectionBegin(), selectionEnd(), characters);
}

void EditorModel::paste(std::string_view text) {
  std::string plain; // the clipboard's text with the editor's line ends
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\0' && !(text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n'))
      plain += text[i];
  begin(Kind::Other);
  replace(selectionBegin(), selectionEnd(), plain);
}

void EditorModel::newLine() {
  begin(Kind::Other);
  std::string before = buffer_.line(selectionBegin().line).substr(0, selectionBegin().byte);
  replace(selectionBegin(), selectionEnd(), "\n" + nextIndent(before, unit_));
}

void EditorModel::backspace(bool word) {
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

void EditorModel::eraseNext(bool word) {
  begin(Kind::Erasing);
  TextPlace to = selectionEnd();
  if (!selecting())
    to = word ? buffer_.wordAfter(to) : buffer_.after(to);
  replace(selectionBegin(), to, "");
}

std::string EditorModel::cut() {
  if (!selecting())
    selectLine(cursor_.line);
  std::string out = selected();
  begin(Kind::Other);
  replace(selectionBegin(), selectionEnd(), "");
  return out;
}

/// Changes the selected lines one after another. They stay selected.
template <typename Change> void EditorModel::changeLines(Change change) {
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

void EditorModel::indent() {
  if (selectionBegin().line == selectionEnd().line) {
    size_t step = unit_ == "\t" ? 1 : unit_.size() - columnOf(buffer_.line(cursor_.line), cursor_.byte) % unit_.size();
    begin(Kind::Other);
    replace(selectionBegin(), selectionEnd(), unit_ == "\t" ? unit_ : std::string(step, ' '));
    return;
  }
  changeLines([&](const std::string &line) { return line.empty() ? line : unit_ + line; });
}

void EditorModel::outdent() {
  changeLines([&](const std::string &line) { return line.substr(std::min(indentOf(line), unit_.size())); });
}

void EditorModel::toggleComment() {
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

void EditorModel::moveSelectedLines(bool down) {
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

bool EditorModel::undo() {
  if (done_ == 0)
    return false;
  uint64_t group = edits_[done_ - 1].group;
  while (done_ > 0 && edits_[done_ - 1].group == group) {
    const Edit &edit = edits_[--done_];
    TextPlace end = edit.at;
    for (char c : edit.inserted)
      end = c == '\n' ? TextPlace{end.line + 1, 0} : TextPlace{end.line, end.byte + 1};
    buffer_.erase(edit.at, end);
    buffer_.insert(edit.at, edit.removed);
    cursor_ = edit.cursor, anchor_ = edit.anchor;
  }
  kind_ = Kind::Other;
  changed();
  return true;
}

bool EditorModel::redo() {
  if (done_ == edits_.size())
    return false;
  uint64_t group = edits_[done_].group;
  while (done_ < edits_.size() && edits_[done_].group == group) {
    const Edit &edit = edits_[done_++];
    TextPlace end = edit.at;
    for (char c : edit.removed)
      end = c == '\n' ? TextPlace{end.line + 1, 0} : TextPlace{end.line, end.byte + 1};
    buffer_.erase(edit.at, end);
    cursor_ = anchor_ = buffer_.insert(edit.at, edit.inserted);
  }
  kind_ = Kind::Other;
  changed();
  return true;
}

bool EditorModel::modified() const {
  if (comparedVersion_ != version_) {
    comparedVersion_ = version_;
    modified_ = text() != base_;
  }
  return modified_;
}

void EditorModel::saved(std::string text) {
  base_ = std::move(text);
  theirs_.reset();
  comparedVersion_ = ~uint64_t{0};
}

EditorReload EditorModel::fileChanged(const std::string &now) {
  if (now == text()) { // the editor has written this, or another program has written the same
    saved(now);
    return EditorReload::Same;
  }
  if (now == base_) {
    theirs_.reset();
    return EditorReload::Same;
  }
  theirs_ = now;
  if (modified())
    return EditorReload::Conflict;
  takeTheirs();
  return EditorReload::Taken;
}

void EditorModel::takeTheirs() {
  if (!theirs_ || theirs_->size() > kMostBytes || theirs_->find('\0') != std::string::npos)
    return;
  std::string text = *std::exchange(theirs_, std::nullopt);
  TextBuffer fresh(text);
  buffer_.endLinesAs(fresh);
  std::string now = fresh.plainText(), before = buffer_.plainText();
  // Replaces only the part that differs, so that the cursor stays at its line.
  size_t same = static_cast<size_t>(std::ranges::mismatch(now, before).in1 - now.begin());
  size_t tail = 0;
  while (tail < std::min(now.size(), before.size()) - same &&
         now[now.size() - 1 - tail] == before[before.size() - 1 - tail])
    ++tail;
  while (same > 0 && same < before.size() && continuesCharacter(before[same]))
    --same;
  while (tail > 0 && continuesCharacter(before[before.size() - tail]))
    --tail;
  size_t cursor = buffer_.offsetOf(cursor_), end = before.size() - tail;
  begin(Kind::Other);
  replace(buffer_.placeAt(same), buffer_.placeAt(end), std::string_view(now).substr(same, now.size() - tail - same));
  cursor_ = anchor_ = buffer_.placeAt(cursor <= same  ? cursor
                                      : cursor >= end ? cursor + now.size() - before.size()
                                                      : same);
  saved(std::move(text));
}

void EditorModel::keepMine() {
  if (theirs_)
    saved(*std::exchange(theirs_, std::nullopt));
}

void EditorModel::requestCompletions(Host &host) {
  request_ = std::max(request_ + 1, kFirstRequest);
  host.complete(request_, buffer_.plainText(), buffer_.offsetOf(cursor_));
}

bool EditorModel::completed(const Completions &answer) {
  if (answer.request < kFirstRequest)
    return false;
  if (answer.request != request_ || answer.from > buffer_.offsetOf(cursor_))
    return true; // the text has changed since the request
  offered_.clear();
  chosenOffer = 0;
  if (answer.candidates.empty())
    return true;
  std::string_view common = answer.candidates.front();
  for (const std::string &each : answer.candidates)
    common = common.substr(0, static_cast<size_t>(std::ranges::mismatch(common, each).in1 - common.begin()));
  offeredFrom_ = buffer_.placeAt(answer.from);
  TextPlace from = offeredFrom_;
  if (common.size() > buffer_.between(from, cursor_).size()) {
    begin(Kind::Typing);
    replace(from, cursor_, std::string(common));
  }
  if (answer.candidates.size() > 1)
    offered_ = answer.candidates;
  return true;
}

void EditorModel::accept(size_t offer) {
  if (offer >= offered_.size())
    return;
  std::string with = offered_[offer];
  begin(Kind::Typing);
  replace(offeredFrom_, cursor_, with);
  offered_.clear();
}

} // namespace lanescope::viz
