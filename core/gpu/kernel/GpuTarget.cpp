#include "core/gpu/kernel/GpuTarget.h"

#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <vector>

namespace lanescope::core {

namespace {

/// The limits of a multiprocessor, and of a block on it.
struct Sizes {
  int64_t sharedKib = 0; // for a multiprocessor; a block has all but one KiB, which is the system's
  int threads = 0, blocks = 0;
};
constexpr Sizes kA100{164, 2048, 32}, kOrin{164, 1536, 16}, kAmpereCard{100, 1536, 16}, kCard{100, 1536, 24},
    kDataCentre{228, 2048, 32}, kThor{228, 1536, 24};

/// PTX 8.7 has block scales of 4-bit floats; CUDA 12.8 and later assemble it. The others are the first versions with
/// their target.
constexpr int kPtx87 = 87, kPtx88 = 88, kPtx90 = 90;

using Features = std::vector<bool GpuTarget::*>;

Features operator+(Features all, const Features &more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// `capability` is ten times the compute capability.
GpuTarget row(std::string_view name, std::string_view title, int capability, const Sizes &sizes, int multiprocessors,
              int ptxIsa, const Features &features) {
  constexpr int64_t kKib = 1024;
  GpuTarget target;
  target.name = name;
  target.title = title;
  target.major = capability / 10;
  target.minor = capability % 10;
  target.threadsPerWarp = layouts::kLanesPerWarp;
  target.sharedBytesPerMultiprocessor = sizes.sharedKib * kKib;
  target.sharedBytesPerBlock = (sizes.sharedKib - 1) * kKib;
  target.registersPerMultiprocessor = 64 * 1024;
  target.threadsPerMultiprocessor = sizes.threads;
  target.blocksPerMultiprocessor = sizes.blocks;
  target.multiprocessors = multiprocessors;
  target.ptxIsa = ptxIsa;
  for (bool GpuTarget::*feature : features)
    target.*feature = true;
  return target;
}

std::vector<GpuTarget> makeTargets() {
  const Features ada = {&GpuTarget::eightBitFloats};
  const Features hopper = ada + Features{&GpuTarget::tma};
  const Features hopperOnly = hopper + Features{&GpuTarget::setmaxnreg, &GpuTarget::wgmma};
  const Features blackwell = hopper + Features{&GpuTarget::tmaGather, &GpuTarget::launchControl};
  const Features common =
      blackwell + Features{&GpuTarget::setmaxnreg, &GpuTarget::narrowFloats, &GpuTarget::controlMulticast};
  const Features card = common + Features{&GpuTarget::narrowMma};
  const Features family = common + Features{&GpuTarget::tcgen05, &GpuTarget::tmaScatter, &GpuTarget::pairedCopies};
  const Features own = family + Features{&GpuTarget::tensorShift};
  const Features integers = {&GpuTarget::tensorIntegers}, reductions = {&GpuTarget::tensorReductions};
  // The multiprocessors are those of the product that a comment names.
  return {
      row("sm_80", "Ampere", 80, kA100, 108, kPtxIsa, {}),                                    // A100
      row("sm_86", "Ampere", 86, kAmpereCard, 82, kPtxIsa, {}),                               // RTX 3090
      row("sm_87", "Ampere, Orin", 87, kOrin, 16, kPtxIsa, {}),                               // Jetson AGX Orin
      row("sm_89", "Ada", 89, kCard, 128, kPtxIsa, ada),                                      // RTX 4090
      row("sm_90", "Hopper, baseline", 90, kDataCentre, 132, kPtxIsa, hopper),                // H200
      row("sm_90a", "Hopper", 90, kDataCentre, 132, kPtxIsa, hopperOnly),                     // H200
      row("sm_100", "Blackwell, baseline", 100, kDataCentre, 148, kPtxIsa, blackwell),        // B200
      row("sm_100f", "Blackwell, family", 100, kDataCentre, 148, kPtx88, family),             // B200
      row("sm_100a", "Blackwell", 100, kDataCentre, 148, kPtx87, own + integers),             // B200
      row("sm_103", "Blackwell Ultra, baseline", 103, kDataCentre, 148, kPtx88, blackwell),   // B300
      row("sm_103a", "Blackwell Ultra", 103, kDataCentre, 148, kPtx88, own + reductions),     // B300
      row("sm_110", "Blackwell, Thor, baseline", 110, kThor, 20, kPtx90, blackwell),          // Jetson Thor
      row("sm_110f", "Blackwell, Thor, family", 110, kThor, 20, kPtx90, family + reductions), // Jetson Thor
      row("sm_110a", "Blackwell, Thor", 110, kThor, 20, kPtx90, own + integers + reductions), // Jetson Thor
      row("sm_120", "Blackwell, RTX 50, baseline", 120, kCard, 170, kPtx87, blackwell),       // RTX 5090
      row("sm_120f", "Blackwell, RTX 50, family", 120, kCard, 170, kPtx88, card),             // RTX 5090
      row("sm_120a", "Blackwell, RTX 50", 120, kCard, 170, kPtx87, card),                     // RTX 5090
      row("sm_121", "Blackwell, GB10, baseline", 121, kCard, 48, kPtx88, blackwell),          // DGX Spark
      row("sm_121a", "Blackwell, GB10", 121, kCard, 48, kPtx88, card),                        // DGX Spark
  };
}

} // namespace

std::span<const GpuTarget> gpuTargets() {
  static const std::vector<GpuTarget> targets = makeTargets();
  return targets;
}

const GpuTarget &defaultGpuTarget() { return *findGpuTarget("sm_90a"); }

const GpuTarget *findGpuTarget(std::string_view name) {
  auto found = std::ranges::find(gpuTargets(), name, &GpuTarget::name);
  return found == gpuTargets().end() ? nullptr : &*found;
}

const GpuTarget *findGpuTarget(int major, int minor) {
  const GpuTarget *found = nullptr;
  for (const GpuTarget &target : gpuTargets())
    if (target.major == major && target.minor == minor)
      found = &target;
  return found;
}

const GpuTarget &targetWith(bool GpuTarget::*feature, const GpuTarget &own) {
  const GpuTarget *found = findGpuTarget(own.major, own.minor);
  for (const GpuTarget &target : gpuTargets()) {
    if (found->*feature)
      return *found;
    found = findGpuTarget(target.major, target.minor);
  }
  return *found;
}

const GpuTarget *baselineFor(int major, int minor) {
  const GpuTarget *found = nullptr;
  for (const GpuTarget &target : gpuTargets())
    if (!target.name.ends_with('a') && !target.name.ends_with('f') &&
        10 * target.major + target.minor <= 10 * major + minor)
      found = &target;
  return found;
}

const GpuTarget &machineFor(std::string_view ptxTarget) {
  if (const GpuTarget *own = findGpuTarget(ptxTarget))
    return *own;
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
