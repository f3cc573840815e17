#include "viz/gui/console/ConsoleModel.h"

#include "viz/host/Indent.h"

#include <algorithm>

namespace lanescope::viz {

namespace {
constexpr std::string_view kPrompt = ">>> ", kContinuation = "... ";
} // namespace

void ConsoleModel::print(std::string_view ansiText) {
  if (!running()) {
    if (linesSeen == dropped_ + lines_.size()) // texts printed between two frames form one report
      reportBegin_ = linesSeen;
    settled = true;
  }
  for (AnsiLine &line : ansiLines(ansiText))
    lines_.push_back(std::move(line));
  for (; lines_.size() > kMaxLines; ++dropped_)
    lines_.pop_front();
}

void ConsoleModel::clear() {
  dropped_ += lines_.size();
  lines_.clear();
  reportBegin_ = dropped_;
}

void ConsoleModel::report(const std::string &subject) {
  if (subject == subject_)
    while (!lines_.empty() && dropped_ + lines_.size() > subjectBegin_)
      lines_.pop_back();
  subject_ = subject;
  subjectBegin_ = dropped_ + lines_.size();
  linesSeen = std::min(linesSeen, subjectBegin_);
  reportBegin_ = std::min(reportBegin_, subjectBegin_);
}

void ConsoleModel::finished(bool ok) {
  lastFailed_ = !ok;
  running_ -= running_ > 0;
  settled |= !running();
}

void ConsoleModel::submit(Host &host, bool force) {
  if (!force && host.needsMoreText(input)) {
    cursor = std::min(cursor, input.size());
    std::string line = "\n" + nextIndent(std::string_view(input).substr(0, cursor), "  ");
    replace(cursor, cursor, line);
    return;
  }
  std::string entry = std::move(input);
  input.clear();
  cursor = 0;
  while (!entry.empty() && (entry.back() == '\n' || entry.back() == ' '))
    entry.pop_back();
  offered_.clear();
  if (entry.empty()) {
    print(std::string(kPrompt) + "\n");
    return;
  }
  run(host, std::move(entry));
}

void ConsoleModel::run(Host &host, std::string entry) {
  subject_.clear();
  reportBegin_ = dropped_ + lines_.size();
  size_t begin = 0;
  while (begin <= entry.size()) {
    size_t end = std::min(entry.find('\n', begin), entry.size());
    AnsiStyle prompt;
    prompt.palette = 4, prompt.bold = true;
    AnsiLine line{{std::string(begin ? kContinuation : kPrompt), prompt}, {entry.substr(begin, end - begin), {}}};
    lines_.push_back(std::move(line));
    begin = end + 1;
  }
  if (history_.empty() || history_.back() != entry)
    history_.push_back(entry);
  if (history_.size() > kMaxHistory)
    history_.erase(history_.begin());
  historyAt_ = history_.size();
  draft_.clear();
  ++running_;
  submitted_ = true;
  submittedAt_ = dropped_ + lines_.size();
  host.evaluate(std::move(entry));
}

void ConsoleModel::historyBack() {
  if (historyAt_ == 0)
    return;
  if (historyAt_ == history_.size())
    draft_ = input;
  input = history_[--historyAt_];
  cursor = input.size();
  offered_.clear();
}

void ConsoleModel::historyForward() {
  if (historyAt_ >= history_.size())
    return;
  ++historyAt_;
  input = historyAt_ == history_.size() ? draft_ : history_[historyAt_];
  cursor = input.size();
  offered_.clear();
}

void ConsoleModel::requestCompletions(Host &host) { host.complete(++request_, input, std::min(cursor, input.size())); }

void ConsoleModel::completed(const Completions &answer) {
  if (answer.request != request_ || answer.from > cursor || cursor > input.size())
    return; // the entry has changed since the request
  offered_.clear();
  if (answer.candidates.empty())
    return;
  std::string common = answer.candidates.front();
  for (const std::string &candidate : answer.candidates) {
    size_t same = 0;
    while (same < common.size() && same < candidate.size() && common[same] == candidate[same])
      ++same;
    common.resize(same);
  }
  if (common.size() > cursor - answer.from)
    replace(answer.from, cursor, common);
  if (answer.candidates.size() > 1) {
    offered_ = answer.candidates;
    offeredFrom_ = answer.from;
  }
}

void ConsoleModel::accept(size_t offer) {
  if (offer >= offered_.size() || offeredFrom_ > cursor)
    return;
  std::string chosen = offered_[offer];
  offered_.clear();
  replace(offeredFrom_, cursor, chosen);
}

void ConsoleModel::replace(size_t from, size_t to, std::string_view with) {
  input.replace(from, to - from, with);
  cursor = from + with.size();
}

} // namespace lanescope::viz
