// The REPL on standard input: interactive on a terminal, a batch otherwise.
//
//   Session session(options);
//   return isatty(0) ? runInteractive(session) : runBatch(session, "<stdin>", text);
#pragma once

#include "repl/debug/DebugPrompt.h"
#include "repl/session/Session.h"
#include "repl/terminal/History.h"
#include "repl/terminal/Interrupts.h"
#include "repl/terminal/ProgressLine.h"

#include <string>

namespace lanescope::repl {

struct InteractiveOptions {
  std::string banner = {};                    // text that is written first; empty: none
  std::string history = defaultHistoryPath(); // file of the history; empty: entries are not kept between sessions
  ProgressLine *progress = nullptr;           // shows the progress of a long entry; null: show none
};

/// Reads entries from the terminal until Ctrl-D, with the prompts `>>> ` and `... `. Tab completes, and Ctrl-C drops
/// the line or stops the running entry. Errors are written to standard error, and the session continues. Returns the
/// exit status: 0.
int runInteractive(Session &session, const InteractiveOptions &options = {});

/// Reads the debugger's commands from the terminal until `quit` or Ctrl-D, with the prompt `(debug) ` and a separate
/// history. Tab completes, and Ctrl-C stops the running command.
void runDebugger(Session &session, Interrupts &interrupts, DebugPrompt &prompt);

/// Runs a text entry by entry as if it had been typed, and writes the values. Stops at the first error, which goes to
/// standard error. Returns the exit status: 0, or 1 after an error.
int runBatch(Session &session, std::string name, std::string text);

} // namespace lanescope::repl
