// What the subcommands share: exit statuses, reporting.
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Diagnostic.h"
#include "repl/session/ProgressLine.h"

namespace lanescope::app {

/// Exit statuses of every command.
enum Status : int { kDone = 0, kInputAtFault = 1, kUsage = 2, kMachineLacks = 3 };

/// Writes a report to standard output. Text of strangers in it cannot drive the terminal (layouts/support/Visible.h);
/// names that have to stay on a line go through `shownName` first.
void say(std::string_view report);
/// Writes to standard output what another program may read, JSON, PTX or a module: byte for byte, but to a terminal as
/// say() does.
void put(std::string_view content);
/// Writes a message to standard error, as say() does.
void complain(std::string_view message);
/// Prints the diagnostics to standard error, in colour on a terminal; the exit status that they call for.
int report(const Diagnostics &diagnostics);
/// Whether `--python` and the arguments after `--` have a file to go with. False: it is no `.py` file, and the user has
/// been told.
bool programWordsFit(std::string_view command, const std::string &file, const std::string &python,
                     const std::vector<std::string> &programArguments);
/// How far the command is, on standard error where that is a terminal. What say(), put() and complain() write takes its
/// place.
repl::ProgressLine &progressLine();
/// Whether to write colours to standard output.
bool colourOutput();
/// Columns of the terminal; 100 where standard output is none.
int outputWidth();

int runRepl(const ReplArguments &arguments);
int runGui(const GuiArguments &arguments);
int runRun(const RunArguments &arguments);
int runEval(const EvalArguments &arguments);
int runShow(const ShowArguments &arguments);
int runCompile(const CompileArguments &arguments);
int runOpen(const OpenArguments &arguments);
int runEmulate(const EmulateArguments &arguments);
int runEmulateModule(const EmulateArguments &arguments, const SourceRef &source);
int runCheck(const CheckArguments &arguments);
int runDebug(const DebugArguments &arguments);
int runCuda(const CudaArguments &arguments);
int runRecord(const RecordArguments &arguments);
int runLsp(const LspArguments &arguments);
int runTrace(const TraceArguments &arguments);
int runExplain(const ExplainArguments &arguments);
int runDoctor(const DoctorArguments &arguments);

} // namespace lanescope::app
