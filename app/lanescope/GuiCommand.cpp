// `lanescope gui`: a window with a REPL session.
#include "app/lanescope/KernelFiles.h"
#include "app/lanescope/OpenLink.h"
#include "app/lanescope/SessionOptions.h"
#include "core/data/PageLink.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/workbench/SessionHost.h"
#include "viz/gui/window/Window.h"

namespace lanescope::app {

int runGui(const GuiArguments &arguments) {
  viz::WindowOptions options;
  options.view = arguments.view;
  for (const std::string &file : arguments.files)
    core::looksLikePageLink(file) ? options.view = file : options.files.emplace_back(file);
  UnpackedFiles unpacked;
  if (core::looksLikePageLink(options.view)) {
    auto kernel = kernelOfLink(options.view);
    if (kernel && !kernel->files.empty()) {
      auto ptx = unpacked.unpackKernel(kernel->files);
      if (!ptx)
        return report(ptx.error());
      options.files.push_back(*ptx);
      options.view.clear();
      options.run = std::move(kernel->debug);
    } else if (!kernel) {
      return report(kernel.error());
    }
  }
  if (core::looksLikePageLink(options.view)) {
    auto traces = tracesOfLink(options.view);
    if (!traces)
      return report(traces.error());
    if (!traces->empty()) {
      auto paths = unpacked.unpack(*traces);
      if (!paths)
        return report(paths.error());
      options.files.insert(options.files.end(), paths->begin(), paths->end());
      options.view.clear();
    }
  }
  if (core::looksLikePageLink(options.view)) {
    auto view = viewOfLink(options.view);
    if (!view)
      return report(view.error());
    options.view = *std::move(view);
  }
  options.script = arguments.script;
  options.screenshot = arguments.screenshot;
  options.dark = arguments.theme == "dark";
  options.scale = static_cast<float>(arguments.scale);
  std::string_view size = arguments.size;
  size_t cross = size.find('x');
  auto width = parseInteger<int>(size.substr(0, cross));
  auto height = cross == std::string_view::npos ? std::nullopt : parseInteger<int>(size.substr(cross + 1));
  constexpr int kSmallest = 320, kLargest = 16384;
  if (!width || !height || *width < kSmallest || *height < kSmallest || *width > kLargest || *height > kLargest) {
    complain(text("error: `--size ", shownName(arguments.size), "` is not a size such as 1600x1000, each side from ",
                  kSmallest, " to ", kLargest, "\n"));
    return kUsage;
  }
  options.width = *width, options.height = *height;
  repl::KernelOptions kernels;
  kernels.worker = arguments.worker;
  kernels.arch = arguments.arch;
  repl::ProgramOptions programs{.python = arguments.python,
                                .trustRecord = repl::defaultTrustRecord(),
                                .trusted = arguments.trusted,
                                .arch = arguments.arch};
  repl::SessionHost host(std::move(kernels), runRules(arguments.reach), std::move(programs));
  for (const auto &[name, value] : arguments.parameters)
    host.setParameter(name, value);
  return viz::runWindow(options, host);
}

} // namespace lanescope::app
