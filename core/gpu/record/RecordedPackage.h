// A recorded launch as a package (core/gpu/runtime/Package.h): a launch description whose buffers are the snapshot's
// pieces, and `recorded.json` with further facts.
//
//   auto package = describe(launch, snapshot);
//   writePackage(folder / "scale.lspkg", *package, snapshot, nullptr);       // before the launch
//   writePackage(folder / "scale.lspkg", *package, snapshot, &outcome);      // after it
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "core/gpu/record/Images.h"
#include "core/gpu/record/Snapshot.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::core::record {

inline constexpr char kKind[] = "record"; // the kind of all errors about recording

/// TMA descriptors by their bytes, with the address of their array.
struct KnownMap {
  TensorMapSpec spec;
  uint64_t address = 0;
};
using KnownMaps = std::map<std::array<uint64_t, 16>, KnownMap>;

struct RecordedLaunch {
  KernelImage kernel;
  uint64_t number = 0; // its number in the process, from 1 on
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t sharedBytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<std::vector<std::byte>> parameters;
  std::map<std::string, Place> variables; // the module's variables and their places in the snapshot
  std::map<std::string, std::string> device;
  std::vector<std::string> stack, pythonStack;
  std::string graph; // for a graph's kernel: its node, and when its memory was read; else empty
  int registers = 0;
};

struct Outcome {
  std::string state; // "complete", "running" (past the time limit), "failed"
  int error = 0;
  double timeUs = 0; // on the host's clock, including waits
};

struct PackagePlan {
  Launch launch;
  std::vector<size_t> pieces; // indexed by buffer of the launch
  std::string arch;
};

/// Error: the launch cannot be described; the message has the reason.
Result<PackagePlan> describe(const RecordedLaunch &launch, const Snapshot &snapshot, const KnownMaps &maps);

/// Writes the folder under a temporary name and renames it, so that it is never incomplete. With `outcome`, the new
/// folder replaces the one that was written before the launch. Errors: "unwritable-file".
Result<void> writePackage(const std::filesystem::path &folder, const RecordedLaunch &launch, const PackagePlan &plan,
                          const Snapshot &snapshot, bool arrays, const Outcome *outcome);

} // namespace lanescope::core::record
