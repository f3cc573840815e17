#include "repl/check/ProgramRun.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"
#include "repl/program/ProgramKind.h"
#include "repl/program/PythonCommand.h"

namespace lanescope::repl {

namespace {
constexpr size_t kLastWords = 2000; // limit in bytes
} // namespace

bool isProgramFor(const Source &source, const std::string &python, const std::vector<std::string> &arguments) {
  return !python.empty() || !arguments.empty() || isProgram(source.text());
}

Result<ProgramRun> runProgram(const ProgramRunOptions &options) {
  PythonCommand python = LANESCOPE_TRY(PythonCommand::find(options.python));
  ProgramProcess process = LANESCOPE_TRY(ProgramProcess::start(python.command(hostWords({}))));
  ProgramRun out;
  std::error_code ignored;
  std::string path = std::filesystem::absolute(options.path, ignored).lexically_normal().string();
  ProgramRequest request{.path = path,
                         .text = options.text,
                         .arguments = options.arguments,
                         .arch = options.arch,
                         .emulation = options.emulation,
                         .timeLimit = options.timeLimit,
                         .markValues = options.markValues};
  ProgramEvents events;
  events.output = [&](std::string written) {
    if (options.output)
      options.output(written);
    out.lastWords += written;
    if (out.lastWords.size() > kLastWords)
      out.lastWords.erase(0, out.lastWords.size() - kLastWords);
  };
  events.call = [&](KernelLaunch launch) { out.calls.push_back(std::move(launch)); };
  const std::atomic<bool> never = false;
  out.end = process.run(request, events, options.interrupted ? *options.interrupted : never);
  out.remark = {Severity::Note,
                kProgramKind,
                {Source::make(path, options.text), 0, 0},
                text("this file is a program; `", shownName(python.program), "` ran it"),
                {}};
  return out;
}

} // namespace lanescope::repl
