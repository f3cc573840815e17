#include "core/gpu/runtime/Doctor.h"

#include "core/data/Version.h"
#include "core/gpu/runtime/CudaTools.h"
#include "core/gpu/runtime/OwnFile.h"
#include "core/gpu/runtime/Process.h"
#include "core/gpu/runtime/WorkerClient.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <sstream>

namespace lanescope::core {

namespace {

constexpr double kToolSeconds = 10, kHelloSeconds = 60;

/// The instructions for installing these Debian packages.
std::string installing(const std::vector<std::string> &packages) {
  if (findProgram("apt-get").empty())
    return text("install what Debian has as ", joined(packages, ", "));
  return text("`sudo apt-get install ", joined(packages, " "), "`");
}

void examineGpu(const std::string &command, std::vector<Finding> &findings) {
  WorkerTimeouts timeouts;
  timeouts.start = kHelloSeconds;
  WorkerClient client(workerArguments(command), timeouts);
  Result<Hello> hello = client.hello();
  Finding worker{"worker", hello.has_value(), "",
                 "build `lanescope-worker` beside `lanescope`, or name one with `--worker`"};
  worker.detail =
      hello ? text(hello->program, command.empty() ? "" : text(" by `", command, "`")) : hello.error()[0].message;
  findings.push_back(worker);
  std::optional<GpuInfo> gpu = hello ? hello->gpu : std::nullopt;
  std::string why = hello ? hello->problem : "the worker does not run";
  Finding driver{"CUDA driver", gpu.has_value(), why, "install NVIDIA's driver; it brings libcuda.so.1"};
  Finding device{"GPU", gpu.has_value(), why,
                 "kernels run on the emulator without one (`--device emulator`); another host's runs with "
                 "`--worker \"ssh HOST lanescope-worker\"`"};
  if (gpu) {
    driver.detail = text("for CUDA ", cudaVersionText(gpu->driverVersion));
    device.detail =
        text(gpu->name, ", sm_", gpu->major, gpu->minor, ", ", gpu->multiprocessors, " SMs, ",
             gpu->memoryBytes / 1'000'000'000, " GB, ", gpu->sharedMemoryPerBlock, " bytes of shared memory per block",
             gpu->deviceCount > 1 ? text(" (the first of ", gpu->deviceCount, ")") : "");
  }
  findings.push_back(driver);
  findings.push_back(device);
  if (gpu && gpu->deviceCount > 1)
    findings.push_back(peersFinding(*gpu));
}

void examineTool(const std::string &name, const std::string &use, std::vector<Finding> &findings) {
  Finding finding{name, false, text("needed ", use), "part of NVIDIA's CUDA toolkit; put its bin folder in PATH"};
  if (std::string path = findCudaTool(name); !path.empty()) {
    finding.found = true;
    finding.detail = path;
    if (Result<CommandResult> version = runCommand({path, "--version"}, kToolSeconds)) {
      size_t at = version->output.find("release ");
      if (at != std::string::npos)
        finding.detail += ", " + version->output.substr(at, version->output.find_first_of(",\n", at) - at);
    }
  }
  findings.push_back(finding);
}

Finding examineDisplay() {
  for (const char *variable : {"WAYLAND_DISPLAY", "DISPLAY"})
    if (const char *value = std::getenv(variable); value && *value)
      return {"display", true, text(variable, " is ", value), ""};
  return {"display", false, "neither WAYLAND_DISPLAY nor DISPLAY is set",
          text("the window needs one; without it draw to files (`lanescope show … -o x.svg`) or run under `xvfb-run`",
               " (", installing({"xvfb", "xauth"}), ")")};
}

Finding examineOpenGl() {
  Finding finding{"OpenGL", false, "the window draws with it", installing({"libgl1", "libgl1-mesa-dri"})};
  if (void *library = ::dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    ::dlclose(library);
    finding.found = true, finding.detail = "libGL.so.1";
  }
  return finding;
}

/// The folder of our programs, and how they were installed.
Finding examineOwnFiles() {
  std::string folder = programFolder().string(), data = dataFolder().string(), how = "a build tree";
  if (folder == "/usr/bin")
    how = "the Debian package";
  else if (folder.find("-packages/lanescope/") != folder.npos)
    how = "a Python wheel";
  else if (!data.empty())
    how = "an unpacked archive or `cmake --install`";
  std::string detail = text(kVersion, ", in ", folder, ", from ", how);
  if (!data.empty())
    detail += text("; samples and kernels in ", data);
  return {"lanescope", true, std::move(detail), ""};
}

/// Prints a line for Python itself, and one for each package with its version; "-" for a missing one.
constexpr char kAskPython[] = R"(
import sys
sys.path.pop(0)  # the working directory, whose files are not ours to run
import importlib.metadata, importlib.util
print(sys.version.split()[0])
for name in ("numpy", "lanescope", "jax", "triton"):
  there = importlib.util.find_spec(name) is not None
  try:
    print(importlib.metadata.version(name) if there else "-")
  except importlib.metadata.PackageNotFoundError:
    print(" ".join(importlib.util.find_spec(name).submodule_search_locations or []) or "there")
)";

/// Examines the user's Python: the one in the active virtual environment, or else the first one in PATH.
void examinePython(std::vector<Finding> &findings) {
  const char *environment = std::getenv("VIRTUAL_ENV");
  std::string python = environment && *environment ? text(environment, "/bin/python") : findProgram("python3");
  Finding finding{"Python", false, "the package `lanescope` is for CPython 3.11 or later",
                  installing({"python3", "python3-numpy"})};
  auto answer = python.empty() ? Result<CommandResult>() : runCommand({python, "-c", kAskPython}, kToolSeconds);
  std::vector<std::string> lines;
  if (!python.empty() && answer && answer->status == 0) {
    std::istringstream said(answer->output);
    for (std::string line; std::getline(said, line);)
      lines.push_back(std::move(line));
  }
  if (lines.size() < 5) {
    findings.push_back(std::move(finding));
    return;
  }
  finding.found = true, finding.detail = text(lines[0], ", ", python);
  findings.push_back(std::move(finding));
  const std::string pip = text("`", python, " -m pip install ");
  std::filesystem::path prefix = programFolder().parent_path();
  const std::string folder = (dataFolder().empty() ? prefix / "python" : prefix / "lib/python3/dist-packages").string();
  const std::array<std::array<std::string, 3>, 4> packages{{
      {"NumPy", "arrays of `import lanescope`", text(pip, "numpy`")},
      {"lanescope for Python", text("for ", python), text("`export PYTHONPATH=", folder, "`, or install the wheel")},
      {"JAX", "to trace whole JAX programs (docs/bridge.md)", text(pip, "jax`")},
      {"Triton", "to run and check its kernels from Python", text(pip, "triton`")},
  }};
  for (size_t n = 0; n < packages.size(); ++n) {
    bool there = lines[n + 1] != "-";
    findings.push_back({packages[n][0], there, there ? lines[n + 1] : packages[n][1], packages[n][2]});
  }
}

} // namespace

