#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/codegen/Sass.h"
#include "core/Links.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/dumps/DumpLaunch.h"
#include "repl/files/FileKind.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/session/LaunchChoice.h"
#include "repl/session/Packages.h"
#include "repl/session/StageFiles.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::app {
namespace {

using repl::KernelLaunch;

int deliver(const std::string &content, const std::string &output) {
  if (output.empty()) {
    put(content);
    return kDone;
  }
  auto written = core::writeFile(output, content);
  return written ? kDone : report(written.error());
}

int emitAst(const SourceRef &source, const std::string &output) {
  repl::Parsed parsed = repl::parse(source);
  int status = report(parsed.diagnostics);
  return std::max(status, deliver(repl::dump(*parsed.module), output));
}

int emitPackages(const std::vector<KernelLaunch> &launches, bool expected, const std::string &output) {
  auto saved = repl::savePackages(launches, expected, output.empty() ? "." : output);
  if (!saved)
    return report(saved.error());
  for (const std::filesystem::path &folder : saved->folders)
    say(text(shownName(folder.string()), "\n"));
  return report(saved->problems);
}

int emitCubin(const core::CompiledKernel &kernel, const std::string &output) {
  auto cubin = core::assemble(kernel.ptx, kernel.arch);
  return cubin ? deliver(*cubin, output.empty() ? core::plainFileName(kernel.name) + ".cubin" : output)
               : report(cubin.error());
}

int deliverStage(const core::Stage &stage, const core::KernelStages &of, const CompileArguments &arguments) {
  return deliver(arguments.links ? core::withOrigins(stage, of.sources.front()) : stage.text(), arguments.output);
}

int emitStage(const KernelLaunch &launch, const CompileArguments &arguments) {
  const core::KernelStages &stages = *launch.stages;
  int status = report(stages.diagnostics);
  if (const core::Stage *stage = stages.find(arguments.emit))
    return std::max(status, deliverStage(*stage, stages, arguments));
  if (!stages.kernel)
    return hasErrors(stages.diagnostics) ? std::max<int>(status, kInputAtFault)
                                         : report(repl::noStage(launch, arguments.emit));
  if (arguments.emit == "cubin")
    return emitCubin(*stages.kernel, arguments.output);
  auto sass = core::disassembled(stages);
  return sass ? deliverStage(*sass, stages, arguments) : report(sass.error());
}

/// Compiles the one kernel of a module that JAX dumped.
int compileDumped(const CompileArguments &arguments, const SourceRef &source, repl::Session &session) {
  const std::string arch = arguments.archGiven ? arguments.arch : std::string();
  auto launch = repl::launchDump(session.kernels(), source,
                                 {.arch = arch, .inputs = arguments.inputs, .zeros = arguments.noArrays});
  if (!launch)
    return report(launch.error());
  if (auto dumped = repl::dumpStages({*launch}, arguments.dump); !dumped)
    return report(dumped.error());
  if (arguments.emit != "package")
    return emitStage(*launch, arguments);
  int status = emitPackages({*launch}, !arguments.noExpected && !arguments.noArrays, arguments.output);
  return launch->result ? std::max(status, report(launch->result->diagnostics)) : status;
}

/// The error for options that exclude each other; empty: none.
std::string misplacedOptions(const CompileArguments &arguments, bool dump) {
  if (arguments.emit == "ast" && !arguments.dump.empty())
    return "`--dump` saves the stages of compiled kernels, and `--emit ast` compiles none; leave one of them out";
  constexpr std::string_view kWithoutLinks[] = {"ast", "cubin", "package"};
  if (arguments.links && std::ranges::find(kWithoutLinks, arguments.emit) != std::end(kWithoutLinks))
    return text("`--links` goes with a stage's text, and `--emit ", arguments.emit, "` gives none");
  if (dump && arguments.emit == "ast")
    return "`--emit ast` is for snippets; a dump begins with `--emit ir`";
  if (dump && !arguments.parameters.empty())
    return "`--param` sets what `param(…)` of a snippet gives; a dump has no parameters";
  if (dump && !arguments.kernel.empty())
    return "`--kernel` chooses among a snippet's kernels, and a dump has one";
  if (!arguments.inputs.empty() && (!dump || arguments.emit != "package"))
    return "`--inputs` is for the package of a dump: `--emit package`";
  if (arguments.noArrays && (!dump || arguments.emit != "package" || !arguments.inputs.empty()))
    return "`--no-arrays` is for the package of a dump without `--inputs`: `--emit package`";
  return {};
}

} // namespace

int runCompile(const CompileArguments &arguments) {
  auto opened = repl::openFor("compile", arguments.file);
  if (!opened)
    return report(opened.error());
  const SourceRef &source = opened->source;
  const bool dump = opened->kind == repl::FileKind::GpuModule || opened->kind == repl::FileKind::OtherModule;
  if (std::string misplaced = misplacedOptions(arguments, dump); !misplaced.empty()) {
    complain(text("lanescope compile: ", misplaced, "\n"));
    return kUsage;
  }
  if (arguments.emit == "ast")
    return emitAst(source, arguments.output);
  // The snippet runs on a device that returns zeros, which is enough to find its kernels and their arguments. A package
  // also contains the expected results, so for a package the snippet runs on the emulator, unless the user leaves the
  // results out.
  bool package = arguments.emit == "package", expected = package && !arguments.noExpected && !arguments.noArrays;
  auto options = sessionOptions({.arch = arguments.arch,
                                 .device = expected ? "emulator" : "none",
                                 .keepTexts = true,
                                 .recordInputs = package,
                                 .maxLaunches = repl::kMostSavedLaunches},
                                arguments.parameters, lookRules(arguments.reach, arguments.file));
  options.output = nullptr;
  options.remarks = nullptr; // these remarks are reported with the stage that the user chose
  options.checkAssertions = expected;
  repl::Session session(std::move(options));
  if (dump)
    return compileDumped(arguments, source, session);
  auto done = session.run(source);
  if (auto dumped = repl::dumpStages(session.kernels().launches(), arguments.dump); !dumped)
    return report(dumped.error());
  if (Diagnostics unknown = session.parameters().undeclared(); done && !unknown.empty())
    return report(unknown);
  if (package || !arguments.dump.empty())
    report(session.kernels().forgottenLaunches());
  auto launches = repl::chooseLaunches(session.kernels().launches(), arguments.kernel, source);
  if (!launches) // if the snippet failed, its error says why
    return report(done ? launches.error() : done.error());
  if (package) {
    int status = emitPackages(*launches, expected, arguments.output);
    return done ? status : report(done.error()); // a kernel or assertion failed, so the packages may be wrong
  }
  auto launch = repl::lastLaunch(*launches, source);
  return launch ? emitStage(*launch, arguments) : report(launch.error());
}

} // namespace lanescope::app
