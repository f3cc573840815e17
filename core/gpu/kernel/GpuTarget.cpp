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
constexpr Sizes kA100Sizes{164, 2048, 32}, kOrinSizes{164, 1536, 16}, kAmpereCard{100, 1536, 16}, kCard{100, 1536, 24},
    kDataCentre{228, 2048, 32}, kThorSizes{228, 1536, 24};

/// A GPU that stands for its target.
struct Product {
  Sizes sizes;
  int multiprocessors = 0;
  GpuSpeeds speeds;
};

/// Bytes per cycle of a memory with the given GB/s at a clock of the given MHz.
constexpr int perCycle(int64_t gigabytes, int64_t megahertz) {
  return static_cast<int>((gigabytes * 1000 + megahertz / 2) / megahertz);
}

// DRAM and clocks are those of NVIDIA's data sheets. The products follow from the data sheets' rates:
// multiprocessors * clock * 2 * products. Where no source is named, the L2 cache's rate is assumed: that of the H200,
// less in proportion on GPUs with fewer multiprocessors.
constexpr int kH200L2 = 4600, kH200Multiprocessors = 132; // tests/gpu/memory_speeds.cu
constexpr int l2Of(int multiprocessors) {
  return multiprocessors >= kH200Multiprocessors ? kH200L2 : kH200L2 * multiprocessors / kH200Multiprocessors;
}
constexpr Product
    // A100 80 GB, SXM: 2039 GB/s at 1410 MHz; 312 TFLOPS of f16, 19.5 of f64. Its L2 cache reads 5120 bytes a cycle
    // ("NVIDIA A100 Tensor Core GPU Architecture").
    kA100{kA100Sizes, 108, {perCycle(2039, 1410), 5120, 1024, 1024, 64}},
    // GeForce RTX 3090: 936 GB/s at 1695 MHz; 142 TFLOPS of f16 with sums of f16, 71 with f32 ("NVIDIA Ampere GA102 GPU
    // Architecture").
    kRtx3090{kAmpereCard, 82, {perCycle(936, 1695), l2Of(82), 512, 256, 2}},
    // Jetson AGX Orin 64 GB: 204.8 GB/s at 1300 MHz; 170 sparse TOPS of 8-bit integers ("Jetson AGX Orin Series
    // Technical Brief").
    kOrin{kOrinSizes, 16, {perCycle(205, 1300), l2Of(16), 1024, 1024, 2}},
    // GeForce RTX 4090: 1008 GB/s at 2520 MHz; 330.3 TFLOPS of f16 with sums of f16, 165.2 with f32 ("NVIDIA Ada GPU
    // Architecture").
    kRtx4090{kCard, 128, {perCycle(1008, 2520), l2Of(128), 512, 256, 2}},
    // H200: 4.5 TB/s of DRAM (tests/gpu/memory_speeds.cu); `mma` reaches 63 % of the 2048 products of `wgmma` (Luo et
    // al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", arXiv 2402.13499); 67 TFLOPS of f64.
    kH200{kDataCentre, kH200Multiprocessors, {2290, kH200L2, 1290, 1290, 128}},
    // B200 and B300: DRAM is scaled from the H200 by the data sheets' ratio, 8 to 4.8 TB/s. The rates of `mma` are
    // assumed to be the H200's.
    kB200{kDataCentre, 148, {3800, kH200L2, 1290, 1290, 64}}, kB300{kDataCentre, 148, {3800, kH200L2, 1290, 1290, 2}},
    // Jetson Thor (T5000): 273 GB/s at 1575 MHz; products as in a B200.
    kThor{kThorSizes, 20, {perCycle(273, 1575), l2Of(20), 1290, 1290, 2}},
    // GeForce RTX 5090: 1792 GB/s at 2407 MHz; 419 TFLOPS of f16 with sums of f16, 209.5 with f32, 1676 of 4-bit floats
    // ("NVIDIA RTX Blackwell GPU Architecture").
    kRtx5090{kCard, 170, {perCycle(1792, 2407), l2Of(170), 512, 256, 2}},
    // DGX Spark: 273 GB/s; 1000 sparse TFLOPS of 4-bit floats by 48 multiprocessors like those of an RTX 5090 mean 2540
    // MHz.
    kSpark{kCard, 48, {perCycle(273, 2540), l2Of(48), 512, 256, 2}};

/// PTX 8.7 has block scales of 4-bit floats; CUDA 12.8 and later assemble it. The others are the first versions with
/// their target.
constexpr int kPtx87 = 87, kPtx88 = 88, kPtx90 = 90;

/// The results of special functions were read from GPUs up to the H200 (core/gpu/emulator/numbers).
constexpr int kFirstUnknownFunctions = 10;

using Features = std::vector<bool GpuTarget::*>;

