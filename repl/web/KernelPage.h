// The kernels' view of the web page: a kernel's PTX run on the emulator with the checker, and its debugger, driven by
// JSON as in LayoutPage.h.
//
//   KernelPage page;
//   page.file() = bytes;  page.call(R"({"do": "file", "name": "kernel.ptx"})");    // and launch.json, x.npy, …
//   page.call(R"({"do": "open"})")
//     ->  {"kernel": {"entry": "scale", "ptx": "kernel.ptx", "guesses": [], "buffers": [{"name": "x", …}], …}}
//   page.call(R"({"do": "run"})")
//     ->  {"ran": {"findings": [{"grade": "fault", "rule": "race", "line": 40, …}], "runs": 3, "outputs": […], …}}
//   page.call(R"({"do": "stop", "words": "46 if warp == 4"})")
//   page.call(R"({"do": "act", "action": "line"})")
//     ->  {"debug": {"moment": "moment 12, …", "warps": […], "barriers": […], …}}
//
// README.md lists the requests. The findings are those of `lanescope check --format json`, with the comments that allow
// some of them; stops are those of `lanescope debug`.
#pragma once

#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/kernel/Launch.h"
#include "viz/gui/debugger/DebuggerModel.h"
#include "viz/web/Asked.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

using viz::Asked;

class KernelPage {
public:
  KernelPage();
  ~KernelPage();

  /// A request with an error is answered by {"error": {"kind", "message", "text"}}, and changes nothing.
  std::string call(std::string_view request);
  /// The bytes of the file that the next `file` takes. They are empty afterwards.
  core::Bytes &file() { return file_; }

private:
  struct Kernel;

  Result<std::string> answer(const Asked &asked);
  Result<std::string> open(const Asked &asked);
  Result<std::string> run();
  Result<std::string> sourceText(const std::string &name) const;
  /// The bytes of an output as a `.npy` file, as a place in memory that is valid until the next call.
  Result<std::string> output(const Asked &asked);
  /// The files of the kernel for a link; null if they are too large for any link. Without `arrays`, its arrays are left
  /// out.
  Result<std::string> linkedFiles(const Asked &asked) const;
  /// The view for a link: the kernel's names and where its debugger stands.
  std::string share() const;
  /// Brings the debugger to the state that share() has written. Returns the reason why a stop is not set, or an empty
  /// text.
  Result<std::string> load(const core::Json &state);
  Result<std::string> debug(const Asked &asked);
  /// The debugger of the open kernel.
  viz::DebuggerModel &debugger();
  /// Waits for the debugger. Error: the run cannot be opened.
  Result<void> finish();
  /// `refused`: what to say in place of the debugger's own words; empty: those.
  std::string debugAnswer(const std::string &refused = {}) const;

  core::Bytes file_, npy_;
  std::unique_ptr<Kernel> kernel_; // null: none is open
  std::unique_ptr<viz::DebuggerModel> debugger_;
  uint32_t sharedFrom_ = 0; // the first address of shared memory that is shown
};

} // namespace lanescope::repl
