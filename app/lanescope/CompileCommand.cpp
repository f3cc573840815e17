#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/Assembler.h"
#include "layouts/support/Text.h"
#include "repl/lang/Parser.h"
#include "repl/session/LaunchChoice.h"
#include "repl/session/Packages.h"
#include "repl/session/StageFiles.h"

#include <filesystem>
#include <iostream>
#include <map>

namespace lanescope::app {
namespace {

using core::StageKind;
using repl::KernelLaunch;

const std::map<std::string, StageKind> kStages{{"ir", StageKind::Ir},
                                               {"laid-out", StageKind::LaidOut},
                                               {"nvvm", StageKind::Nvvm},
                                               {"llvm", StageKind::Llvm},
                                               {"ptx", StageKind::Ptx}};

int deliver(const std::string &content, const std::string &output) {
  if (output.empty()) {
    std::cout << content;
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
    std::cout << folder.string() << "\n";
  return report(saved->problems);
}

int emitAssembly(const core::CompiledKernel &kernel, const std::string &emit, const std::string &output) {
  auto cubin = core::assemble(kernel.ptx, kernel.arch);
  if (!cubin)
    return report(cubin.error());
  if (emit == "cubin")
    return deliver(std::string(reinterpret_cast<const char *>(cubin->data()), cubin->size()),
                   output.empty() ? kernel.name + ".cubin" : output);
  auto sass = core::disassemble(*cubin);
  return sass ? deliver(*sass, output) : report(sass.error());
}

int emitStage(const KernelLaunch &launch, const CompileArguments &arguments) {
  const core::Stages &stages = *launch.stages;
  int status = report(stages.diagnostics);
  if (auto kind = kStages.find(arguments.emit); kind != kStages.end()) {
    const core::Stage *stage = stages.find(kind->second);
    if (stage)
      return std::max(status, deliver(stage->text, arguments.output));
    return std::max<int>(status, kInputAtFault);
  }
  return stages.kernel ? emitAssembly(*stages.kernel, arguments.emit, arguments.output)
                       : std::max<int>(status, kInputAtFault);
}

} // namespace

int runCompile(const CompileArguments &arguments) {
  auto source = core::readSource(arguments.file);
  if (!source)
    return report(source.error());
  if (arguments.emit == "ast" && !arguments.dump.empty()) {
    std::cerr
        << "lanescope compile: `--dump` saves the stages of compiled kernels, and `--emit ast` compiles none; leave "
           "one of them out\n";
    return kUsage;
  }
  if (arguments.emit == "ast")
    return emitAst(*source, arguments.output);
  // The snippet runs on a device that gives zeros: that finds its kernels and their arguments. A package holds the
  // expected results too, so for packages it runs on the emulator, unless they are to have none.
  bool package = arguments.emit == "package", expected = package && !arguments.noExpected;
  auto options = sessionOptions({.arch = arguments.arch,
                                 .device = expected ? "emulator" : "none",
                                 .keepTexts = true,
                                 .recordInputs = package,
                                 .maxLaunches = repl::kMostSavedLaunches});
  options.output = nullptr;
  options.checkAssertions = expected;
  repl::Session session(std::move(options));
  auto done = session.run(*source);
  if (auto dumped = repl::dumpStages(session.kernels().launches(), arguments.dump); !dumped)
    return report(dumped.error());
  if (package || !arguments.dump.empty())
    report(session.kernels().forgottenLaunches());
  auto launches = repl::chooseLaunches(session.kernels().launches(), arguments.kernel, *source);
  if (!launches) // a snippet that failed has its own reason
    return report(done ? launches.error() : done.error());
  if (package) {
    int status = emitPackages(*launches, expected, arguments.output);
    return done ? status : report(done.error()); // a failing kernel or assertion: what is there may not be right
  }
  auto launch = repl::lastLaunch(*launches, *source);
  return launch ? emitStage(*launch, arguments) : report(launch.error());
}

} // namespace lanescope::app
