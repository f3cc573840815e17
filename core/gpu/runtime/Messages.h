// The messages of the worker's protocol as data, and their conversion to and from frames. docs/worker-protocol.md lists
// them.
#pragma once

#include "core/gpu/runtime/Frames.h"
#include "core/gpu/runtime/Gpu.h"
#include "core/gpu/runtime/RunRequest.h"

#include <optional>
#include <variant>

namespace lanescope::core {

/// The first message of each side. Only the worker sets `gpu` and `problem`.
struct Hello {
  std::string program; // "lanescope-worker 0.1.0"
  std::optional<GpuInfo> gpu = {};
  std::string problem;        // the reason why there is no GPU
  bool endsWithInput = false; // only the session sets it: if the worker's input ends, the session has ended
};

/// The worker's current activity, sent during a run.
struct ProgressNote {
  std::string stage;
};

/// A failed run. `fatal`: the worker ends now.
struct Failure {
  Diagnostics diagnostics;
  bool fatal = false;
};

using WorkerMessage = std::variant<Hello, RunRequest, ProgressNote, RunReply, Failure>;

/// Encodes a message. Arrays are not copied, so the message must outlive the frame.
OutgoingFrame outgoing(const WorkerMessage &message);
OutgoingFrame outgoing(const RunRequest &request);
Bytes encodeMessage(const WorkerMessage &message);
/// Errors: "worker-protocol"; for a run with a malformed launch, those of parseLaunch.
Result<WorkerMessage> decodeMessage(Frame frame);
/// The announcement in a frame that has begun but is not complete. Nothing if the frame is not a run, if its PTX is
/// incomplete, or if it has an error, which decodeMessage() will report.
std::optional<Announcement> announcementOf(const Frame &begun);

} // namespace lanescope::core
