// A kernel's call as a frame: what the process of a program sends for each call (docs/worker-protocol.md).
//
//   core::Frame frame = encodeCall(launch, wholeText);      // in the program's process
//   Result<KernelLaunch> launch = decodeCall(frame);        // in the window, `check` and `debug`
//
// It holds what a package holds and more: the kernel's module with places in the user's files, PTX, launch, arrays,
// findings and trace. All places of a decoded call are in the sources of that call.
#pragma once

#include "core/gpu/runtime/Frames.h"
#include "repl/kernel/launch/Launches.h"

#include <functional>

namespace lanescope::repl {

/// The kind of every error about a program's process and what it sends.
inline constexpr char kProgramKind[] = "program";

/// The text of a file of that name as it is on the disk; null: there is none. A kernel that was read from a function's
/// text alone has its places in that text, and they are moved to the file's.
using WholeText = std::function<SourceRef(const std::string &name)>;

/// Bytes of arrays, inputs and outputs together, above which a call is sent without them.
inline constexpr uint64_t kMostCallBytes = uint64_t{256} << 20;

core::Frame encodeCall(const KernelLaunch &launch, const WholeText &whole = nullptr);
/// Errors: "program": the frame is not what encodeCall makes.
Result<KernelLaunch> decodeCall(const core::Frame &frame);

} // namespace lanescope::repl
