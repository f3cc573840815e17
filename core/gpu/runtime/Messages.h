// The messages of the worker's protocol as data, to and from frames. docs/worker-protocol.md lists them.
#pragma once

#include "core/gpu/runtime/Frames.h"
#include "core/gpu/runtime/Gpu.h"
#include "core/gpu/runtime/RunRequest.h"

#include <optional>
#include <variant>

namespace lanescope::core {

/// Either side's first message. `gpu` and `problem` are the worker's.
struct Hello {
  std::string program; // "lanescope-worker 0.1.0"
  std::optional<GpuInfo> gpu = {};
  std::string problem;        // why there is no GPU
  bool endsWithInput = false; // the session's: the end of its output to the worker means that it is gone
};

/// What the worker is doing; sent as a run proceeds.
struct ProgressNote {
  std::string stage;
};

/// A run that failed. `fatal`: the worker ends now.
struct Failure {
  Diagnostics diagnostics;
  bool fatal = false;
};

using Message = std::variant<Hello, RunRequest, ProgressNote, RunReply, Failure>;

/// What is sent of it; arrays are not copied, so the message has to stay.
OutgoingFrame outgoing(const Message &message);
OutgoingFrame outgoing(const RunRequest &request);
std::vector<std::byte> encodeMessage(const Message &message);
/// Errors: "worker-protocol"; of a run whose launch is malformed, those of parseLaunch.
Result<Message> decodeMessage(Frame frame);
/// Of a frame that has begun. Nothing: it is no run, not all of its PTX is there, or something is wrong, which
/// decodeMessage() will tell.
std::optional<Announcement> announcementOf(const Frame &begun);

} // namespace lanescope::core
