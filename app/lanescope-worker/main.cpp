// lanescope-worker: runs compiled kernels on this machine's GPU, for a session or from packages.
#include "core/data/FreedMemory.h"
#include "core/data/MemoryReserve.h"
#include "core/data/ProcessMemory.h"
#include "core/data/StandardOutput.h"
#include "core/data/Version.h"
#include "core/gpu/record/RecordProgram.h"
#include "core/gpu/runtime/CompareArrays.h"
#include "core/gpu/runtime/Doctor.h"
#include "core/gpu/runtime/Frames.h"
#include "core/gpu/runtime/Process.h"
#include "core/gpu/runtime/RunPackages.h"
#include "core/gpu/runtime/WorkerServer.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cstdio>
#include <unistd.h>

using namespace lanescope;

namespace {

enum Exit { kDone = 0, kInputFault = 1, kUsage = 2, kMissing = 3 };

std::string program() { return text("lanescope-worker ", core::kVersion); }

constexpr char kHelp[] = R"(lanescope-worker: runs compiled kernels on this machine's GPU

  lanescope-worker [serve] [--device gpu|emulator] [--devices 0,1,…] [--fast | --strict] [--seed N]
      speaks the worker's protocol on standard input and output; `lanescope` starts it so, here or by
      `--worker "ssh HOST lanescope-worker"`. On the emulator --fast leaves its checks out, --strict makes hazards
      faults, and --seed chooses another schedule. --devices names a GPU for each device of a launch, in this
      order (default: all); `--devices 0,0` lets one stand for two
  lanescope-worker run PACKAGE… [-o DIR] [--repeat N] [--timeout S] [--ulps N] [--device gpu|emulator]
                       [--devices 0,1,…]
      runs each package (a folder that `lanescope compile --emit package` wrote) and writes its outputs, trace.json and
      result.json to DIR/NAME (default: results). Outputs are compared with the package's expected ones where it has
      some. --repeat: the time is the median of N launches
  lanescope-worker compare A.npy B.npy [--ulps N]
      says how two arrays differ, bit for bit or by more than N units in the last place
  lanescope-worker record [-o DIR] [--kernel REGEX] [--launch N] [--every distinct|launch] [--list] [--no-arrays]
                          [--touched] [--paused] [--max-bytes SIZE] [--at-most N] [--ptx DIR] [--time-limit S]
                          -- PROGRAM ARGS…
      records the launches of a CUDA program as packages, with liblanescope_record.so beside this program
  lanescope-worker info [--devices 0,1,…]
      says which GPUs it would use
  Each takes --memory SIZE, such as 800M or 4G: what the process may hold (default: half of the machine's memory)
  lanescope-worker --help | --version

Exit status: 0 done; 1 the input was at fault, or a comparison failed; 2 usage; 3 no GPU.

Examples:
  lanescope compile samples/kernels/double.py --emit package -o double.lspkg
  lanescope-worker run double.lspkg -o results --repeat 20
  lanescope-worker compare results/double/out.npy double.lspkg/expected/out.npy
)";

int usage(const std::string &problem) {
  std::fprintf(stderr, "error: %s; see `lanescope-worker --help`\n", shownName(problem).c_str());
  return kUsage;
}

struct Arguments {
  std::vector<std::string> plain;
  std::string device = "gpu", output = "results";
  std::vector<int> devices; // numbers of GPUs; empty: all
  uint32_t repeat = 1;
  uint64_t ulps = 0;
  double timeoutSeconds = 20;
  std::optional<uint64_t> memory; // bytes that this process may use
  core::Emulation emulation;
  std::string problem;
};

/// Reads the numbers of GPUs in a list such as "0,1".
std::optional<std::vector<int>> deviceList(std::string_view list) {
  std::vector<int> numbers;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    std::optional<int> number = parseInteger<int>(list.substr(at, end - at));
    if (!number || *number < 0 || numbers.size() == core::kMaxDevices)
      return std::nullopt;
    numbers.push_back(*number);
    at = end + 1;
  }
  return numbers;
}

constexpr uint32_t kMostLaunches = 100000, kMostSeconds = 100000;

Arguments parse(std::vector<std::string> words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (!word.starts_with("-") || word == "-") {
      arguments.plain.push_back(word);
      continue;
    }
    if (word == "--fast" || word == "--strict") {
      (word == "--fast" ? arguments.emulation.fast : arguments.emulation.strict) = true;
      continue;
    }
    if (i + 1 == words.size()) {
      arguments.problem = text("`", word, "` is unknown or lacks its value");
      return arguments;
    }
    const std::string &value = words[++i];
    auto number = [&](auto &to, uint32_t least, uint32_t most) {
      auto parsed = parseInteger<uint32_t>(value);
      if (!parsed || *parsed < least || *parsed > most)
        arguments.problem = text("`", word, "` takes a whole number in [", least, ", ", most, "], not `", value, "`");
      else
        to = *parsed;
    };
    if (word == "-o")
      arguments.output = value;
    else if (word == "--memory")
      if (auto bytes = core::parseMemorySize(value); bytes && *bytes >= core::kLeastMemory)
        arguments.memory = bytes;
      else
        arguments.problem = text("`--memory` takes a size of at least 64M, such as 800M or 4G, not `", value, "`");
    else if (word == "--device" && (value == "gpu" || value == "emulator"))
      arguments.device = value;
    else if (word == "--device")
      arguments.problem = text("`--device` is `gpu` or `emulator`, not `", value, "`");
    else if (word == "--devices")
      if (auto devices = deviceList(value))
        arguments.devices = *std::move(devices);
      else
        arguments.problem = text("`--devices` takes the numbers of GPUs, such as `0,1`, not `", value, "`");
    else if (word == "--repeat")
      number(arguments.repeat, 1, kMostLaunches);
    else if (word == "--timeout")
      number(arguments.timeoutSeconds, 1, kMostSeconds);
    else if (word == "--ulps")
      number(arguments.ulps, 0, ~0u);
    else if (word == "--seed")
      number(arguments.emulation.seed, 0, ~0u);
    else
      arguments.problem = text("`", word, "` is unknown");
    if (!arguments.problem.empty())
      return arguments;
  }
  return arguments;
}

