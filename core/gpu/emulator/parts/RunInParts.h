// Runs a launch in parts, and keeps how far it has come in a file. A run that is stopped, by a signal, by its time
// limit or by the end of its machine, goes on from the last part when it is called again.
//
//   CheckpointFile file{.path = "run.checkpoint", .key = hashOfEverything};
//   Result<RunResult> result = emulateInParts(ptx, launch, arrays, options, file);
//
// Only blocks that cannot communicate are independent enough. Their parts begin from the memory that earlier parts
// left. The checker sees one part at a time. So the runner compares which bytes the parts have read and written: if two
// parts use the same byte and one writes it, the launch runs again, in one piece.
//
// Until something is found, the file is kept up to date. After a finding it stays as it is: a later call finds it
// again. A fault ends the run after its part, unless EmulatorOptions::keepGoing is set.
#pragma once

#include "core/gpu/emulator/Emulator.h"

#include <filesystem>
#include <string>

namespace lanescope::core {

struct CheckpointFile {
  std::filesystem::path path;
  std::string key;          // identifies the launch, its arrays and options
  double everySeconds = 10; // between two writes; more if a write takes longer than a fortieth of that
  double partSeconds = 2;   // the aim for a part; parts are longer where copying the arrays takes long
};

/// Like emulate(), on one device and without `bounds`. Modelled cycles are the sum of those of the parts. Removes the
/// file when the launch has ended. Errors: "checkpoint": the file is damaged or of another launch; the kernel's blocks
/// can communicate; "unwritable-file".
Result<RunResult> emulateInParts(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays,
                                 EmulatorOptions options, const CheckpointFile &file);

} // namespace lanescope::core
