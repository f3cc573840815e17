#include "core/gpu/kernel/GpuTarget.h"

#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::core {

namespace {

constexpr int64_t kKib = 1024;

/// The features and sizes common to all targets: those of A100.
GpuTarget ampere() {
  GpuTarget target;
  target.name = "sm_80";
  target.title = "Ampere";
  target.major = 8;
  target.threadsPerWarp = layouts::kLanesPerWarp;
  target.sharedBytesPerBlock = 163 * kKib;
  target.sharedBytesPerMultiprocessor = 164 * kKib;
  target.registersPerMultiprocessor = 64 * 1024;
  target.threadsPerMultiprocessor = 2048;
  target.blocksPerMultiprocessor = 32;
  target.product = "A100";
  target.multiprocessors = 108;
  return target;
}

/// A target with the sizes of the usual cards: 1536 threads and 100 KiB for each multiprocessor.
GpuTarget card(GpuTarget target, int blocks) {
  target.sharedBytesPerBlock = 99 * kKib;
  target.sharedBytesPerMultiprocessor = 100 * kKib;
  target.threadsPerMultiprocessor = 1536;
  target.blocksPerMultiprocessor = blocks;
  return target;
}

GpuTarget ampereCard() {
  GpuTarget target = card(ampere(), 16);
  target.name = "sm_86";
  target.minor = 6;
  target.product = "RTX 3090";
  target.multiprocessors = 82;
  return target;
}

GpuTarget orin() {
  GpuTarget target = ampere();
  target.name = "sm_87";
  target.title = "Ampere, Orin";
  target.minor = 7;
  target.threadsPerMultiprocessor = 1536;
  target.blocksPerMultiprocessor = 16;
  target.product = "Jetson AGX Orin";
  target.multiprocessors = 16;
  return target;
}

GpuTarget ada() {
  GpuTarget target = card(ampere(), 24);
  target.name = "sm_89";
  target.title = "Ada";
  target.minor = 9;
  target.product = "RTX 4090";
  target.multiprocessors = 128;
  target.eightBitFloats = true;
  return target;
}

/// The features common to all targets since compute capability 9.0, and the sizes of most of them.
GpuTarget since90(std::string_view name, std::string_view title, int major) {
  GpuTarget target = ampere();
  target.name = name;
  target.title = title;
  target.major = major;
  target.sharedBytesPerBlock = 227 * kKib;
  target.sharedBytesPerMultiprocessor = 228 * kKib;
  target.eightBitFloats = target.tma = true;
  return target;
}

GpuTarget hopper() {
  GpuTarget target = since90("sm_90a", "Hopper", 9);
  target.product = "H200";
  target.multiprocessors = 132;
  target.wgmma = true;
  return target;
}

GpuTarget blackwell() {
  GpuTarget target = since90("sm_100a", "Blackwell", 10);
  target.product = "B200";
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
  target.product = "B300";
  target.tensorIntegers = false;
  target.tensorReductions = true;
  target.ptxIsa = 88;
  return target;
}

/// The tensor core of B200, with loads that reduce, on a small chip.
GpuTarget thor() {
  GpuTarget target = blackwell();
  target.name = "sm_110a";
  target.title = "Blackwell, Thor";
  target.major = 11;
  target.threadsPerMultiprocessor = 1536;
  target.blocksPerMultiprocessor = 24;
  target.product = "Jetson Thor";
  target.multiprocessors = 20;
  target.tensorReductions = true;
  target.ptxIsa = 90;
  return target;
}

/// TMA and clusters, but neither `wgmma` nor `tcgen05`: `mma` is its tensor core.
GpuTarget blackwellCard() {
  GpuTarget target = card(since90("sm_120a", "Blackwell, RTX 50", 12), 24);
  target.product = "RTX 5090";
  target.multiprocessors = 170;
  target.narrowFloats = true;
  target.ptxIsa = 87;
  return target;
}

GpuTarget spark() {
  GpuTarget target = blackwellCard();
  target.name = "sm_121a";
  target.title = "Blackwell, GB10";
  target.minor = 1;
  target.product = "DGX Spark";
  target.multiprocessors = 48;
  target.ptxIsa = 88;
  return target;
}

} // namespace

std::span<const GpuTarget> gpuTargets() {
  static const std::array<GpuTarget, 10> targets = {ampere(),    ampereCard(),     orin(), ada(),           hopper(),
                                                    blackwell(), blackwellUltra(), thor(), blackwellCard(), spark()};
  return targets;
}

const GpuTarget &defaultGpuTarget() { return *findGpuTarget("sm_90a"); }

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
  if (capability == 0)
    return defaultGpuTarget();
  const GpuTarget *machine = &gpuTargets().front();
  for (const GpuTarget &target : gpuTargets())
    if (10 * target.major + target.minor <= capability)
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
