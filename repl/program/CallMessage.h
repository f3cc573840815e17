// Converts a kernel call to a frame and back. A program's process sends a frame for each call
// (docs/worker-protocol.md).
//
//   core::Frame frame = encodeCall(launch, wholeText);      // in the program's process
//   Result<KernelLaunch> launch = decodeCall(frame);        // in the window, `check` and `debug`
//
// The frame holds more than a package: the kernel's module with places in the user's files, PTX, launch, arrays,
// findings and trace. All places of a decoded call are in the call's own sources.
#pragma once

#include "core/gpu/runtime/Frames.h"
#include "repl/kernel/launch/Launches.h"

#include <functional>

namespace lanescope::repl {

/// The kind of every error about a program's process and about what the process sends.
inline constexpr char kProgramKind[] = "program";

/// Returns the file's text on the disk; null: there is none. If a kernel was read from a function's text alone, its
/// places are moved from that text to the file's.
using WholeText = std::function<SourceRef(const std::string &name)>;

/// The limit for the bytes of a call's inputs and outputs. A call with more is sent without its arrays.
inline constexpr uint64_t kMostCallBytes = uint64_t{256} << 20;

core::Frame encodeCall(const KernelLaunch &launch, const WholeText &whole = nullptr);
/// The call in a frame. Error "program": the frame is none that encodeCall() makes.
Result<KernelLaunch> decodeCall(const core::Frame &frame);

} // namespace lanescope::repl
