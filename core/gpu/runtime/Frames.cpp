#include "core/gpu/runtime/Frames.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

namespace {

constexpr char kMark[3] = {'L', 'S', 'W'};
constexpr size_t kHeadBytes = 16, kVersionAt = 3, kJsonBytesAt = 4, kBlobBytesAt = 8;
constexpr uint32_t kLargestJson = 64u << 20;

/// The first bytes of something that is no frame, for a message: one line of printable text.
std::string excerpt(std::span<const std::byte> bytes) {
  constexpr size_t kShown = 120;
  std::string out;
  for (std::byte b : bytes.first(std::min(bytes.size(), kShown))) {
    auto c = static_cast<char>(b);
    if (c == '\n' && !out.empty())
      break;
    out += c >= 0x20 && c < 0x7F ? c : '?';
  }
  return out;
}

} // namespace

std::vector<std::byte> encodeFrame(std::string_view json, std::span<const std::byte> blob) {
  std::vector<std::byte> out(kHeadBytes + json.size() + blob.size());
  auto jsonBytes = static_cast<uint32_t>(json.size());
  uint64_t blobBytes = blob.size();
  std::memcpy(out.data(), kMark, sizeof kMark);
  out[kVersionAt] = static_cast<std::byte>('0' + kProtocolVersion);
  std::memcpy(out.data() + kJsonBytesAt, &jsonBytes, sizeof jsonBytes);
  std::memcpy(out.data() + kBlobBytesAt, &blobBytes, sizeof blobBytes);
  if (!json.empty())
    std::memcpy(out.data() + kHeadBytes, json.data(), json.size());
  if (!blob.empty())
    std::memcpy(out.data() + kHeadBytes + json.size(), blob.data(), blob.size());
  return out;
}

void FrameReader::feed(std::span<const std::byte> bytes) {
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Frame>> FrameReader::next() {
  size_t known = std::min(pending_.size(), sizeof kMark);
  if (known > 0 && std::memcmp(pending_.data(), kMark, known) != 0)
    return error("worker-protocol",
                 text("the worker does not speak Lanescope's protocol; it says `", excerpt(pending_), "`"));
  if (pending_.size() > kVersionAt && pending_[kVersionAt] != static_cast<std::byte>('0' + kProtocolVersion))
    return error("worker-protocol",
                 text("the worker speaks version ", std::to_integer<int>(pending_[kVersionAt]) - '0',
                      " of the protocol, this program version ", kProtocolVersion, "; use programs of one release"));
  if (pending_.size() < kHeadBytes)
    return std::nullopt;
  uint32_t jsonBytes;
  uint64_t blobBytes;
  std::memcpy(&jsonBytes, pending_.data() + kJsonBytesAt, sizeof jsonBytes);
  std::memcpy(&blobBytes, pending_.data() + kBlobBytesAt, sizeof blobBytes);
  if (jsonBytes > kLargestJson || blobBytes > largestBlob_)
    return error("worker-protocol",
                 text("a message of ", jsonBytes, " + ", blobBytes, " bytes is larger than any may be"));
  uint64_t total = kHeadBytes + jsonBytes + blobBytes;
  if (pending_.size() < total)
    return std::nullopt;
  Frame frame;
  frame.json.assign(reinterpret_cast<const char *>(pending_.data()) + kHeadBytes, jsonBytes);
  auto blob = pending_.begin() + static_cast<ptrdiff_t>(kHeadBytes + jsonBytes);
  frame.blob.assign(blob, blob + static_cast<ptrdiff_t>(blobBytes));
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(total));
  return frame;
}

} // namespace lanescope::core
