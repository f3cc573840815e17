#include "viz/gui/editor/EditorModel.h"

#include "layouts/support/Utf8.h"

#include <algorithm>
#include <utility>

namespace lanescope::viz {

namespace {

/// The first number of the editor's requests. The console's requests begin with 1, so the two never have the same
/// numbers.
constexpr uint64_t kFirstRequest = uint64_t{1} << 32;

} // namespace

bool EditorModel::open(std::string path, std::string_view text) {
  if (text.size() > kMostBytes || text.find('\0') != std::string_view::npos)
    return false;
  EditableText edited = std::move(*this);
  *this = EditorModel();
  static_cast<EditableText &>(*this) = std::move(edited);
  reset(text);
  path_ = std::move(path);
  base_ = text;
  return true;
}

void EditorModel::textChanged() {
  offers_.clear();
  said.clear();
}

bool EditorModel::modified() const {
  if (comparedVersion_ != version()) {
    comparedVersion_ = version();
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
  endLinesAs(fresh);
  std::string now = fresh.plainText(), before = buffer().plainText();
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
  size_t cursor = buffer().offsetOf(EditableText::cursor()), end = before.size() - tail;
  begin(Kind::Other);
  replace(buffer().placeAt(same), buffer().placeAt(end), std::string_view(now).substr(same, now.size() - tail - same));
  setCursor(buffer().placeAt(cursor <= same ? cursor : cursor >= end ? cursor + now.size() - before.size() : same));
  saved(std::move(text));
}

void EditorModel::keepMine() {
  if (theirs_)
    saved(*std::exchange(theirs_, std::nullopt));
}

void EditorModel::requestCompletions(Host &host) {
  request_ = std::max(request_ + 1, kFirstRequest);
  host.complete(request_, buffer().plainText(), buffer().offsetOf(cursor()));
}

bool EditorModel::completed(const Completions &answer) {
  if (answer.request < kFirstRequest)
    return false;
  if (answer.request != request_ || answer.from > buffer().offsetOf(cursor()))
    return true; // the text has changed since the request
  offers_.clear();
  chosenOffer = 0;
  if (answer.candidates.empty())
    return true;
  std::string_view common = answer.candidates.front();
  for (const std::string &each : answer.candidates)
    common = common.substr(0, static_cast<size_t>(std::ranges::mismatch(common, each).in1 - common.begin()));
  offeredFrom_ = buffer().placeAt(answer.from);
  TextPlace from = offeredFrom_;
  if (common.size() > buffer().between(from, cursor()).size()) {
    begin(Kind::Typing);
    replace(from, cursor(), std::string(common));
  }
  if (answer.candidates.size() > 1)
    offers_ = answer.candidates;
  return true;
}

void EditorModel::accept(size_t offer) {
  if (offer >= offers_.size())
    return;
  std::string with = offers_[offer];
  begin(Kind::Typing);
  replace(offeredFrom_, cursor(), with);
  offers_.clear();
}

} // namespace lanescope::viz
