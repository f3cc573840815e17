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
constexpr uint64_t kMostReserved = uint64_t{256} << 20; // reserved in advance; a larger frame grows as it arrives

/// The first received bytes, for a message. Bytes other than printable ASCII are written as escapes, and a long text is
/// cut.
std::string excerpt(std::string_view bytes) {
  constexpr size_t kShown = 120;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (char c : bytes.substr(0, kShown)) {
    auto code = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "\\n";
    else if (c == '\\' || c == '`')
      out += {'\\', c};
    else if (c >= 0x20 && c < 0x7F)
      out += c;
    else
      out += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
  }
  return bytes.size() > kShown ? out + "…" : out;
}

std::string_view viewOf(const Bytes &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

} // namespace

OutgoingFrame outgoingFrame(std::string_view json, std::vector<std::span<const std::byte>> parts) {
  auto jsonBytes = static_cast<uint32_t>(json.size());
  uint64_t blobBytes = 0;
  for (std::span<const std::byte> part : parts)
    blobBytes += part.size();
  Bytes out(kHeadBytes);
  std::memcpy(out.data(), kMark, sizeof kMark);
  out[kVersionAt] = static_cast<std::byte>('0' + kProtocolVersion);
  std::memcpy(out.data() + kJsonBytesAt, &jsonBytes, sizeof jsonBytes);
  std::memcpy(out.data() + kBlobBytesAt, &blobBytes, sizeof blobBytes);
  std::ranges::copy(std::as_bytes(std::span(json)), std::back_inserter(out));
  return {std::move(out), std::move(parts)};
}

Bytes bytesOf(const OutgoingFrame &frame) {
  Bytes out = frame.head;
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
                 Message("the worker does not speak Lanescope's protocol; it says `{}`", excerpt(viewOf(pending_))));
  if (pending_.size() > kVersionAt && pending_[kVersionAt] != static_cast<std::byte>('0' + kProtocolVersion))
    return error(
        "worker-protocol",
        Message("the worker speaks version `{}` of the protocol, this program version {}; use programs of one release",
                excerpt(viewOf(pending_).substr(kVersionAt, 1)), kProtocolVersion));
  if (pending_.size() < kHeadBytes)
    return {};
  uint32_t jsonBytes;
  uint64_t blobBytes;
  std::memcpy(&jsonBytes, pending_.data() + kJsonBytesAt, sizeof jsonBytes);
  std::memcpy(&blobBytes, pending_.data() + kBlobBytesAt, sizeof blobBytes);
  if (jsonBytes > kLargestJson || blobBytes > largestBlob_)
    return error("worker-protocol",
                 Message("a message of {} + {bytes} bytes is larger than any may be", jsonBytes, blobBytes));
  if (pending_.size() < kHeadBytes + jsonBytes)
    return {};
  begun_.emplace().json.assign(reinterpret_cast<const char *>(pending_.data()) + kHeadBytes, jsonBytes);
  begun_->blob.reserve(std::min(blobBytes, kMostReserved));
  blobBytes_ = blobBytes;
  Bytes rest(pending_.begin() + static_cast<ptrdiff_t>(kHeadBytes + jsonBytes), pending_.end());
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

std::string FrameReader::begunText() const {
  if (begun_)
    return text(begun_->blob.size(), " of ", blobBytes_, " raw bytes, after the text `", excerpt(begun_->json), "`");
  if (pending_.empty())
    return "";
  uint32_t jsonBytes = 0;
  if (pending_.size() >= kHeadBytes)
    std::memcpy(&jsonBytes, pending_.data() + kJsonBytesAt, sizeof jsonBytes);
  return text(pending_.size(), " of ", kHeadBytes + jsonBytes, " bytes, which begin `", excerpt(viewOf(pending_)), "`");
}

} // namespace lanescope::core
