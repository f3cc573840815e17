// A recorded launch as a package (core/gpu/runtime/Package.h): a launch description whose buffers are the pieces of the
// snapshot, and `recorded.json` with what is known beside.
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

/// TMA descriptors by their bytes, with the address that they are over.
struct KnownMap {
  TensorMapSpec spec;
  uint64_t address = 0;
};
using KnownMaps = std::map<std::array<uint64_t, 16>, KnownMap>;

struct RecordedLaunch {
  KernelImage kernel;
  uint64_t number = 0; // counts the process's launches from 1 on
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t sharedBytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<std::vector<std::byte>> parameters;
  std::map<std::string, Place> variables; // the module's, in the snapshot
  std::map<std::string, std::string> device;
  std::vector<std::string> stack, pythonStack;
  int registers = 0;
};

struct Outcome {
  std::string state; // "complete", "running": the time was up, "failed"
  int error = 0;
  double timeUs = 0; // on the host's clock, waiting included
};

struct PackagePlan {
  Launch launch;
  std::vector<size_t> pieces; // by buffer of the launch
  std::string arch;
};

/// Error: the launch cannot be described; it says why.
Result<PackagePlan> describe(const RecordedLaunch &launch, const Snapshot &snapshot, const KnownMaps &maps);

/// Writes the folder beside itself first, and renames it: it is whole or absent. With `outcome` it takes the place of
/// the one written before the launch. Errors: "unwritable-file".
Result<void> writePackage(const std::filesystem::path &folder, const RecordedLaunch &launch, const PackagePlan &plan,
                          const Snapshot &snapshot, bool arrays, const Outcome *outcome);

} // namespace lanescope::core::record
