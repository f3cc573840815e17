// The console's state: the printed lines, the entry being typed, its history, and completion.
//
//   console.input = "sho";  console.completed({.request = 7, .from = 0, .candidates = {"show"}});   // input is "show"
//   console.submit(host);                                // echoes ">>> show", hands it to the host, keeps the entry
//   console.historyBack();                               // input is "show" again
//
// This file does not use Dear ImGui. ConsoleView keeps the text field and this model in agreement.
#pragma once

#include "viz/gui/style/Ansi.h"
#include "viz/host/Host.h"

#include <deque>

namespace lanescope::viz {

class ConsoleModel {
public:
  static constexpr size_t kMaxLines = 20000; // older lines are dropped
  static constexpr size_t kMaxHistory = 1000;

  std::string input;
  size_t cursor = 0; // a byte offset in `input`

  const std::deque<AnsiLine> &lines() const { return lines_; }
  /// The number of lines that were dropped from the beginning so far. With it, the view can number lines permanently.
  uint64_t droppedLines() const { return dropped_; }
  void print(std::string_view ansiText);
  void clear();
  /// Begins a report about `subject`. If the last lines are about the same subject, the new lines replace them. So a
  /// snippet that runs at every keystroke does not fill the console.
  void report(const std::string &subject);
  /// The first line of the last report, counted from the first line ever printed. A report is an evaluated entry with
  /// its output, or text that was printed without an entry.
  uint64_t reportBegin() const { return reportBegin_; }

  /// Hands the entry to the host. If the host needs more text, starts a new line instead, unless `force` is set.
  void submit(Host &host, bool force = false);
  /// Evaluates `text` as if the user had typed it.
  void run(Host &host, std::string text);

  void historyBack();
  void historyForward();
  const std::vector<std::string> &history() const { return history_; }

  /// Requests completions of the input at the cursor.
  void requestCompletions(Host &host);
  /// Handles the answer to such a request: inserts a single candidate or a longer common beginning, and offers several
  /// candidates.
  void completed(const Completions &answer);
  /// The offered completions; empty if there are none.
  const std::vector<std::string> &offered() const { return offered_; }
  void accept(size_t offer);
  void dismissOffers() { offered_.clear(); }

  /// True if text was printed since the last entry was handed to the host.
  bool answers() const { return submitted_ && dropped_ + lines_.size() > submittedAt_; }
  /// Records that the user looks at another view now.
  void answersRead() { submitted_ = false; }
  bool running() const { return running_ > 0; }
  void finished(bool ok = true);
  /// True if the entry that finished last ended in an error.
  bool lastFailed() const { return lastFailed_; }

  // The state of the text field: its buffer, and the text at the last synchronisation.
  std::string field, shown;
  uint64_t linesSeen = 0;
  bool folded = false; // true: only the entry is drawn
  bool fieldActive = false;
  bool takeFocus = true; // the field takes the keyboard in the next frame
  bool settled = false;  // a report has ended, so the view scrolls to the report's first line
  bool enlarged = false; // the console has most of the window's height

private:
  void replace(size_t from, size_t to, std::string_view with);

  std::deque<AnsiLine> lines_;
  uint64_t dropped_ = 0, reportBegin_ = 0;
  std::string subject_;       // the subject of the last report(); empty after an entry
  uint64_t subjectBegin_ = 0; // the line at which it begins, counted as for reportBegin()
  std::vector<std::string> history_;
  size_t historyAt_ = 0; // equal to history_.size(): the draft
  std::string draft_;
  std::vector<std::string> offered_;
  size_t offeredFrom_ = 0;
  uint64_t request_ = 0;
  bool submitted_ = false;   // an entry was handed to the host
  uint64_t submittedAt_ = 0; // the number of lines at that time, including the entry's echo
  int running_ = 0;
  bool lastFailed_ = false;
};

} // namespace lanescope::viz
