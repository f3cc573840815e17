// The emulator as a Device: runs a CompiledKernel's PTX and decodes its profile.
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

namespace {

class EmulatorDevice : public Device {
public:
  EmulatorDevice(Coverage *coverage, RunRecord *record, EmulatorStatistics *statistics)
      : coverage_(coverage), record_(record), statistics_(statistics) {}
  std::string name() const override { return "emulator"; }

  Result<RunResult> run(const Artifact &artifact, std::span<const Array> inputs, const RunOptions &options) override {
    auto found = gpuKernel(artifact);
    if (!found)
      return std::unexpected(std::move(found.error()));
    const CompiledKernel &kernel = **found;
    if (Result<void> good = checkLaunch(kernel.launch); !good)
      return std::unexpected(std::move(good.error()));
    if (Result<void> good = checkInputs(kernel, inputs); !good)
      return std::unexpected(std::move(good.error()));
    std::vector<const BufferSpec *> buffers = kernel.launch.buffers();
    std::vector<Array> withProfile;
    std::span<const Array> arrays = inputs;
    if (kernel.profiled && inputs.size() + 1 == buffers.size()) {
      withProfile.assign(inputs.begin(), inputs.end());
      withProfile.push_back(Array::zeros(buffers.back()->dtype, buffers.back()->shape));
      arrays = withProfile;
    }
    EmulatorOptions emulation;
    emulation.snippet = kernel.source;
    emulation.seed = options.emulation.seed;
    emulation.instant = options.emulation.fast;
    emulation.strict = options.emulation.strict;
    emulation.strictRules = options.emulation.strictRules;
    emulation.keepGoing = options.emulation.keepGoing;
    emulation.bounds = !coverage_; // a run for coverage needs no times
    emulation.threads = options.emulation.threads;
    emulation.timeoutSeconds = options.timeoutSeconds;
    emulation.interrupted = options.interrupted;
    emulation.progress = options.progress;
    emulation.coverage = coverage_;
    emulation.record = record_;
    emulation.decoded = &decoded_;
    emulation.written = kernel.outputs;
    const std::array<uint32_t, 3> &grid = kernel.launch.grid;
    uint32_t devices = kernel.launch.deviceCount();
    emulator::FlightRecorder flights(kernel.profiled ? uint64_t{grid[0]} * grid[1] * grid[2] : 0, kernel.tensorArrays,
                                     devices);
    emulator::Links links(devices);
    if (kernel.profiled)
      emulation.flights = &flights;
    if (kernel.profiled && devices > 1)
      emulation.links = &links;
    auto result =
        emulate(Source::make(kernel.name + ".ptx", kernel.ptx), kernel.launch, arrays, emulation, statistics_);
    if (!result)
      return result;
    std::vector<Array> all = std::move(result->outputs);
    result->outputs.clear();
    for (uint32_t index : kernel.outputs)
      if (index >= all.size())
        return error("launch", Message("output {} of kernel `{kernel}` is none of its {buffers} buffers", index,
                                       kernel.name, all.size()));
    result->device = text("emulator (", kernel.arch, ")");
    if (kernel.profiled && !hasErrors(result->diagnostics) && !all.empty()) {
      const Array &buffer = all.back();
      std::vector<Trace> traces;
      for (uint32_t device = 0; device < devices; ++device) {
        std::vector<uint32_t> words(buffer.bytes.size() / 4 / devices);
        std::memcpy(words.data(), buffer.bytes.data() + device * words.size() * 4, words.size() * 4);
        auto trace = decodeProfile(kernel.profile, grid, words, true);
        if (!trace)
          return std::unexpected(trace.error());
        flights.addTo(*trace, kernel.profile, grid, device);
        traces.push_back(std::move(*trace));
      }
      result->trace = devices > 1 ? links.join(std::move(traces), kernel.profile, grid) : std::move(traces[0]);
    }
    // Large arrays are moved, not copied. If a buffer is the source of two outputs, it is moved into the last of them.
    for (size_t n = 0; n < kernel.outputs.size(); ++n) {
      uint32_t index = kernel.outputs[n];
      bool again = std::find(kernel.outputs.begin() + static_cast<long>(n) + 1, kernel.outputs.end(), index) !=
                   kernel.outputs.end();
      result->outputs.push_back(again ? all[index] : std::move(all[index]));
    }
    return result;
  }

private:
  Coverage *coverage_;
  RunRecord *record_;
  EmulatorStatistics *statistics_;
  emulator::DecodedKernels decoded_;
};

} // namespace

std::unique_ptr<Device> makeEmulatorDevice(Coverage *coverage, RunRecord *record, EmulatorStatistics *statistics) {
  return std::make_unique<EmulatorDevice>(coverage, record, statistics);
}

} // namespace lanescope::core