Features operator+(Features all, const Features &more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// `capability` is ten times the compute capability.
GpuTarget row(std::string_view name, std::string_view title, int capability, const Product &product, int ptxIsa,
              const Features &features) {
  const Sizes &sizes = product.sizes;
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
  target.multiprocessors = product.multiprocessors;
  target.speeds = product.speeds;
  target.ptxIsa = ptxIsa;
  for (bool GpuTarget::*feature : features)
    target.*feature = true;
  target.knownFunctions = target.major < kFirstUnknownFunctions;
  return target;
}

std::vector<GpuTarget> makeTargets() {
  const Features ada = {&GpuTarget::eightBitFloats};
  const Features hopper = ada + Features{&GpuTarget::tma};
  const Features hopperOnly = hopper + Features{&GpuTarget::setmaxnreg, &GpuTarget::wgmma};
  const Features blackwell =
      hopper + Features{&GpuTarget::byteTransposes, &GpuTarget::tmaGather, &GpuTarget::launchControl};
  const Features common =
      blackwell + Features{&GpuTarget::setmaxnreg, &GpuTarget::narrowFloats, &GpuTarget::controlMulticast};
  const Features card = common + Features{&GpuTarget::narrowMma};
  const Features family = common + Features{&GpuTarget::tcgen05, &GpuTarget::tmaScatter, &GpuTarget::pairedCopies};
  const Features own = family + Features{&GpuTarget::tensorShift};
  const Features integers = {&GpuTarget::tensorIntegers}, reductions = {&GpuTarget::tensorReductions};
  return {
      row("sm_80", "Ampere", 80, kA100, kPtxIsa, {}),
      row("sm_86", "Ampere", 86, kRtx3090, kPtxIsa, {}),
      row("sm_87", "Ampere, Orin", 87, kOrin, kPtxIsa, {}),
      row("sm_89", "Ada", 89, kRtx4090, kPtxIsa, ada),
      row("sm_90", "Hopper, baseline", 90, kH200, kPtxIsa, hopper),
      row("sm_90a", "Hopper", 90, kH200, kPtxIsa, hopperOnly),
      row("sm_100", "Blackwell, baseline", 100, kB200, kPtxIsa, blackwell),
      row("sm_100f", "Blackwell, family", 100, kB200, kPtx88, family),
      row("sm_100a", "Blackwell", 100, kB200, kPtx87, own + integers),
      row("sm_103", "Blackwell Ultra, baseline", 103, kB300, kPtx88, blackwell),
      row("sm_103a", "Blackwell Ultra", 103, kB300, kPtx88, own + reductions),
      row("sm_110", "Blackwell, Thor, baseline", 110, kThor, kPtx90, blackwell),
      row("sm_110f", "Blackwell, Thor, family", 110, kThor, kPtx90, family + reductions),
      row("sm_110a", "Blackwell, Thor", 110, kThor, kPtx90, own + integers + reductions),
      row("sm_120", "Blackwell, RTX 50, baseline", 120, kRtx5090, kPtx87, blackwell),
      row("sm_120f", "Blackwell, RTX 50, family", 120, kRtx5090, kPtx88, card),
      row("sm_120a", "Blackwell, RTX 50", 120, kRtx5090, kPtx87, card),
      row("sm_121", "Blackwell, GB10, baseline", 121, kSpark, kPtx88, blackwell),
      row("sm_121a", "Blackwell, GB10", 121, kSpark, kPtx88, card),
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
    if (!target.name.ends_with('a') && !target.name.ends_with('f') && target.capability() <= 10 * major + minor)
      found = &target;
  return found;
}

const GpuTarget &machineFor(std::string_view ptxTarget) {
  if (const GpuTarget *own = findGpuTarget(ptxTarget))
    return *own;
  constexpr std::string_view kPrefix = "sm_";
  int capability = 0; // for "sm_90a": 90
  char suffix = 0;    // for "sm_90a": 'a'
  if (ptxTarget.starts_with(kPrefix)) {
    std::string_view digits = ptxTarget.substr(kPrefix.size());
    const size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
    suffix = end < digits.size() ? digits[end] : '\0';
    digits = digits.substr(0, end);
    capability = parseInteger<int>(digits).value_or(0);
  }
  if (capability == 0)
    return defaultGpuTarget();
  const GpuTarget *machine = &gpuTargets().front();
  auto isLike = [&](const GpuTarget &target) {
    const bool baseline = !target.name.ends_with('a') && !target.name.ends_with('f');
    return suffix == '\0' ? baseline : target.name.ends_with(suffix);
  };
  for (const GpuTarget &target : gpuTargets())
    if (target.capability() <= capability && (target.capability() > machine->capability() || !isLike(*machine)))
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
