// The console's state: what was printed, the entry being typed, its history, and completion.
//
//   console.input = "sho";  console.completed({.request = 7, .from = 0, .candidates = {"show"}});   // input is "show"
//   console.submit(host);                                // echoes ">>> show", tells the host, remembers the entry
//   console.historyBack();                               // input is "show" again
//
// No Dear ImGui in here; ConsoleView keeps the text field and this in step.
#pragma once

#include "viz/gui/style/Ansi.h"
#include "viz/host/Host.h"

#include <deque>

namespace lanescope::viz {

class ConsoleModel {
public:
  static constexpr size_t kMaxLines = 20000; // older ones are dropped
  static constexpr size_t kMaxHistory = 1000;

  std::string input;
  size_t cursor = 0; // in `input`, bytes

  const std::deque<AnsiLine> &lines() const { return lines_; }
  /// Lines that were dropped from the front so far: keeps line numbers stable for the view.
  uint64_t droppedLines() const { return dropped_; }
  void print(std::string_view ansiText);
  void clear();
  /// Later lines are about `subject`. They replace the lines about it that are there, if no other line has come since:
  /// a snippet that runs again at every keystroke does not fill the console.
  void report(const std::string &subject);
  /// The first line of the last report, the entry that was evaluated or what was printed by itself, counted as
  /// droppedLines() counts.
  uint64_t reportBegin() const { return reportBegin_; }

  /// Hands the entry to the host, or starts a new line where the host says that more is needed. `force`: never the
  /// latter.
  void submit(Host &host, bool force = false);
  /// Evaluates `text` as if it had been typed.
  void run(Host &host, std::string text);

  void historyBack();
  void historyForward();
  const std::vector<std::string> &history() const { return history_; }

  /// Asks for completions of the input at the cursor.
  void requestCompletions(Host &host);
  /// Takes an answer: one candidate, or a longer common beginning, goes into the input; several are offered.
  void completed(const Completions &answer);
  /// What is offered; empty when nothing is.
  const std::vector<std::string> &offered() const { return offered_; }
  void accept(size_t offer);
  void dismissOffers() { offered_.clear(); }

  /// Something was printed since the last entry was handed to the host.
  bool answers() const { return submitted_ && dropped_ + lines_.size() > submittedAt_; }
  /// Whoever asked looks at something else now.
  void answersRead() { submitted_ = false; }
  bool running() const { return running_ > 0; }
  void finished(bool ok = true);
  /// The entry that finished last ended in an error.
  bool lastFailed() const { return lastFailed_; }

  // The text field's side: its buffer, the text it was last in step with, and what the view has shown.
  std::string field, shown;
  uint64_t linesSeen = 0;
  bool folded = false; // the entry alone is drawn
  bool fieldActive = false;
  bool takeFocus = true; // the field takes the keyboard in the next frame
  bool settled = false;  // a report has ended: it is to be shown from its first line
  bool enlarged = false; // the console has most of the window's height

private:
  void replace(size_t from, size_t to, std::string_view with);

  std::deque<AnsiLine> lines_;
  uint64_t dropped_ = 0, reportBegin_ = 0;
  std::string subject_;       // of report(); empty after an entry
  uint64_t subjectBegin_ = 0; // counted as droppedLines() counts
  std::vector<std::string> history_;
  size_t historyAt_ = 0; // history_.size(): the draft
  std::string draft_;
  std::vector<std::string> offered_;
  size_t offeredFrom_ = 0;
  uint64_t request_ = 0;
  bool submitted_ = false;   // an entry has been handed to the host
  uint64_t submittedAt_ = 0; // the lines there were then, with its echo
  int running_ = 0;
  bool lastFailed_ = false;
};

} // namespace lanescope::viz
