#include "viz/gui/editor/TextBuffer.h"

#include "layouts/support/Utf8.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return out;
    text.remove_prefix(end + 1);
  }
}

bool isBlank(char byte) { return byte == ' ' || byte == '\t'; }

} // namespace

bool isNameByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

TextBuffer::TextBuffer(std::string_view text) : lines_(split(text)) {
  auto last = lines_.end() - 1;
  carriageReturns_ = lines_.size() > 1 && !last->ends_with('\r') &&
                     std::all_of(lines_.begin(), last, [](const std::string &line) { return line.ends_with('\r'); });
  if (carriageReturns_)
    std::for_each(lines_.begin(), last, [](std::string &line) { line.pop_back(); });
}

std::string TextBuffer::text() const {
  if (!carriageReturns_)
    return plainText();
  std::string out;
  for (size_t i = 0; i < lines_.size(); ++i)
    out += lines_[i] + (i + 1 < lines_.size() ? "\r\n" : "");
  return out;
}

std::string TextBuffer::between(TextPlace from, TextPlace to) const {
  if (from.line == to.line)
    return lines_[from.line].substr(from.byte, to.byte - from.byte);
  std::string out = lines_[from.line].substr(from.byte);
  for (size_t i = from.line + 1; i < to.line; ++i)
    out += "\n" + lines_[i];
  return out + "\n" + lines_[to.line].substr(0, to.byte);
}

TextPlace TextBuffer::insert(TextPlace at, std::string_view text) {
  std::vector<std::string> parts = split(text);
  std::string &first = lines_[at.line];
  std::string rest = first.substr(at.byte);
  first.resize(at.byte);
  first += parts.front();
  TextPlace end{at.line + parts.size() - 1, parts.size() == 1 ? first.size() : parts.back().size()};
  lines_.insert(lines_.begin() + static_cast<ptrdiff_t>(at.line) + 1, std::make_move_iterator(parts.begin() + 1),
                std::make_move_iterator(parts.end()));
  lines_[end.line] += rest;
  const std::string &last = lines_[end.line];
  while (end.byte > 0 && end.byte < last.size() && continuesCharacter(last[end.byte]))
    ++end.byte; // bytes that were no character may now continue one
  return end;
}

std::string TextBuffer::erase(TextPlace from, TextPlace to) {
  std::string out = between(from, to);
  std::string rest = lines_[to.line].substr(to.byte);
  lines_[from.line].resize(from.byte);
  lines_[from.line] += rest;
  lines_.erase(lines_.begin() + static_cast<ptrdiff_t>(from.line) + 1,
               lines_.begin() + static_cast<ptrdiff_t>(to.line) + 1);
  return out;
}

TextPlace TextBuffer::within(TextPlace place) const {
  place.line = std::min(place.line, lines_.size() - 1);
  const std::string &line = lines_[place.line];
  place.byte = std::min(place.byte, line.size());
  while (place.byte > 0 && place.byte < line.size() && continuesCharacter(line[place.byte]))
    --place.byte;
  return place;
}

TextPlace TextBuffer::before(TextPlace place) const {
  if (place.byte == 0)
    return place.line == 0 ? place : TextPlace{place.line - 1, lines_[place.line - 1].size()};
  return within({place.line, place.byte - 1});
}

TextPlace TextBuffer::after(TextPlace place) const {
  const std::string &line = lines_[place.line];
  if (place.byte >= line.size())
    return place.line + 1 == lines_.size() ? place : TextPlace{place.line + 1, 0};
  return {place.line, characterEnd(line, place.byte)};
}

TextPlace TextBuffer::wordBefore(TextPlace place) const {
  const std::string &line = lines_[place.line];
  if (place.byte == 0)
    return before(place);
  while (place.byte > 0 && isBlank(line[place.byte - 1]))
    --place.byte;
  if (place.byte == 0)
    return place;
  bool name = isNameByte(line[place.byte - 1]);
  while (place.byte > 0 && !isBlank(line[place.byte - 1]) && isNameByte(line[place.byte - 1]) == name)
    --place.byte;
  return within(place);
}

TextPlace TextBuffer::wordAfter(TextPlace place) const {
  const std::string &line = lines_[place.line];
  if (place.byte >= line.size())
    return after(place);
  while (place.byte < line.size() && isBlank(line[place.byte]))
    ++place.byte;
  if (place.byte >= line.size())
    return place;
  bool name = isNameByte(line[place.byte]);
  while (place.byte < line.size() && !isBlank(line[place.byte]) && isNameByte(line[place.byte]) == name)
    ++place.byte;
  return within(place);
}

size_t TextBuffer::offsetOf(TextPlace place) const {
  size_t out = place.byte;
  for (size_t i = 0; i < place.line; ++i)
    out += lines_[i].size() + 1;
  return out;
}

TextPlace TextBuffer::placeAt(size_t offset) const {
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (offset <= lines_[i].size())
      return within({i, offset});
    offset -= lines_[i].size() + 1;
  }
  return end();
}

} // namespace lanescope::viz
