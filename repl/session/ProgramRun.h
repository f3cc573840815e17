// A Python program that a command was given by name, run once: `lanescope check` and `lanescope debug`.
//
//   if (isProgramFor(*source, arguments.python, {}))
//     ProgramRun run = LANESCOPE_TRY(runProgram({.path = "k.py", .text = source->text()}));
//   run.calls[0].stages->kernel                  // the first kernel that it called
#pragma once

#include "repl/program/ProgramProcess.h"

#include <filesystem>

namespace lanescope::repl {

struct ProgramRunOptions {
  std::string python = {}; // empty: the usual one
  std::filesystem::path path;
  std::string text;
  std::vector<std::string> arguments = {};
  std::string arch = {};
  core::Emulation emulation = {};
  double timeLimit = 20; // seconds that one run of a kernel may take
  bool markValues = false;
  const std::atomic<bool> *interrupted = nullptr; // Ctrl-C, which the program gets, too; null: nothing is looked at
  std::function<void(std::string_view)> output = nullptr; // null: what the program writes is dropped
};

struct ProgramRun {
  std::vector<KernelLaunch> calls; // the first of each kernel, and those at fault
  ProgramEnd end;
  std::string lastWords; // the end of what it wrote
  Diagnostic remark;     // a note: which Python ran what
};

/// Whether a `.py` file that a command was given is run in Python: one is named, or arguments are given, or the file
/// imports something.
bool isProgramFor(const Source &source, const std::string &python, const std::vector<std::string> &arguments);
/// Errors: "no-python", "process". How the program ends is the run's to say.
Result<ProgramRun> runProgram(const ProgramRunOptions &options);

} // namespace lanescope::repl
