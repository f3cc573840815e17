#include "core/gpu/kernel/GpuTarget.h"

#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::core {

namespace {

/// The features common to all targets since compute capability 9.0.
GpuTarget since90(std::string_view name, std::string_view title) {
  GpuTarget target;
  target.name = name;
  target.title = title;
  target.threadsPerWarp = layouts::kLanesPerWarp;
  target.sharedBytesPerBlock = 227 * 1024;
  target.registersPerMultiprocessor = 64 * 1024;
  return target;
}

GpuTarget hopper() {
  GpuTarget target = since90("sm_90a", "Hopper");
  target.major = 9;
  target.multiprocessors = 132;
  target.wgmma = true;
  return target;
}

GpuTarget blackwell() {
  GpuTarget target = since90("sm_100a", "Blackwell");
  target.major = 10;
  target.multiprocessors = 148;
  target.ptxIsa = 87; // has block scales of 4-bit floats; CUDA 12.8 and later assemble it
  target.tcgen05 = target.tmaGather = target.pairedCopies = target.narrowFloats = target.tensorIntegers = true;
  return target;
}

/// B300: "Target ISA Notes" of tcgen05.mma (no `.kind::i8`) and of tcgen05.ld.red.
GpuTarget blackwellUltra() {
  GpuTarget target = blackwell();
  target.name = "sm_103a";
  target.title = "Blackwell Ultra";
  target.minor = 3;
  target.tensorIntegers = false;
  target.tensorReductions = true;
  target.ptxIsa = 88;
  return target;
}

} // namespace

std::span<const GpuTarget> gpuTargets() {
  static const std::array<GpuTarget, 3> targets = {hopper(), blackwell(), blackwellUltra()};
  return targets;
}

const GpuTarget &defaultGpuTarget() { return gpuTargets().front(); }

const GpuTarget *findGpuTarget(std::string_view name) {
  auto found = std::ranges::find(gpuTargets(), name, &GpuTarget::name);
  return found == gpuTargets().end() ? nullptr : &*found;
}

const GpuTarget *findGpuTarget(int major, int minor) {
  auto found = std::ranges::find_if(
      gpuTargets(), [&](const GpuTarget &target) { return target.major == major && target.minor == minor; });
  return found == gpuTargets().end() ? nullptr : &*found;
}

const GpuTarget &machineFor(std::string_view ptxTarget) {
  constexpr std::string_view kPrefix = "sm_";
  int capability = 0; // for "sm_90a": 90
  if (ptxTarget.starts_with(kPrefix)) {
    std::string_view digits = ptxTarget.substr(kPrefix.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    capability = parseInteger<int>(digits).value_or(0);
  }
  const GpuTarget *machine = &defaultGpuTarget();
  for (const GpuTarget &target : gpuTargets())
    if (int own = 10 * target.major + target.minor; own <= capability && own > 10 * machine->major + machine->minor)
      machine = &target;
  return *machine;
}

std::string gpuTargetsText() {
  std::string out;
  std::span<const GpuTarget> all = gpuTargets();
  for (size_t i = 0; i < all.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == all.size() ? " and " : ", ", "`", all[i].name, "` (", all[i].title, ")");
  return out;
}

std::string noGpuTargetText(std::string_view name) {
  if (!findPtxArchitecture(name))
    return text("`", name, "` is no architecture; code is generated for ", gpuTargetsText());
  return text("there is no code generation for `", name, "`; the supported architectures are ", gpuTargetsText());
}

} // namespace lanescope::core
