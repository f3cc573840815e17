// This code has its own file, so that programs that read no compressed files need no zlib.
#include "core/data/Files.h"
#include "core/data/ProcessMemory.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <zlib.h>

namespace lanescope::core {

namespace {

Result<void> grow(std::string &out, uint64_t size, const std::string &name) {
  if (Result<void> room = reserveMemory(size, text("what `", name, "` decompresses to")); !room)
    return room;
  out.reserve(size);
  return {};
}

} // namespace

bool isGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzip(std::string_view bytes, const std::string &name, uint64_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) // 16: a gzip header is expected
    return error("gzip", Message("cannot decompress `{name}`: zlib does not start", name));
  std::string out;
  std::vector<char> piece(size_t{1} << 18);
  auto *next = reinterpret_cast<const unsigned char *>(bytes.data());
  size_t left = bytes.size();
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0 && left > 0) {
      stream.next_in = const_cast<unsigned char *>(next);
      stream.avail_in = static_cast<unsigned>(std::min<size_t>(left, 1u << 30));
      next += stream.avail_in;
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<unsigned char *>(piece.data());
    stream.avail_out = static_cast<unsigned>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    size_t got = piece.size() - stream.avail_out;
    Result<void> room;
    if (out.size() + got > limit)
      room = error(
          "gzip", Message("`{name}` decompresses to more than the {limit} MiB that are read of it", name, limit >> 20));
    else if (out.size() + got > out.capacity())
      room = grow(out, std::min<uint64_t>(2 * (out.size() + got), limit), name);
    if (!room) {
      inflateEnd(&stream);
      return std::unexpected(std::move(room.error()));
    }
    out.append(piece.data(), got);
  }
  std::string detail = stream.msg ? text(": ", stream.msg) : "";
  inflateEnd(&stream);
  if (state != Z_STREAM_END)
    return error("gzip",
                 Message("`{name}` is damaged or cut short{} (gzip, after {bytes} bytes)", name, detail, out.size()));
  return out;
}

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY); // 16: with a gzip header
  std::string out;
  std::vector<char> piece(size_t{1} << 18);
  size_t given = 0;
  for (int state = Z_OK; state == Z_OK;) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(bytes.data() + given));
      stream.avail_in = static_cast<unsigned>(std::min<size_t>(bytes.size() - given, 1u << 30));
      given += stream.avail_in;
    }
    stream.next_out = reinterpret_cast<unsigned char *>(piece.data());
    stream.avail_out = static_cast<unsigned>(piece.size());
    state = deflate(&stream, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

} // namespace lanescope::core
