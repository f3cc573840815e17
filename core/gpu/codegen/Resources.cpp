#include "core/gpu/codegen/Resources.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

namespace {

constexpr int64_t kHeavySpills = 128; // bytes per thread: as much as 32 registers

std::string bytesText(int64_t bytes) {
  return bytes % 1024 == 0 && bytes > 0 ? text(bytes / 1024, " KiB") : text(bytes, " bytes");
}

} // namespace

KernelResources resourcesOf(const CompiledKernel &kernel) {
  KernelResources out;
  const auto &block = kernel.launch.block;
  out.threads = static_cast<int>(block[0] * block[1] * block[2]);
  out.sharedBytes = kernel.launch.dynamicSmem;
  if (auto report = assemblyReport(kernel.ptx, kernel.arch)) {
    out.sharedBytes += report->staticSharedBytes;
    out.assembly = *report;
  }
  const GpuTarget *target = findGpuTarget(kernel.arch);
  out.occupancy = occupancyOf(target ? *target : defaultGpuTarget(), out.threads,
                              out.assembly ? static_cast<int>(out.assembly->registers) : 0, out.sharedBytes);
  return out;
}

std::string resourceWords(const KernelResources &resources) {
  std::string out = text(resources.threads, " threads");
  if (const auto &assembly = resources.assembly) {
    int64_t spilled = assembly->spillStoreBytes;
    out += text(" of ", assembly->registers, " registers, ",
                spilled + assembly->spillLoadBytes == 0
                    ? "no spills"
                    : text(spilled, " bytes spilled and ", assembly->spillLoadBytes, " read back"));
  }
  out += text("; ", bytesText(resources.sharedBytes), " of shared memory; ", resources.occupancy.blocks,
              resources.occupancy.blocks == 1 ? " block fits" : " blocks fit", " a multiprocessor, limited by ",
              resources.occupancy.limit);
  if (!resources.assembly)
    out += " (registers unknown: there is no `ptxas`)";
  return out;
}

std::optional<Diagnostic> spillNote(const std::string &kernel, const KernelResources &resources) {
  if (!resources.assembly || resources.assembly->spillStoreBytes + resources.assembly->spillLoadBytes < kHeavySpills)
    return std::nullopt;
  return Diagnostic{Severity::Note,
                    "spills",
                    {},
                    text("kernel `", kernel, "` has too few registers: each thread spills ",
                         resources.assembly->spillStoreBytes, " bytes to local memory and reads ",
                         resources.assembly->spillLoadBytes,
                         " back; smaller tiles, or more warpgroups for the same tile, need fewer"),
                    {}};
}

} // namespace lanescope::core
