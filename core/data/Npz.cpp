// NumPy's .npz: a zip archive of .npy members. Source: PKWARE's APPNOTE (local headers, central directory, zip64).
#include "core/data/Array.h"
#include "core/data/Files.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <zlib.h>

namespace lanescope::core {

namespace {

constexpr uint32_t kLocalHeader = 0x04034B50, kCentralHeader = 0x02014B50, kEndOfDirectory = 0x06054B50;
constexpr size_t kLocalHeaderBytes = 30, kCentralHeaderBytes = 46, kEndBytes = 22;
constexpr uint32_t kSeeZip64 = 0xFFFFFFFF;

uint64_t littleEndian(std::span<const std::byte> bytes, size_t offset, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(bytes[offset + i]) << (8 * i);
  return value;
}

std::unexpected<Diagnostics> badNpz(const std::string &name, const std::string &what) {
  return error("npz", text("`", name, "` is not a usable .npz file: ", what));
}

struct Member {
  std::string name;
  uint64_t method = 0, packed = 0, unpacked = 0, header = 0;
};

/// Sizes too large for their fields stand in the zip64 extra record, in this order, only those marked.
bool readZip64(std::span<const std::byte> extra, Member &member) {
  while (extra.size() >= 4) {
    size_t id = littleEndian(extra, 0, 2), size = littleEndian(extra, 2, 2);
    if (size > extra.size() - 4)
      return false;
    if (id == 1) {
      std::span<const std::byte> record = extra.subspan(4, size);
      for (uint64_t *field : {&member.unpacked, &member.packed, &member.header})
        if (*field == kSeeZip64) {
          if (record.size() < 8)
            return false;
          *field = littleEndian(record, 0, 8);
          record = record.subspan(8);
        }
      return true;
    }
    extra = extra.subspan(4 + size);
  }
  return false;
}

Result<std::vector<std::byte>> inflateRaw(std::span<const std::byte> packed, uint64_t unpacked,
                                          const std::string &name) {
  // Deflate reaches 1032:1 at most, so a member that claims more lies, and its size is not worth allocating.
  if (unpacked > kMaxArrayBytes || unpacked / 1040 > packed.size() + 1)
    return badNpz(name, "a member's size does not fit its data");
  std::vector<std::byte> out(unpacked);
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK)
    return badNpz(name, "zlib does not start");
  size_t in = 0, done = 0;
  int state = Z_OK;
  std::byte nowhere{};
  while (state == Z_OK) {
    size_t take = std::min<size_t>(packed.size() - in, 1u << 30), room = std::min<size_t>(out.size() - done, 1u << 30);
    stream.next_in = reinterpret_cast<unsigned char *>(const_cast<std::byte *>(packed.data() + in));
    stream.avail_in = static_cast<unsigned>(take);
    stream.next_out = reinterpret_cast<unsigned char *>(room ? out.data() + done : &nowhere);
    stream.avail_out = static_cast<unsigned>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    in += take - stream.avail_in;
    done += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || done != out.size())
    return badNpz(name, "a member is damaged");
  return out;
}

} // namespace

Result<std::vector<NamedArray>> loadNpz(const std::filesystem::path &path) {
  Result<std::vector<std::byte>> file = readFile(path, FileRole::Archive);
  if (!file)
    return std::unexpected(file.error());
  std::span<const std::byte> bytes = *file;
  std::string name = path.string();

  // The directory's end record is the last thing but for a comment of at most 65535 bytes.
  if (bytes.size() < kEndBytes)
    return badNpz(name, "it is too short for a zip file");
  size_t end = bytes.size() - kEndBytes, lowest = end > 0xFFFF ? end - 0xFFFF : 0;
  while (littleEndian(bytes, end, 4) != kEndOfDirectory) {
    if (end == lowest)
      return badNpz(name, "no zip directory is found");
    --end;
  }
  uint64_t count = littleEndian(bytes, end + 10, 2), at = littleEndian(bytes, end + 16, 4);
  if (at == kSeeZip64 || count == 0xFFFF)
    return badNpz(name, "its zip directory is too large");

  std::vector<NamedArray> arrays;
  for (uint64_t i = 0; i < count; ++i) {
    if (at > bytes.size() || bytes.size() - at < kCentralHeaderBytes || littleEndian(bytes, at, 4) != kCentralHeader)
      return badNpz(name, "its zip directory is damaged");
    size_t nameBytes = littleEndian(bytes, at + 28, 2), extraBytes = littleEndian(bytes, at + 30, 2),
           commentBytes = littleEndian(bytes, at + 32, 2);
    if (bytes.size() - at - kCentralHeaderBytes < nameBytes + extraBytes + commentBytes)
      return badNpz(name, "its zip directory is damaged");
    Member member;
    member.name.assign(reinterpret_cast<const char *>(bytes.data() + at + kCentralHeaderBytes), nameBytes);
    member.method = littleEndian(bytes, at + 10, 2);
    member.packed = littleEndian(bytes, at + 20, 4);
    member.unpacked = littleEndian(bytes, at + 24, 4);
    member.header = littleEndian(bytes, at + 42, 4);
    bool encrypted = littleEndian(bytes, at + 8, 2) & 1;
    if ((member.packed == kSeeZip64 || member.unpacked == kSeeZip64 || member.header == kSeeZip64) &&
        !readZip64(bytes.subspan(at + kCentralHeaderBytes + nameBytes, extraBytes), member))
      return badNpz(name, "its zip directory is damaged");
    at += kCentralHeaderBytes + nameBytes + extraBytes + commentBytes;

    if (member.header > bytes.size() || bytes.size() - member.header < kLocalHeaderBytes ||
        littleEndian(bytes, member.header, 4) != kLocalHeader)
      return badNpz(name, text("its member `", member.name, "` is missing"));
    uint64_t data = member.header + kLocalHeaderBytes + littleEndian(bytes, member.header + 26, 2) +
                    littleEndian(bytes, member.header + 28, 2);
    if (data > bytes.size() || member.packed > bytes.size() - data)
      return badNpz(name, text("its member `", member.name, "` is cut short"));
    if (encrypted || (member.method != 0 && member.method != 8))
      return badNpz(name, text("its member `", member.name, "` is neither stored nor deflated"));
    std::span<const std::byte> packed = bytes.subspan(data, member.packed);
    std::vector<std::byte> unpacked;
    if (member.method == 8) {
      Result<std::vector<std::byte>> inflated = inflateRaw(packed, member.unpacked, name);
      if (!inflated)
        return std::unexpected(inflated.error());
      unpacked = std::move(*inflated);
      packed = unpacked;
    }
    Result<Array> array = parseNpy(packed, text(name, ":", member.name));
    if (!array)
      return std::unexpected(array.error());
    if (member.name.ends_with(".npy"))
      member.name.resize(member.name.size() - 4);
    arrays.push_back({member.name, std::move(*array)});
  }
  return arrays;
}

} // namespace lanescope::core
