// The frames that the worker's protocol is made of (docs/worker-protocol.md): 16 bytes of head (mark, version,
// lengths), a JSON text, and raw bytes.
//
//   FrameReader reader;  reader.feed(bytes);
//   while (Result<std::optional<Frame>> frame = reader.next(); frame && *frame) …
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core {

inline constexpr int kProtocolVersion = 1;

struct Frame {
  std::string json;
  std::vector<std::byte> blob;
};

/// A frame as it is sent: its head and its JSON text, then raw bytes, which belong to somebody else.
struct OutgoingFrame {
  std::vector<std::byte> head;
  std::vector<std::span<const std::byte>> parts;
};

/// `json` is at most 64 MiB.
OutgoingFrame outgoingFrame(std::string_view json, std::vector<std::span<const std::byte>> parts = {});
/// All of it in one.
std::vector<std::byte> bytesOf(const OutgoingFrame &frame);

/// Takes bytes as they come and gives whole frames. What is not a frame is an error that shows what came instead; the
/// reader is of no further use then.
class FrameReader {
public:
  /// `largestBlob`: what the other side may send at most.
  explicit FrameReader(uint64_t largestBlob = uint64_t{64} << 30) : largestBlob_(largestBlob) {}
  void feed(std::span<const std::byte> bytes);
  /// Nothing: more bytes are needed. Errors: "worker-protocol".
  Result<std::optional<Frame>> next();
  /// A frame of which raw bytes are missing, with those that have come; null: none.
  const Frame *begun() const { return begun_ ? &*begun_ : nullptr; }
  /// Raw bytes of it that are missing.
  uint64_t missing() const { return begun_ ? blobBytes_ - begun_->blob.size() : 0; }
  /// Whether a frame has begun and not ended.
  bool midFrame() const { return begun_ || !pending_.empty(); }
  /// Describes the part of the frame that has arrived, for a message: "60 of 212 bytes, which begin `LSW1\xc4\0…`".
  /// Empty where no frame has begun.
  std::string begunText() const;
  void setLargestBlob(uint64_t bytes) { largestBlob_ = bytes; }

private:
  /// Takes the head and the JSON text off what is pending. Errors: those of next.
  Result<void> begin();

  std::vector<std::byte> pending_; // of no frame that has begun
  std::optional<Frame> begun_;     // all is there but some raw bytes, which go straight to their place
  uint64_t blobBytes_ = 0;         // that begun_ will have
  uint64_t largestBlob_;
};

} // namespace lanescope::core
