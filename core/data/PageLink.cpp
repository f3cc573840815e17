// This code has its own file, so that programs that read no links need no zlib.
#include "core/data/PageLink.h"

#include "core/data/Base64.h"
#include "layouts/support/Text.h"

#include <array>
#include <optional>
#include <zlib.h>

namespace lanescope::core {

namespace {

constexpr std::string_view kVersion = "1";
constexpr size_t kMostBytes = size_t{1} << 20; // the largest state; link.js has the same limit
constexpr int kNoHeader = -15;                 // zlib's name for deflate without a header, with the largest window

struct Inflated {
  std::string text;
  bool whole = false;
};

/// At most one byte more than kMostBytes.
Inflated inflated(const std::string &bytes) {
  Inflated out;
  z_stream stream{};
  if (inflateInit2(&stream, kNoHeader) != Z_OK)
    return out;
  stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  std::array<char, 16384> piece;
  int state = Z_OK;
  while (state == Z_OK && out.text.size() <= kMostBytes) {
    stream.next_out = reinterpret_cast<unsigned char *>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    out.text.append(piece.data(), piece.size() - stream.avail_out);
  }
  out.whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return out;
}

} // namespace

std::string pageFragment(std::string_view state) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kNoHeader, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, state.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(state.data()));
  stream.avail_in = static_cast<unsigned>(state.size());
  stream.next_out = reinterpret_cast<unsigned char *>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return text("#", kVersion, "=", base64Url(out));
}

bool looksLikePageLink(std::string_view text) {
  if (text.find_first_of(" \t\n") != std::string_view::npos)
    return false;
  if (!text.starts_with('#'))
    return text.starts_with("http://") || text.starts_with("https://");
  std::string_view fragment = text.substr(1);
  size_t digits = fragment.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && fragment[digits] == '=';
}

Result<std::string> pageState(const SourceRef &link) {
  auto problem = [&](size_t at, std::string why) -> std::unexpected<Diagnostics> {
    return error("bad-view", {link, static_cast<uint32_t>(at), static_cast<uint32_t>(link->text().size())},
                 Message("this link cannot be read: {}", why));
  };
  std::string_view all = link->text();
  size_t begin = std::min(all.find('#'), all.size()), equals = all.find('=', begin);
  if (equals == std::string_view::npos || equals < begin + 2)
    return problem(begin, "it is cut off, or something was added to it");
  std::string_view version = all.substr(begin + 1, equals - begin - 1);
  if (version != kVersion)
    return problem(begin + 1, text("it is of version ", version, ", and this program reads version ", kVersion));
  std::optional<std::string> bytes = bytesOfBase64Url(all.substr(equals + 1));
  if (!bytes)
    return problem(equals + 1, "it is cut off, or something was added to it");
  Inflated state = inflated(*bytes);
  if (state.text.size() > kMostBytes)
    return problem(equals + 1, "it is too long");
  if (!state.whole)
    return problem(equals + 1, "it is damaged");
  return std::move(state.text);
}

} // namespace lanescope::core