/// The pairs of GPUs with this kind of access to each other: "0-1, 2 to 3".
static std::string pairsText(const GpuInfo &gpu, PeerReach reach) {
  std::vector<std::string> pairs;
  for (int from = 0; from < gpu.deviceCount; ++from)
    for (int to = 0; to < gpu.deviceCount; ++to) {
      bool both = gpu.reach(from, to) == gpu.reach(to, from);
      if (from != to && gpu.reach(from, to) == reach && (!both || from < to))
        pairs.push_back(text(from, both ? "-" : " to ", to));
    }
  return joined(pairs, ", ");
}

Finding peersFinding(const GpuInfo &gpu) {
  Finding finding{"peers", false, "",
                  "kernels for several devices need GPUs that reach each other with atomics, as NVLink does"};
  if (gpu.peers.empty()) {
    finding.detail = "the driver does not say which GPUs reach each other's memory";
    return finding;
  }
  std::string atomics = pairsText(gpu, PeerReach::Atomics), memory = pairsText(gpu, PeerReach::Memory),
              none = pairsText(gpu, PeerReach::None);
  finding.found = !atomics.empty();
  if (memory.empty() && none.empty()) {
    finding.detail = text("all ", gpu.deviceCount, " GPUs reach each other's memory, with atomics (NVLink)");
  } else {
    std::vector<std::string> parts;
    for (const auto &[pairs, how] : {std::pair(&atomics, "with atomics (NVLink)"),
                                     std::pair(&memory, "without atomics"), std::pair(&none, "not at all")})
      if (!pairs->empty())
        parts.push_back(text("GPUs ", *pairs, " ", how));
    finding.detail = text("reach each other's memory: ", joined(parts, "; "));
  }
  if (static_cast<int>(gpu.devices.size()) != gpu.deviceCount)
    finding.detail += text("; kernels run on ", joined(gpu.devices, ", "));
  return finding;
}

std::vector<Finding> examineMachine(const std::string &workerCommand) {
  std::vector<Finding> findings = {examineOwnFiles()};
  examineGpu(workerCommand, findings);
  examineTool("ptxas", "for `compile --emit cubin` and `sass`", findings);
  examineTool("nvdisasm", "for `compile --emit sass`", findings);
  examinePython(findings);
  findings.push_back(examineDisplay());
  findings.push_back(examineOpenGl());
  return findings;
}

std::string findingsText(const std::vector<Finding> &findings) {
  size_t width = 0;
  for (const Finding &finding : findings)
    width = std::max(width, finding.name.size());
  std::string out;
  for (const Finding &finding : findings) {
    std::string padding(width - finding.name.size(), ' ');
    out += text(finding.found ? "yes  " : "no   ", finding.name, padding, "  ", finding.detail, "\n");
    if (!finding.found && !finding.howToGet.empty())
      out += text("     ", std::string(width, ' '), "  -> ", finding.howToGet, "\n");
  }
  return out;
}

} // namespace lanescope::core
