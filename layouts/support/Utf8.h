// UTF-8: counts and cuts the characters of a text, and makes arbitrary texts from files valid.
//
//   characterCount("µs")  ->  2        validUtf8("a\xff")  ->  "a\uFFFD"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

/// True if a byte belongs to a character that began before it.
constexpr bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
/// The bytes of the well-formed character at the front of `text` (Unicode, table 3-7); 0 if there is none. `code`
/// receives the character's number.
size_t characterLength(std::string_view text, char32_t *code = nullptr);
/// Appends the character with number `code`, which is at most 0x10FFFF and no surrogate.
void appendCharacter(std::string &text, char32_t code);
/// The end of the character that begins at `begin`, a place in `text`. It is the next byte that does not continue a
/// character.
size_t characterEnd(std::string_view text, size_t begin);
/// Removes the last character, if there is one.
void dropLastCharacter(std::string &text);
/// The number of characters, not bytes; `text` must be valid.
int64_t characterCount(std::string_view text);
/// Removes the printable ASCII characters at the front of `text` and returns them.
std::string_view takePrintable(std::string_view &text);
/// The first `count` characters.
std::string_view firstCharacters(std::string_view text, int64_t count);
/// Replaces malformed sequences and control characters by U+FFFD, for drawing and writing.
std::string validUtf8(std::string_view text);

} // namespace lanescope
