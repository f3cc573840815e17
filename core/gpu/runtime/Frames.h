// The frames of the worker's protocol (docs/worker-protocol.md): a head of 16 bytes (mark, version, lengths), a JSON
// text, and raw bytes.
//
//   FrameReader reader;  reader.feed(bytes);
//   while (Result<std::optional<Frame>> frame = reader.next(); frame && *frame) …
#pragma once

#include "core/data/Bytes.h"
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
  Bytes blob;
};

/// A frame to send: its head and JSON text, and raw bytes that it does not own.
struct OutgoingFrame {
  Bytes head;
  std::vector<std::span<const std::byte>> parts;
};

/// `json` may have at most 64 MiB.
OutgoingFrame outgoingFrame(std::string_view json, std::vector<std::span<const std::byte>> parts = {});
/// The whole frame as one array of bytes.
Bytes bytesOf(const OutgoingFrame &frame);

/// Takes bytes as they arrive and returns whole frames. If the bytes are not a frame, next() returns an error that
/// shows them, and the reader cannot be used afterwards.
class FrameReader {
public:
  /// `largestBlob`: limit for the raw bytes of a frame.
  explicit FrameReader(uint64_t largestBlob = uint64_t{64} << 30) : largestBlob_(largestBlob) {}
  void feed(std::span<const std::byte> bytes);
  /// Returns nothing if more bytes are needed. Errors: "worker-protocol".
  Result<std::optional<Frame>> next();
  /// The frame of which only raw bytes are missing, with the raw bytes received so far; null if there is none.
  const Frame *begun() const { return begun_ ? &*begun_ : nullptr; }
  /// The number of raw bytes that this frame still lacks.
  uint64_t missing() const { return begun_ ? blobBytes_ - begun_->blob.size() : 0; }
  /// True if a frame has begun and not ended.
  bool midFrame() const { return begun_ || !pending_.empty(); }
  /// Describes the received part of a frame, for a message: "60 of 212 bytes, which begin `LSW1\xc4\0…`". Empty if no
  /// frame has begun.
  std::string begunText() const;
  void setLargestBlob(uint64_t bytes) { largestBlob_ = bytes; }

private:
  /// Parses the head and the JSON text of pending bytes. Errors: those of next.
  Result<void> begin();

  Bytes pending_;              // the bytes of the next frame, until its head and JSON text are complete
  std::optional<Frame> begun_; // The frame of which only raw bytes are missing; they are received directly into it.
  uint64_t blobBytes_ = 0;     // the number of raw bytes of begun_
  uint64_t largestBlob_;
};

} // namespace lanescope::core
