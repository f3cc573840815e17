// The worker's protocol, both sides: bytes in pieces of any length give the same frames. An accepted message is sent
// and read again, and is equal.
#include "core/gpu/runtime/Messages.h"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace lanescope;

/// The frames, followed by an empty one if an error ended them.
std::vector<core::Frame> framesIn(std::span<const std::byte> bytes, size_t piece) {
  core::FrameReader reader(1 << 20);
  std::vector<core::Frame> out;
  while (!bytes.empty()) {
    reader.feed(bytes.first(std::min(piece, bytes.size())));
    bytes = bytes.subspan(std::min(piece, bytes.size()));
    for (;;) {
      Result<std::optional<core::Frame>> frame = reader.next();
      if (!frame) {
        if (render(frame.error()).empty())
          std::abort();
        out.emplace_back();
        return out;
      }
      if (const core::Frame *begun = reader.begun())
        (void)core::announcementOf(*begun);
      if (!*frame)
        break;
      out.push_back(std::move(**frame));
    }
    if (reader.midFrame() == reader.begunText().empty())
      std::abort();
  }
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  std::vector<core::Frame> frames = framesIn(bytes, size);
  for (size_t piece : {1, 17}) {
    std::vector<core::Frame> same = framesIn(bytes, piece);
    if (!std::ranges::equal(frames, same, [](const core::Frame &a, const core::Frame &b) {
          return a.json == b.json && a.blob == b.blob;
        }))
      std::abort();
  }
  for (core::Frame &frame : frames) {
    Result<core::WorkerMessage> message = core::decodeMessage(std::move(frame));
    if (!message)
      continue;
    core::Bytes sent = core::encodeMessage(*message);
    std::vector<core::Frame> read = framesIn(sent, sent.size());
    Result<core::WorkerMessage> again = read.size() == 1 ? core::decodeMessage(std::move(read[0])) : error("fuzz", "");
    if (!again || core::encodeMessage(*again) != sent)
      std::abort();
  }
  return 0;
}