/// Limits the process's memory. The system's limit also counts memory that a GPU's driver maps but does not use, so
/// with a GPU only our own reservations are limited.
void setMemory(const Arguments &arguments) {
  if (arguments.device == "gpu")
    core::setMemoryBudget(arguments.memory.value_or(core::memoryLimit()));
  else
    core::setMemoryLimit(arguments.memory.value_or(core::memoryLimit()));
}

int serve(const Arguments &arguments) {
  if (!arguments.plain.empty())
    return usage(text("`", arguments.plain[0], "` is no command"));
  if (::isatty(STDIN_FILENO))
    return usage("a terminal does not speak the worker's protocol");
  return core::serveWorker(arguments.device == "gpu" ? core::gpuBackend(program(), arguments.devices)
                                                     : core::emulatorBackend(program(), arguments.emulation));
}

int run(const Arguments &arguments) {
  if (arguments.plain.empty())
    return usage("`run` needs a package");
  core::PackageRunOptions options;
  options.packages.assign(arguments.plain.begin(), arguments.plain.end());
  options.output = arguments.output;
  options.worker = {"/proc/self/exe", "serve", "--device", arguments.device};
  if (!arguments.devices.empty())
    options.worker.insert(options.worker.end(), {"--devices", joined(arguments.devices, ",")});
  options.timeoutSeconds = arguments.timeoutSeconds;
  options.repeat = arguments.repeat;
  options.ulps = arguments.ulps;
  return static_cast<int>(core::runPackages(options));
}

int compare(const Arguments &arguments) {
  if (arguments.plain.size() != 2)
    return usage("`compare` needs two .npy files");
  Result<core::Array> expected = core::loadNpy(arguments.plain[1]);
  Result<core::Array> actual = core::loadNpy(arguments.plain[0]);
  for (const Result<core::Array> *array : {&actual, &expected})
    if (!*array) {
      std::fputs(render(array->error()).c_str(), stderr);
      return kInputFault;
    }
  core::Comparison difference = core::compareArrays(*actual, *expected, arguments.ulps);
  std::printf("%s\n", difference.same() ? "same" : difference.message.c_str());
  return difference.same() ? kDone : kInputFault;
}

int info(const Arguments &arguments) {
  core::WorkerBackend backend = core::gpuBackend(program(), arguments.devices);
  const std::optional<core::GpuInfo> &gpu = backend.hello.gpu;
  if (!gpu) {
    std::fprintf(stderr, "error: %s\n", backend.hello.problem.c_str());
    return kMissing;
  }
  std::printf("%s, sm_%d%d, %d SMs, %llu bytes of memory, %d bytes of shared memory per block, driver for CUDA %s\n",
              gpu->name.c_str(), gpu->major, gpu->minor, gpu->multiprocessors,
              static_cast<unsigned long long>(gpu->memoryBytes), gpu->sharedMemoryPerBlock,
              core::cudaVersionText(gpu->driverVersion).c_str());
  if (gpu->deviceCount > 1)
    std::printf("%s\n", core::peersFinding(*gpu).detail.c_str());
  return kDone;
}

int record(const std::vector<std::string> &words) {
  auto request = core::record::readRecordWords(words);
  if (!request)
    return usage(request.error().front().message);
  auto report = core::record::recordProgram(*std::move(request));
  if (!report) {
    if (report.error().front().kind == core::record::kUsageKind)
      return usage(report.error().front().message);
    std::fputs(render(report.error()).c_str(), stderr);
    return kMissing;
  }
  std::fputs(report->table.c_str(), stdout);
  std::fputs(report->words.c_str(), stderr);
  return report->status;
}

int runCommand(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string command = words.empty() || words[0].starts_with("--device") ? "serve" : words[0];
  if (!words.empty() && command == words[0])
    words.erase(words.begin());
  if (command == "--help" || command == "-h") {
    std::fputs(kHelp, stdout);
    return kDone;
  }
  if (command == "--version") {
    std::printf("%s, protocol %d\n", program().c_str(), core::kProtocolVersion);
    return kDone;
  }
  if (command == "record")
    return record(words);
  Arguments arguments = parse(std::move(words));
  if (!arguments.problem.empty())
    return usage(arguments.problem);
  setMemory(arguments);
  if (command == "serve")
    return serve(arguments);
  if (command == "run")
    return run(arguments);
  if (command == "compare")
    return compare(arguments);
  if (command == "info")
    return info(arguments);
  return usage(text("`", command, "` is no command"));
}

} // namespace

int main(int argc, char **argv) {
  core::keepFreedMemory(); // requests and replies of megabytes are allocated and freed often
  core::keepStandardFiles();
  core::installMemoryReserve("lanescope-worker");
  core::liftMemoryLimit(); // the driver maps memory that it does not use
  int status = runCommand(argc, argv);
  if (auto written = core::finishStandardOutput(); !written) {
    std::fputs(render(written.error()).c_str(), stderr);
    status = status == kDone ? kInputFault : status;
  }
  return status;
}
