#include "core/gpu/driver/FatBinary.h"

#include "layouts/support/Try.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

namespace lanescope::core::driver {

namespace {

constexpr char kKind[] = "cuda-image";
constexpr uint32_t kWrapperMagic = 0x466243b1, kContainerMagic = 0xba55ed50, kElfMagic = 0x464c457f;
constexpr uint16_t kPtx = 1, kElf = 2;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr size_t kContainerHeader = 16, kFileHeader = 64, kMostText = size_t{1} << 30;

// Byte offsets of the fields in a file's header.
enum FileField : size_t {
  kFileKind = 0,
  kHeaderBytes = 4,
  kPayload = 8,
  kCompressed = 16,
  kTarget = 28,
  kFlags = 40,
  kText = 56
};

template <typename Number> Number at(std::span<const std::byte> bytes, size_t offset) {
  Number out{};
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

/// libzstd is loaded on first use, because programs without such images need not have it.
Result<std::string> decompressZstd(std::span<const std::byte> from, size_t size) {
  struct Zstd {
    size_t (*decompress)(void *, size_t, const void *, size_t) = nullptr;
    unsigned long long (*contentSize)(const void *, size_t) = nullptr; // the size stated in the compressed data
  };
  static const Zstd zstd = [] {
    Zstd out;
    if (void *library = ::dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL)) {
      out.decompress = reinterpret_cast<decltype(out.decompress)>(::dlsym(library, "ZSTD_decompress"));
      out.contentSize = reinterpret_cast<decltype(out.contentSize)>(::dlsym(library, "ZSTD_getFrameContentSize"));
    }
    return out;
  }();
  if (!zstd.decompress || !zstd.contentSize)
    return error(kKind, "the image is compressed with zstd, and there is no libzstd.so.1: install libzstd1, or build "
                        "with `nvcc --no-compress`");
  auto damaged = [] { return error(kKind, "the image is compressed with zstd, and damaged"); };
  // Check this before allocating, because the header may claim any size.
  if (zstd.contentSize(from.data(), from.size()) != size)
    return damaged();
  std::string out(size, '\0');
  if (zstd.decompress(out.data(), out.size(), from.data(), from.size()) != size)
    return damaged();
  return out;
}

Result<std::string> textOf(std::span<const std::byte> header, std::span<const std::byte> payload) {
  auto flags = at<uint64_t>(header, kFlags);
  std::string out;
  if ((flags & (kLz4 | kZstd)) == 0) {
    out.assign(reinterpret_cast<const char *>(payload.data()), payload.size());
  } else {
    auto bytes = std::min<size_t>(at<uint32_t>(header, kCompressed), payload.size());
    auto size = at<uint64_t>(header, kText);
    if (size > kMostText)
      return error(kKind, Message("PTX of {bytes} bytes in a fat binary", size));
    auto whole = flags & kLz4 ? decompressLz4(payload.first(bytes), size) : decompressZstd(payload.first(bytes), size);
    out = LANESCOPE_TRY(std::move(whole));
  }
  out.resize(std::min(out.size(), out.find('\0')));
  return out;
}

/// Reads the `.target` of the text.
PtxText describe(std::string text) {
  PtxText out;
  std::string_view rest = text;
  size_t at = rest.find(".target");
  at = at == rest.npos ? at : rest.find("sm_", at);
  if (at != rest.npos) {
    const char *begin = rest.data() + at + 3, *end = rest.data() + rest.size();
    const char *after = std::from_chars(begin, end, out.target).ptr;
    out.specific = after < end && (*after == 'a' || *after == 'f');
  }
  out.text = std::move(text);
  return out;
}

/// The size in bytes stated by a container.
size_t sizeOfContainer(std::span<const std::byte> begin) { return at<uint16_t>(begin, 6) + at<uint64_t>(begin, 8); }

Result<void> readInto(Image &image, std::span<const std::byte> bytes) {
  if (bytes.size() < kContainerHeader || at<uint32_t>(bytes, 0) != kContainerMagic)
    return error(kKind, "the image is no fat binary");
  size_t whole = std::min(sizeOfContainer(bytes), bytes.size());
  size_t place = at<uint16_t>(bytes, 6);
  while (place + kFileHeader <= whole) {
    auto header = bytes.subspan(place, whole - place);
    size_t headerBytes = at<uint32_t>(header, kHeaderBytes);
    size_t payload = std::max(at<uint32_t>(header, kPayload), at<uint32_t>(header, kCompressed));
    if (headerBytes < kFileHeader || headerBytes > header.size() || payload > header.size() - headerBytes)
      return error(kKind, "the fat binary is damaged: a part of it is longer than the whole");
    auto kind = at<uint16_t>(header, kFileKind);
    if (kind == kPtx)
      image.ptx.push_back(describe(LANESCOPE_TRY(textOf(header, header.subspan(headerBytes, payload)))));
    else if (kind == kElf)
      image.machineCode.push_back(static_cast<int>(at<uint32_t>(header, kTarget)));
    place += headerBytes + payload;
  }
  return {};
}

/// A container in the caller's memory, which states its own size.
std::span<const std::byte> containerAt(const void *image) {
  std::span<const std::byte> begin(static_cast<const std::byte *>(image), kContainerHeader);
  return {begin.data(), sizeOfContainer(begin)};
}

} // namespace

Result<std::string> decompressLz4(std::span<const std::byte> from, size_t size) {
  auto damaged = [] { return error(kKind, "the image is compressed with LZ4, and damaged"); };
  constexpr size_t kMostOfByte = 255; // the largest value of a length's byte
  std::string out;
  if (size / kMostOfByte > from.size())
    return damaged();
  out.reserve(size);
  size_t i = 0;
  auto length = [&](size_t first) {
    size_t all = first;
    if (first == 15)
      for (uint8_t more = 255; more == 255 && i < from.size();)
        all += more = static_cast<uint8_t>(from[i++]);
    return all;
  };
  while (i < from.size()) {
    auto token = static_cast<uint8_t>(from[i++]);
    size_t literals = length(token >> 4);
    if (literals > from.size() - i || literals > size - out.size())
      return damaged();
    out.append(reinterpret_cast<const char *>(from.data() + i), literals);
    i += literals;
    if (i == from.size() || out.size() == size)
      break; // the last part has no match
    if (from.size() - i < 2)
      return damaged();
    size_t distance = static_cast<uint8_t>(from[i]) | static_cast<size_t>(static_cast<uint8_t>(from[i + 1])) << 8;
    i += 2;
    size_t match = length(token & 15) + 4;
    if (distance == 0 || distance > out.size() || match > size - out.size())
      return damaged();
    for (size_t begin = out.size() - distance, n = 0; n < match; ++n)
      out.push_back(out[begin + n]);
  }
  if (out.size() != size)
    return damaged();
  return out;
}

Result<Image> readFatBinary(std::span<const std::byte> bytes) {
  Image image;
  LANESCOPE_CHECK(readInto(image, bytes));
  return image;
}

Result<Image> readImage(const void *from) {
  Image image;
  uint32_t magic = 0;
  const auto *characters = static_cast<const char *>(from);
  // A text may be shorter than the magic number.
  for (size_t n = 0; n < sizeof magic && (n == 0 || characters[n - 1]); ++n)
    std::memcpy(reinterpret_cast<char *>(&magic) + n, characters + n, 1);
  if (magic == kWrapperMagic) {
    struct Wrapper {
      uint32_t magic, version;
      const void *data;
      const void *const *more; // in version 2, a null-terminated list of containers
    };
    const auto *wrapper = static_cast<const Wrapper *>(from);
    if (wrapper->version == 2 && wrapper->more)
      for (const void *const *one = wrapper->more; *one; ++one)
        LANESCOPE_CHECK(readInto(image, containerAt(*one)));
    else
      LANESCOPE_CHECK(readInto(image, containerAt(wrapper->data)));
  } else if (magic == kContainerMagic) {
    LANESCOPE_CHECK(readInto(image, containerAt(from)));
  } else if (magic == kElfMagic) {
    image.machineCode.push_back(0);
  } else {
    image.ptx.push_back(describe(characters));
  }
  return image;
}

std::vector<const PtxText *> choosePtx(const Image &image, int major, int minor) {
  const PtxText *best = nullptr;
  int gpu = major * 10 + minor;
  for (const PtxText &one : image.ptx)
    if (one.target <= gpu && (!one.specific || one.target / 10 == major))
      if (!best || one.target > best->target || (one.target == best->target && one.specific))
        best = &one;
  std::vector<const PtxText *> out;
  for (const PtxText &one : image.ptx)
    if (best && one.target == best->target && one.specific == best->specific)
      out.push_back(&one);
  return out;
}

} // namespace lanescope::core::driver
