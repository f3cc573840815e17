#include "repl/terminal/Repl.h"
#include "layouts/notation/Notation.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/terminal/LineReader.h"

#include <cstdio>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

namespace lanescope::repl {
namespace {

void report(const Session &session, const Diagnostics &diagnostics) {
  std::fflush(stdout); // earlier output must appear before the error
  std::string words = render(diagnostics, session.options().colour);
  std::fwrite(words.data(), 1, words.size(), stderr);
  std::fflush(stderr);
}

void followWidth(Session &session) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    session.setWidth(size.ws_col);
}

/// True for `exit` and `quit`, with or without brackets.
bool leaves(std::string_view line) {
  while (line.ends_with(' ') || line.ends_with('\n'))
    line.remove_suffix(1);
  return line == "exit" || line == "exit()" || line == "quit" || line == "quit()";
}

std::unique_ptr<ProgressLine::Pause> pauseOf(ProgressLine *line) {
  return line ? std::make_unique<ProgressLine::Pause>(*line) : nullptr;
}

} // namespace

int runInteractive(Session &session, const InteractiveOptions &options) {
  History history(options.history);
  Interrupts interrupts(session);
  std::string pending; // lines of an incomplete entry
  LineReader reader(interrupts, history, [&](std::string_view line, size_t cursor) {
    std::string text = pending + std::string(line.substr(0, cursor));
    Completion found = session.complete(text, text.size());
    found.from -= std::min(found.from, pending.size());
    return found;
  });
  session.onDebug = [&](DebugPrompt &prompt) {
    auto pause = pauseOf(options.progress);
    runDebugger(session, interrupts, prompt);
  };
  session.files().ask = [&](const std::string &path) {
    auto pause = pauseOf(options.progress);
    std::fflush(stdout);
    std::string answer;
    LineReader::Status status = reader.read(
        text("`", shownName(path), "` is there, and this session did not make it. Replace it? [y/N] "), answer);
    return status == LineReader::Line && (answer == "y" || answer == "yes");
  };
  session.write(options.banner);
  int number = 0;
  for (std::string line;;) {
    std::fflush(stdout);
    LineReader::Status status = reader.read(pending.empty() ? ">>> " : "... ", line);
    if (status != LineReader::Line)
      session.write("\n");
    if (status == LineReader::End)
      break;
    if (status == LineReader::Dropped) {
      pending.clear();
      continue;
    }
    if (pending.empty() && line.find_first_not_of(" \t") == line.npos)
      continue;
    if (pending.empty() && leaves(line))
      break;
    pending += line + "\n";
    if (Session::needsMoreText(pending))
      continue;
    history.add(pending);
    if (!history.entries().empty())
      reader.remember(history.entries().back());
    auto source = Source::make(text("<", ++number, ">"), std::move(pending));
    pending.clear();
    followWidth(session);
    size_t before = session.kernels().launches().size();
    std::optional<ProgressLine::Work> work;
    if (options.progress)
      work.emplace(*options.progress);
    Result<void> done = session.entry(source);
    work.reset();
    if (!done) {
      report(session, done.error());
      const auto &launches = session.kernels().launches();
      if (launches.size() > before && launches.back().device == "emulator" && launches.back().result &&
          hasErrors(launches.back().result->diagnostics))
        session.write(text("`debug(", launches.back().kernel,
                           ", …)` with the same arguments runs it under the "
                           "debugger, whose `fault` goes to the moment before\n"));
    }
    interrupts.take(); // ignore a Ctrl-C that came as the entry ended
  }
  std::fflush(stdout);
  session.onDebug = nullptr;
  session.files().ask = nullptr;
  return 0;
}

void runDebugger(Session &session, Interrupts &interrupts, DebugPrompt &prompt) {
  std::string path = defaultHistoryPath();
  History history(path.empty() ? path : path + "-debug");
  LineReader reader(interrupts, history, [&](std::string_view line, size_t cursor) {
    std::string_view text = line.substr(0, cursor);
    size_t space = text.find_last_of(' ');
    return Completion{space == text.npos ? 0 : space + 1, prompt.completions(text)};
  });
  auto say = [&](std::string_view line) {
    if (auto said = prompt.run(line))
      session.write(*said);
    else
      report(session, said.error());
    std::fflush(stdout);
  };
  say("here");
  for (std::string line; !prompt.over();) {
    LineReader::Status status = reader.read("(debug) ", line);
    if (status != LineReader::Line)
      session.write("\n");
    if (status == LineReader::End)
      return;
    if (status == LineReader::Dropped)
      continue;
    if (line.find_first_not_of(" \t") != line.npos) {
      history.add(line);
      reader.remember(line);
    }
    say(line);
    interrupts.take();
  }
}

int runBatch(Session &session, std::string name, std::string text) {
  auto source = Source::make(std::move(name), std::move(text));
  for (bool first = true; Parsed &entry : parseEntries(source)) {
    // If the first entry has errors, the whole input may be a layout as another tool prints it.
    if (std::exchange(first, false) && hasErrors(entry.diagnostics) && layouts::parseLayout(source)) {
      auto done = session.entry(source);
      if (!done)
        report(session, done.error());
      return done ? 0 : 1;
    }
    if (!entry.diagnostics.empty())
      report(session, entry.diagnostics);
    if (hasErrors(entry.diagnostics))
      return 1;
    const Block &body = entry.module->body;
    if (body.size() == 1 &&
        leaves(source->text().substr(body[0]->range.begin, body[0]->range.end - body[0]->range.begin)))
      break;
    if (auto done = session.entry(entry.module); !done) {
      report(session, done.error());
      return 1;
    }
  }
  std::fflush(stdout);
  return 0;
}

} // namespace lanescope::repl
