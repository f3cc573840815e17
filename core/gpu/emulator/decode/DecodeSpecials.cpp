// Special registers. Most are slots that are filled when a warp starts. Clocks are read when the instruction runs.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/ClockNames.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

struct SpecialName {
  std::string_view name;
  Special kind;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%nwarpid", Special::NwarpId},
    {"%smid", Special::SmId},
    {"%nsmid", Special::NsmId},
    {"%gridid", Special::GridId},
    {"%lanemask_eq", Special::LanemaskEq},
    {"%lanemask_lt", Special::LanemaskLt},
    {"%lanemask_le", Special::LanemaskLe},
    {"%lanemask_gt", Special::LanemaskGt},
    {"%lanemask_ge", Special::LanemaskGe},
    {"%clusterid.x", Special::ClusterX},
    {"%clusterid.y", Special::ClusterY},
    {"%clusterid.z", Special::ClusterZ},
    {"%nclusterid.x", Special::NclusterX},
    {"%nclusterid.y", Special::NclusterY},
    {"%nclusterid.z", Special::NclusterZ},
    {"%is_explicit_cluster", Special::IsExplicitCluster},
    {"%cluster_ctarank", Special::ClusterRank},
    {"%cluster_nctarank", Special::ClusterSize},
    {"%cluster_ctaid.x", Special::ClusterCtaX},
    {"%cluster_ctaid.y", Special::ClusterCtaY},
    {"%cluster_ctaid.z", Special::ClusterCtaZ},
    {"%cluster_nctaid.x", Special::ClusterNctaX},
    {"%cluster_nctaid.y", Special::ClusterNctaY},
    {"%cluster_nctaid.z", Special::ClusterNctaZ},
    {"%dynamic_smem_size", Special::DynamicSmemSize},
    {"%total_smem_size", Special::TotalSmemSize},
    {"%envreg1", Special::WorkspaceHigh},
    {"%envreg2", Special::WorkspaceLow},
    {"%aggr_smem_size", Special::TotalSmemSize}, // includes the system's part, which is empty here
};

constexpr std::string_view kZeroSpecials[] = {"%envreg", "%pm", "%current_graph_exec"};

/// Reads the instruction's clocks, then runs it.
Step runWithClocks(Warp &warp, const Instr &i, uint32_t mask) {
  const Program &program = *warp.block->grid->program;
  uint32_t pc = warp.block->grid->pcOf(i);
  auto use = std::ranges::lower_bound(program.clockUses, pc, {}, &ClockUse::pc);
  for (const ClockUse::Read &read : use->reads) {
    uint64_t now = clockNow(warp.time * warp.block->grid->clockRate, read.kind);
    for (size_t lane = 0; lane < 32; ++lane)
      if (isWideClock(read.kind))
        warp.reg<uint64_t>(read.slot)[lane] = now;
      else
        warp.reg<uint32_t>(read.slot)[lane] = static_cast<uint32_t>(now);
  }
  return use->run(warp, i, mask);
}

} // namespace

uint32_t Decoder::specialSlot(std::string_view name, uint32_t bits) {
  if (std::optional<uint32_t> known = file_.special(name, bits))
    return *known;
  if (name.starts_with(kReservedPrefix))
    return reservedSlot(name.substr(kReservedPrefix.size()), bits);
  const bool ofClusters = name.starts_with("%cluster") || name.starts_with("%ncluster") ||
                          name == "%is_explicit_cluster" || name == "%aggr_smem_size";
  if (ofClusters && !requireTarget(90, text("`", name, "`")))
    return 0;
  const auto *special = std::ranges::find(kSpecials, name, &SpecialName::name);
  // Registers that the emulator has no value for: the fourth component of a vector, the driver's registers, counters.
  std::string first = text(name.substr(0, name.find('.')), ".x");
  bool vector = std::ranges::find(kSpecials, std::string_view(first), &SpecialName::name) != std::end(kSpecials);
  bool zero = (vector && name.ends_with(".w")) ||
              std::ranges::any_of(kZeroSpecials, [&](std::string_view begin) { return name.starts_with(begin); });
  if (special == std::end(kSpecials) && !zero) {
    fail(Message("unknown register `{register}`", name));
    return 0;
  }
  Special kind = special == std::end(kSpecials) ? Special::Zero : special->kind;
  uint32_t slot = checked(file_.addSpecial(name, bits));
  program_.specials.push_back({kind, slot, std::max(bits, 16u) / 8});
  program_.readsGridWorkspace |= kind == Special::WorkspaceLow;
  return slot;
}

/// PTX ISA, "%reserved_smem_offset_<2>" and the related registers. Users of the second part clear it first. Cooperative
/// groups use it for tiles of several warps.
uint32_t Decoder::reservedSlot(std::string_view part, uint32_t bits) {
  if (part == "cap")
    return constant(kReservedShared, bits);
  uint32_t offset = part == "end" ? kReservedShared : part == "1" ? kReservedShared / 2 : 0;
  if (offset == 0 && part != "begin" && part != "0") {
    fail(Message("unknown register `{}{}`", kReservedPrefix, part));
    return 0;
  }
  return sharedAddress(reserved_ + offset, bits);
}

uint32_t Decoder::clockSlot(const ClockName &clock) {
  uint32_t slot = allocate(64);
  clockReads_.push_back({clock.kind, slot});
  program_.readsClock = true;
  return slot;
}

Handler Decoder::clockRunner() { return &runWithClocks; }

} // namespace lanescope::core::emulator
