// One run of a Python program that the user names to `lanescope check` or `lanescope debug`.
//
//   if (isProgramFor(*source, arguments.python, {}))
//     ProgramRun run = LANESCOPE_TRY(runProgram({.path = "k.py", .text = source->text()}));
//   run.calls[0].stages->kernel                  // the first kernel that it called
#pragma once

#include "repl/program/ProgramProcess.h"

#include <filesystem>

namespace lanescope::repl {

struct ProgramRunOptions {
  std::string python = {}; // the Python to use; empty: the default one
  std::filesystem::path path;
  std::string text;
  std::vector<std::string> arguments = {};
  std::string arch = {};
  core::Emulation emulation = {};
  double timeLimit = 20; // seconds for one run of a kernel
  bool markValues = false;
  const std::atomic<bool> *interrupted = nullptr;         // set by Ctrl-C, which also reaches the program; may be null
  std::function<void(std::string_view)> output = nullptr; // null: the program's output is dropped
};

struct ProgramRun {
  std::vector<KernelLaunch> calls; // the first call of each kernel, and the calls with faults
  ProgramEnd end;
  std::string lastWords; // the end of the program's output
  Diagnostic remark;     // a note that says which Python ran which program
};

/// True if Python runs the `.py` file: if `python` or arguments are given, or if the file imports something.
bool isProgramFor(const Source &source, const std::string &python, const std::vector<std::string> &arguments);
/// Runs the program. Errors: "no-python", "process". A program that fails is no error here: ProgramRun::end says how it
/// ended.
Result<ProgramRun> runProgram(const ProgramRunOptions &options);

} // namespace lanescope::repl
