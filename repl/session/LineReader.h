// One line from the terminal, with editing, history and completion (libedit).
//
//   LineReader reader(interrupts, history, complete);
//   while (true)
//     switch (reader.read(">>> ", line)) { case LineReader::Line: … case LineReader::Dropped: … case LineReader::End: …
//     }
//
// libedit directly, not LLVM's LineEditor on top of it: that one has no way to drop a line at Ctrl-C, writes its
// history for everyone to read, and keeps the lines of one entry apart.
#pragma once

#include "repl/session/Completion.h"
#include "repl/session/History.h"
#include "repl/session/Interrupts.h"

#include <functional>
#include <memory>
#include <string>

namespace lanescope::repl {

class LineReader {
public:
  /// `line` and the cursor in it -> what may stand there.
  using Completer = std::function<Completion(std::string_view line, size_t cursor)>;

  LineReader(Interrupts &interrupts, const History &history, Completer completer);
  ~LineReader();
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  enum Status {
    Line,
    Dropped, // Ctrl-C
    End,     // Ctrl-D on an empty line, or no terminal any more
  };
  /// `line` comes without its line break; an entry from the history may hold several lines.
  Status read(const std::string &prompt, std::string &line);
  /// Puts an entry where the up key finds it.
  void remember(const std::string &entry);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
