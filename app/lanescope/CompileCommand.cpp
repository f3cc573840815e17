#include "app/lanescope/Dump.h"
#include "app/lanescope/SessionOptions.h"

#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/codegen/Sass.h"
#include "core/gpu/runtime/Package.h"
#include "core/Links.h"
#include "layouts/support/Text.h"
#include "repl/lang/syntax/Parser.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

namespace lanescope::app {
namespace {

using repl::KernelLaunch;

int deliver(const std::string &content, const std::string &output) {
  if (output.empty()) {
    std::cout << content;
    return kDone;
  }
  auto written = writeFile(output, content);
  return written ? kDone : report(written.error());
}

int emitAst(const SourceRef &source, const std::string &output) {
  repl::Parsed parsed = repl::parse(source);
  int status = report(parsed.diagnostics);
  return std::max(status, deliver(repl::dump(*parsed.module), output));
}

/// Saves each launch with its inputs and what the emulator made of them; a kernel launched several times gets numbered
/// folders.
int emitPackages(const std::vector<KernelLaunch> &launches, bool expected, const std::string &output) {
  std::map<std::string, int> seen;
  int status = kDone;
  for (const KernelLaunch &launch : launches) {
    if (!launch.stages->kernel) {
      status = report(launch.stages->diagnostics);
      continue;
    }
    int number = ++seen[launch.kernel];
    std::string name = launch.kernel + (number == 1 ? "" : text("-", number)) + ".lspkg";
    auto folder = std::filesystem::path(output.empty() ? "." : output) / name;
    bool sound = expected && launch.result && !hasErrors(launch.result->diagnostics);
    auto saved = core::savePackage(folder, {.kernel = *launch.stages->kernel,
                                            .inputs = launch.inputs,
                                            .expected = sound ? launch.result->outputs : std::vector<core::Array>{}});
    if (!saved)
      return report(saved.error());
    std::cout << folder.string() << "\n";
  }
  return status;
}

int emitCubin(const core::CompiledKernel &kernel, const std::string &output) {
  auto cubin = core::assemble(kernel.ptx, kernel.arch);
  return cubin ? deliver(*cubin, output.empty() ? kernel.name + ".cubin" : output) : report(cubin.error());
}

int deliverStage(const core::Stage &stage, const core::KernelStages &of, const CompileArguments &arguments) {
  return deliver(arguments.links ? core::withOrigins(stage, of.sources.front()) : stage.text(), arguments.output);
}

int emitStage(const core::KernelStages &stages, const CompileArguments &arguments) {
  int status = report(stages.diagnostics);
  if (const core::Stage *stage = stages.find(arguments.emit))
    return std::max(status, deliverStage(*stage, stages, arguments));
  if (!stages.kernel)
    return std::max<int>(status, kInputAtFault);
  if (arguments.emit == "cubin")
    return emitCubin(*stages.kernel, arguments.output);
  auto sass = core::disassembled(stages);
  return sass ? deliverStage(*sass, stages, arguments) : report(sass.error());
}

} // namespace

int runCompile(const CompileArguments &arguments) {
  auto source = readSource(arguments.file);
  if (!source)
    return report(source.error());
  if (arguments.emit == "ast" && !arguments.dump.empty()) {
    std::cerr
        << "lanescope compile: `--dump` saves the stages of compiled kernels, and `--emit ast` compiles none; leave "
           "one of them out\n";
    return kUsage;
  }
  constexpr std::string_view kWithoutLinks[] = {"ast", "cubin", "package"};
  if (arguments.links && std::ranges::find(kWithoutLinks, arguments.emit) != std::end(kWithoutLinks)) {
    std::cerr << "lanescope compile: `--links` goes with a stage's text, and `--emit " << arguments.emit
              << "` gives none\n";
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
                                 .maxLaunches = 4096});
  options.output = nullptr;
  options.checkAssertions = expected;
  repl::Session session(std::move(options));
  auto done = session.run(*source);
  std::vector<KernelLaunch> launches = session.kernels().launches();
  if (auto dumped = dumpStages(launches, arguments.dump); !dumped)
    return report(dumped.error());
  if (!arguments.kernel.empty())
    std::erase_if(launches, [&](const KernelLaunch &launch) { return launch.kernel != arguments.kernel; });
  if (launches.empty()) {
    if (!done)
      return report(done.error());
    Span start{*source, 0, 0};
    return report(error("no-kernel", start,
                        arguments.kernel.empty() ? "this snippet calls no kernel, so there is nothing to compile"
                                                 : text("this snippet calls no kernel `", arguments.kernel, "`"))
                      .error());
  }
  if (arguments.emit == "package") {
    int status = emitPackages(launches, expected, arguments.output);
    return done ? status : report(done.error()); // a failing kernel or assertion: what is there may not be right
  }
  std::set<std::string> names;
  for (const KernelLaunch &launch : launches)
    names.insert(launch.kernel);
  if (names.size() > 1)
    return report(error("several-kernels", {*source, 0, 0},
                        text("this snippet calls several kernels (", joined(names, ", "), "); `--kernel` chooses one"))
                      .error());
  return emitStage(*launches.back().stages, arguments);
}

} // namespace lanescope::app
