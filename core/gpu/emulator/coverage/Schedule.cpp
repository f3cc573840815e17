#include "core/gpu/emulator/coverage/Schedule.h"

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lanescope::core {

namespace {

// A schedule's number: the seed, the adversary, and the number of what is slow or late.
constexpr int kAdversaryShift = 32, kSlowShift = 40;
constexpr uint32_t kMostWarpgroups = 8;    // in a block of 1024 threads
constexpr uint32_t kMostWarps = 512;       // in a cluster of 16 blocks
constexpr uint32_t kMostWarpsOfBlock = 32; // of 1024 threads
constexpr uint32_t kMostBlocks = 1 << (64 - kSlowShift);

// The most blocks and warps that schedulesOf() makes slow, one in each run.
constexpr size_t kMostSlowBlocks = 4;
constexpr uint32_t kMostSlowWarps = 8;

/// How a schedule is written.
struct Form {
  Adversary adversary = Adversary::None;
  std::string_view name;
  uint32_t Schedule::*slow = nullptr; // the number after the name; null: there is none
  uint32_t end = 0;                   // that number is below it
};
constexpr auto kForms = std::to_array<Form>({
    {Adversary::SlowCopies, "slow-copies"},
    {Adversary::SlowWarpgroup, "slow-warpgroup-", &Schedule::warpgroup, kMostWarpgroups},
    {Adversary::SlowWarp, "slow-warp-", &Schedule::warp, kMostWarpsOfBlock},
    {Adversary::LateArrivals, "late-arrivals"},
    {Adversary::LateSignals, "late-signals"},
    {Adversary::SlowBlock, "slow-block-", &Schedule::block, kMostBlocks},
    {Adversary::SlowDevice, "slow-device-", &Schedule::device, kMaxDevices},
    {Adversary::SlowLink, "slow-link"},
    {Adversary::LateWarp, "late-warp-", &Schedule::warp, kMostWarps},
});

/// Null for Adversary::None.
const Form *formOf(Adversary adversary) {
  auto form = std::ranges::find(kForms, adversary, &Form::adversary);
  return form == kForms.end() ? nullptr : &*form;
}

std::unexpected<Diagnostics> noSchedule(std::string_view text) {
  std::string known;
  for (const Form &form : kForms)
    if (form.adversary != Adversary::LateWarp)
      known += lanescope::text(known.empty() ? "`" : ", `", form.name, form.slow ? "N`" : "`");
  return error("schedule",
               Message("there is no schedule `{}`; it is a seed such as `3`, or one of {}, with a seed after a colon: "
                       "`slow-copies:3`; or `late-warp-N:K`, warp N late for its operation K",
                       text, known));
}

} // namespace

Schedule Schedule::of(uint64_t number) {
  Schedule schedule{.seed = static_cast<uint32_t>(number)};
  const Form *form = formOf(static_cast<Adversary>(number >> kAdversaryShift & 0xFF));
  if (!form)
    return schedule;
  schedule.adversary = form->adversary;
  if (form->slow)
    schedule.*form->slow = static_cast<uint32_t>(number >> kSlowShift) % form->end;
  return schedule;
}

uint64_t Schedule::number() const {
  const Form *form = formOf(adversary);
  uint64_t slow = form && form->slow ? this->*form->slow : 0;
  return slow << kSlowShift | static_cast<uint64_t>(adversary) << kAdversaryShift | seed;
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
  for (const Form &form : kForms) {
    if (form.slow ? !name.starts_with(form.name) : name != form.name)
      continue;
    schedule.adversary = form.adversary;
    if (!form.slow)
      return schedule.number();
    auto slow = parseInteger<uint32_t>(name.substr(form.name.size()));
    if (!slow || *slow >= form.end)
      return noSchedule(text);
    schedule.*form.slow = *slow;
    return schedule.number();
  }
  return noSchedule(text);
}

std::string scheduleText(uint64_t number) {
  const Schedule schedule = Schedule::of(number);
  const Form *form = formOf(schedule.adversary);
  if (!form)
    return text(schedule.seed);
  std::string out(form->name);
  if (form->slow)
    out += text(schedule.*form->slow);
  // The operation of a late warp is always written, although the first one has the number 0.
  return schedule.seed || form->adversary == Adversary::LateWarp ? text(out, ":", schedule.seed) : out;
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
