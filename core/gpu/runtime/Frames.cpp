#include "core/gpu/runtime/Frames.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace lanescope::core {

namespace {

constexpr char kMark[3] = {'L', 'S', 'W'};
constexpr size_t kHeadBytes = 16, kVersionAt = 3, kJsonBytesAt = 4, kBlobBytesAt = 8;
constexpr uint32_t kLargestJson = 64u << 20;
constexpr uint64_t kMostReserved = uint64_t{256} << 20; // more is believed when it comes

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

OutgoingFrame outgoingFrame(std::string_view json, std::vector<std::span<const std::byte>> parts) {
  auto jsonBytes = static_cast<uint32_t>(json.size());
  uint64_t blobBytes = 0;
  for (std::span<const std::byte> part : parts)
    blobBytes += part.size();
  std::vector<std::byte> out(kHeadBytes);
  std::memcpy(out.data(), kMark, sizeof kMark);
  out[kVersionAt] = static_cast<std::byte>('0' + kProtocolVersion);
  std::memcpy(out.data() + kJsonBytesAt, &jsonBytes, sizeof jsonBytes);
  std::memcpy(out.data() + kBlobBytesAt, &blobBytes, sizeof blobBytes);
  std::ranges::copy(std::as_bytes(std::span(json)), std::back_inserter(out));
  return {std::move(out), std::move(parts)};
}

std::vector<std::byte> bytesOf(const OutgoingFrame &frame) {
  std::vector<std::byte> out = frame.head;
  for (std::span<const std::byte> part : frame.parts)
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

void FrameReader::feed(std::span<const std::byte> bytes) {
  if (begun_) {
    auto missing = bytes.first(std::min<uint64_t>(bytes.size(), blobBytes_ - begun_->blob.size()));
    begun_->blob.insert(begun_->blob.end(), missing.begin(), missing.end());
    bytes = bytes.subspan(missing.size());
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

Result<void> FrameReader::begin() {
  size_t known = std::min(pending_.size(), sizeof kMark);
  if (known > 0 && std::memcmp(pending_.data(), kMark, known) != 0)
    return error("worker-protocol",
                 text("the worker does not speak Lanescope's protocol; it says `", excerpt(pending_), "`"));
  if (pending_.size() > kVersionAt && pending_[kVersionAt] != static_cast<std::byte>('0' + kProtocolVersion))
    return error("worker-protocol",
                 text("the worker speaks version ", std::to_integer<int>(pending_[kVersionAt]) - '0',
                      " of the protocol, this program version ", kProtocolVersion, "; use programs of one release"));
  if (pending_.size() < kHeadBytes)
    return {};
  uint32_t jsonBytes;
  uint64_t blobBytes;
  std::memcpy(&jsonBytes, pending_.data() + kJsonBytesAt, sizeof jsonBytes);
  std::memcpy(&blobBytes, pending_.data() + kBlobBytesAt, sizeof blobBytes);
  if (jsonBytes > kLargestJson || blobBytes > largestBlob_)
    return error("worker-protocol",
                 text("a message of ", jsonBytes, " + ", blobBytes, " bytes is larger than any may be"));
  if (pending_.size() < kHeadBytes + jsonBytes)
    return {};
  begun_.emplace().json.assign(reinterpret_cast<const char *>(pending_.data()) + kHeadBytes, jsonBytes);
  begun_->blob.reserve(std::min(blobBytes, kMostReserved));
  blobBytes_ = blobBytes;
  std::vector<std::byte> rest(pending_.begin() + static_cast<ptrdiff_t>(kHeadBytes + jsonBytes), pending_.end());
  pending_.clear();
  feed(rest);
  return {};
}

Result<std::optional<Frame>> FrameReader::next() {
  if (!begun_)
    LANESCOPE_CHECK(begin());
  if (!begun_ || begun_->blob.size() < blobBytes_)
    return std::nullopt;
  return std::exchange(begun_, std::nullopt);
}

} // namespace lanescope::core
