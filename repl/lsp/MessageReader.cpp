#include "repl/lsp/MessageReader.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl::lsp {

namespace {

constexpr size_t kLongestHeader = 1 << 12;

/// The number in a header such as "Content-Length: 52", in upper or lower case. A number that does not fit becomes the
/// largest possible one.
std::optional<size_t> lengthIn(llvm::StringRef header) {
  auto [name, value] = header.split(':');
  value = value.trim();
  if (!name.trim().equals_insensitive("Content-Length") || value.empty() ||
      value.find_first_not_of("0123456789") != value.npos)
    return std::nullopt;
  size_t length = 0;
  return value.getAsInteger(10, length) ? SIZE_MAX : length;
}

bool nestsTooDeep(std::string_view json) {
  int depth = 0;
  bool inString = false;
  for (size_t at = 0; at < json.size(); ++at) {
    char c = json[at];
    if (inString) {
      at += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostMessageNesting)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

} // namespace

bool MessageReader::fill() {
  constexpr size_t kChunk = 1 << 16;
  buffer_.erase(0, at_);
  at_ = 0;
  size_t before = buffer_.size();
  buffer_.resize_and_overwrite(before + kChunk,
                               [&](char *data, size_t size) { return before + read_(data + before, size - before); });
  return buffer_.size() > before;
}

bool MessageReader::line(std::string &out) {
  out.clear();
  for (;;) {
    size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    // A longer line is no header, so its end is dropped.
    out.append(buffer_, at_, std::min(end - at_, kLongestHeader - out.size()));
    at_ = end;
    if (at_ < buffer_.size())
      break;
    if (!fill())
      return false;
  }
  ++at_;
  if (out.ends_with('\r'))
    out.pop_back();
  return true;
}

bool MessageReader::body(size_t length, std::string &out) {
  while (buffer_.size() - at_ < length)
    if (!fill()) {
      at_ = buffer_.size(); // drop the incomplete message
      return false;
    }
  out.assign(buffer_, at_, length);
  at_ += length;
  return true;
}

std::optional<Incoming> MessageReader::next() {
  std::optional<size_t> length;
  std::string words;
  while (line(words)) {
    if (auto named = lengthIn(words))
      length = named;
    if (!words.empty() || !length)
      continue;
    if (*length == 0 || *length > kMostMessageBytes) // the next header is searched for in the bytes that follow
      return Incoming{{}, text("a message has 1 to ", kMostMessageBytes, " bytes")};
    if (!body(*length, words))
      return std::nullopt;
    if (nestsTooDeep(words))
      return Incoming{{}, text("a message nests at most ", kMostMessageNesting, " levels deep")};
    auto parsed = llvm::json::parse(words);
    if (!parsed)
      return Incoming{{}, llvm::toString(parsed.takeError())};
    return Incoming{std::move(*parsed), {}};
  }
  return std::nullopt;
}

} // namespace lanescope::repl::lsp
