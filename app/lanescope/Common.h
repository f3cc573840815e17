// Code that the subcommands share: exit statuses, reporting.
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Diagnostic.h"
#include "repl/terminal/ProgressLine.h"

namespace lanescope::app {

/// Exit statuses of every command.
enum Status : int { kDone = 0, kInputAtFault = 1, kUsage = 2, kMachineLacks = 3 };

/// Writes a report to standard output. Control characters from untrusted text are made visible
/// (layouts/support/Visible.h). Pass names that must stay on one line through `shownName` first.
void say(std::string_view report);
/// Writes text that another program may read, such as JSON, PTX or a module, to standard output: byte for byte, but as
/// say() does if standard output is a terminal.
void put(std::string_view content);
/// Writes a message to standard error, as say() does.
void complain(std::string_view message);
/// Prints the diagnostics to standard error, in colour on a terminal. Returns the exit status for them.
int report(const Diagnostics &diagnostics);
/// Checks that `--python` and arguments after `--` are given only with a `.py` file. Otherwise reports an error and
/// returns false.
bool programWordsFit(std::string_view command, const std::string &file, const std::string &python,
                     const std::vector<std::string> &programArguments);
/// The line on standard error that shows the command's progress, if standard error is a terminal. say(), put() and
/// complain() erase it before they write.
repl::ProgressLine &progressLine();
/// True if standard output gets colours.
bool colourOutput();
/// The width of the terminal in columns; 100 if standard output is no terminal.
int outputWidth();

int runRepl(const ReplArguments &arguments);
int runGui(const GuiArguments &arguments);
int runRun(const RunArguments &arguments);
int runEval(const EvalArguments &arguments);
int runShow(const ShowArguments &arguments);
int runLink(const LinkArguments &arguments);
int runCompile(const CompileArguments &arguments);
int runOpen(const OpenArguments &arguments);
int runEmulate(const EmulateArguments &arguments);
int runEmulateModule(const EmulateArguments &arguments, const SourceRef &source);
int runCheck(const CheckArguments &arguments);
int runReport(const ReportArguments &arguments);
int runBaseline(const BaselineArguments &arguments);
int runDebug(const DebugArguments &arguments);
int runCuda(const CudaArguments &arguments);
int runRecord(const RecordArguments &arguments);
int runList(const ListArguments &arguments);
int runLsp(const LspArguments &arguments);
int runTrace(const TraceArguments &arguments);
int runServe(const ServeArguments &arguments);
int runExplain(const ExplainArguments &arguments);
int runDoctor(const DoctorArguments &arguments);

} // namespace lanescope::app
