#include "core/gpu/emulator/coverage/Schedule.h"

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <limits>

namespace lanescope::core {

namespace {

constexpr int kAdversaryShift = 32, kWarpgroupShift = 40;
constexpr uint32_t kMostWarpgroups = 8; // in a block of 1024 threads
constexpr int kDeviceShift = 48;
// The number of a late or slow warp uses the bits of warpgroup and device.
constexpr int kWarpShift = kWarpgroupShift;
constexpr uint32_t kMostWarps = 512;       // in a cluster of 16 blocks
constexpr uint32_t kMostWarpsOfBlock = 32; // of 1024 threads
// A slow block's number uses them, too.
constexpr int kBlockShift = kWarpgroupShift;
constexpr uint32_t kMostBlocks = 1 << 24;
constexpr std::string_view kSlowDevice = "slow-device-", kSlowLink = "slow-link", kSlowBlock = "slow-block-",
                           kLateSignals = "late-signals";
constexpr std::string_view kSlowCopies = "slow-copies", kSlowWarpgroup = "slow-warpgroup-",
                           kLateArrivals = "late-arrivals", kLateWarp = "late-warp-", kSlowWarp = "slow-warp-";

// The most blocks and warps that schedulesOf() makes slow, one in each run.
constexpr size_t kMostSlowBlocks = 4;
constexpr uint32_t kMostSlowWarps = 8;

std::unexpected<Diagnostics> noSchedule(std::string_view text) {
  return error("schedule",
               lanescope::text("there is no schedule `", text,
                               "`; it is a seed such as `3`, or `slow-copies`, `slow-warpgroup-N`, "
                               "`slow-warp-N`, `late-arrivals`, `late-signals`, `slow-block-N`, `slow-device-N` or "
                               "`slow-link`, with a seed behind a colon: `slow-copies:3`; "
                               "or `late-warp-N:K`, warp N late for its operation K"));
}

} // namespace

Schedule Schedule::of(uint64_t number) {
  auto kind = static_cast<uint8_t>(number >> kAdversaryShift);
  bool known = kind <= static_cast<uint8_t>(Adversary::LateSignals);
  if (kind == static_cast<uint8_t>(Adversary::LateWarp))
    return late(static_cast<uint32_t>(number >> kWarpShift) % kMostWarps, static_cast<uint32_t>(number));
  if (kind == static_cast<uint8_t>(Adversary::SlowWarp))
    return {.seed = static_cast<uint32_t>(number),
            .adversary = Adversary::SlowWarp,
            .warp = static_cast<uint32_t>(number >> kWarpShift) % kMostWarpsOfBlock};
  if (kind == static_cast<uint8_t>(Adversary::SlowBlock))
    return {.seed = static_cast<uint32_t>(number),
            .adversary = Adversary::SlowBlock,
            .block = static_cast<uint32_t>(number >> kBlockShift)};
  return {.seed = static_cast<uint32_t>(number),
          .adversary = known ? static_cast<Adversary>(kind) : Adversary::None,
          .warpgroup = static_cast<uint32_t>(number >> kWarpgroupShift) % kMostWarpgroups,
          .device = static_cast<uint32_t>(number >> kDeviceShift) % kMaxDevices};
}

uint64_t Schedule::number() const {
  if (adversary == Adversary::LateWarp || adversary == Adversary::SlowWarp)
    return uint64_t{warp} << kWarpShift | static_cast<uint64_t>(adversary) << kAdversaryShift | seed;
  if (adversary == Adversary::SlowBlock)
    return uint64_t{block} << kBlockShift | static_cast<uint64_t>(adversary) << kAdversaryShift | seed;
  return uint64_t{device} << kDeviceShift | uint64_t{warpgroup} << kWarpgroupShift |
         static_cast<uint64_t>(adversary) << kAdversaryShift | seed;
}

Result<uint64_t> parseSchedule(std::string_view text) {
  if (auto seed = parseInteger<uint32_t>(text))
    return uint64_t{*seed};
  std::string_view name = text.substr(0, text.find(':'));
  Schedule schedule;
  if (name.size() < text.size()) {
    auto seed = parseInteger<uint32_t>(text.substr(name.size() + 1));
    if (!seed)
      return noSchedule(text);
    schedule.seed = *seed;
  }
  if (name == kSlowCopies) {
    schedule.adversary = Adversary::SlowCopies;
  } else if (name == kLateArrivals) {
    schedule.adversary = Adversary::LateArrivals;
  } else if (name == kLateSignals) {
    schedule.adversary = Adversary::LateSignals;
  } else if (name == kSlowLink) {
    schedule.adversary = Adversary::SlowLink;
  } else if (name.starts_with(kSlowDevice)) {
    auto device = parseInteger<uint32_t>(name.substr(kSlowDevice.size()));
    if (!device || *device >= kMaxDevices)
      return noSchedule(text);
    schedule.adversary = Adversary::SlowDevice;
    schedule.device = *device;
  } else if (name.starts_with(kSlowBlock)) {
    auto block = parseInteger<uint32_t>(name.substr(kSlowBlock.size()));
    if (!block || *block >= kMostBlocks)
      return noSchedule(text);
    schedule.adversary = Adversary::SlowBlock;
    schedule.block = *block;
  } else if (name.starts_with(kLateWarp)) {
    auto warp = parseInteger<uint32_t>(name.substr(kLateWarp.size()));
    if (!warp || *warp >= kMostWarps)
      return noSchedule(text);
    return Schedule::late(*warp, schedule.seed).number();
  } else if (name.starts_with(kSlowWarp)) {
    auto warp = parseInteger<uint32_t>(name.substr(kSlowWarp.size()));
    if (!warp || *warp >= kMostWarpsOfBlock)
      return noSchedule(text);
    schedule.adversary = Adversary::SlowWarp;
    schedule.warp = *warp;
  } else if (name.starts_with(kSlowWarpgroup)) {
    auto warpgroup = parseInteger<uint32_t>(name.substr(kSlowWarpgroup.size()));
    if (!warpgroup || *warpgroup >= kMostWarpgroups)
      return noSchedule(text);
    schedule.adversary = Adversary::SlowWarpgroup;
    schedule.warpgroup = *warpgroup;
  } else {
    return noSchedule(text);
  }
  return schedule.number();
}

std::string scheduleText(uint64_t number) {
  Schedule schedule = Schedule::of(number);
  std::string out;
  switch (schedule.adversary) {
  case Adversary::None: return text(schedule.seed);
  case Adversary::SlowCopies: out = kSlowCopies; break;
  case Adversary::SlowWarpgroup: out = text(kSlowWarpgroup, schedule.warpgroup); break;
  case Adversary::SlowWarp: out = text(kSlowWarp, schedule.warp); break;
  case Adversary::LateArrivals: out = kLateArrivals; break;
  case Adversary::SlowDevice: out = text(kSlowDevice, schedule.device); break;
  case Adversary::SlowLink: out = kSlowLink; break;
  case Adversary::LateSignals: out = kLateSignals; break;
  case Adversary::SlowBlock: out = text(kSlowBlock, schedule.block); break;
  case Adversary::LateWarp: return text(kLateWarp, schedule.warp, ":", schedule.seed);
  }
  return schedule.seed ? text(out, ":", schedule.seed) : out;
}

ScheduleExtent ScheduleExtent::of(const Launch &launch) {
  uint64_t threads = 1, blocks = 1;
  for (int n = 0; n < 3; ++n) {
    threads *= launch.block[n];
    blocks = std::min<uint64_t>(blocks * launch.grid[n], std::numeric_limits<uint32_t>::max());
  }
  return {.warpgroups = static_cast<uint32_t>((threads + 127) / 128),
          .warps = static_cast<uint32_t>((threads + 31) / 32),
          .devices = launch.deviceCount(),
          .blocks = static_cast<uint32_t>(blocks),
          .clusterWidth = std::max(launch.cluster[0], 1u)};
}

void ScheduleExtent::unite(const ScheduleExtent &other) {
  warpgroups = std::max(warpgroups, other.warpgroups);
  warps = std::max(warps, other.warps);
  devices = std::max(devices, other.devices);
  blocks = std::max(blocks, other.blocks);
  clusterWidth = std::max(clusterWidth, other.clusterWidth);
}

void dropBlockSchedules(std::vector<uint64_t> &schedules) {
  std::erase_if(schedules, [](uint64_t number) { return Schedule::of(number).adversary >= Adversary::SlowBlock; });
}

std::vector<uint64_t> schedulesOf(uint32_t seeds, bool adversaries, const ScheduleExtent &extent) {
  std::vector<uint64_t> all;
  auto [warpgroups, warps, devices, blocks, width] = extent;
  // The first block or the last one often does what the others do not. Blocks between them are often alike.
  std::vector<uint32_t> slow{0, blocks - 1};
  for (uint32_t block = width; slow.size() < kMostSlowBlocks && block < blocks - 1; block += width)
    slow.push_back(block);
  // Blocks of other devices would poll for as long as one block is slow, so with several devices whole devices are
  // slow.
  if (blocks <= width || blocks > kMostBlocks || devices > 1)
    slow.clear();
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    all.push_back(seed);
    if (!adversaries)
      continue;
    if (!slow.empty())
      all.push_back(Schedule{seed, Adversary::LateSignals}.number());
    for (uint32_t block : slow)
      all.push_back(Schedule{.seed = seed, .adversary = Adversary::SlowBlock, .block = block}.number());
    if (seed == 0 && warps > 1) // the first warp or the last one often does what the others do not
      for (uint32_t n = 0; n < std::min(warps, kMostSlowWarps); ++n)
        all.push_back(Schedule{.adversary = Adversary::SlowWarp,
                               .warp = n == 0   ? 0
                                       : n == 1 ? warps - 1
                                                : n - 1}
                          .number());
    all.push_back(Schedule{seed, Adversary::SlowCopies}.number());
    all.push_back(Schedule{seed, Adversary::LateArrivals}.number());
    for (uint32_t warpgroup = 0; warpgroups > 1 && warpgroup < warpgroups && warpgroup < kMostWarpgroups; ++warpgroup)
      all.push_back(Schedule{seed, Adversary::SlowWarpgroup, warpgroup}.number());
    if (devices > 1)
      all.push_back(Schedule{seed, Adversary::SlowLink}.number());
    for (uint32_t device = 0; devices > 1 && device < devices; ++device)
      all.push_back(Schedule{seed, Adversary::SlowDevice, 0, device}.number());
  }
  return all;
}

} // namespace lanescope::core
