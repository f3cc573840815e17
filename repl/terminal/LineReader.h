// One line from the terminal, with editing, history and completion (libedit).
//
//   LineReader reader(interrupts, history, complete);
//   switch (reader.read(">>> ", line)) {
//   case LineReader::Line: …
//   case LineReader::Dropped: …
//   case LineReader::End: …
//   }
//
// It uses libedit directly, not LLVM's LineEditor on top of it: LineEditor cannot drop a line at Ctrl-C, writes a
// history that every user can read, and stores the lines of one entry separately.
#pragma once

#include "repl/session/Completion.h"
#include "repl/terminal/History.h"
#include "repl/terminal/Interrupts.h"

#include <functional>
#include <memory>
#include <string>

namespace lanescope::repl {

class LineReader {
public:
  /// Returns the candidates for completion at the cursor in `line`.
  using Completer = std::function<Completion(std::string_view line, size_t cursor)>;

  LineReader(Interrupts &interrupts, const History &history, Completer completer);
  ~LineReader();
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  enum Status {
    Line,
    Dropped, // the user dropped the line by Ctrl-C
    End,     // Ctrl-D on an empty line, or the terminal is gone
  };
  /// Reads a line and removes its line break. An entry from the history may have several lines.
  Status read(const std::string &prompt, std::string &line);
  /// Adds an entry to the history, which the up key shows.
  void remember(const std::string &entry);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
