// UTF-8: characters of a text, and texts from files, which may be anything, made valid.
//
//   characterCount("µs")  ->  2        validUtf8("a\xff")  ->  "a\uFFFD"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

/// Whether a byte belongs to a character that began before it.
constexpr bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
/// Bytes of the well-formed character at the front of `text` (Unicode, table 3-7), whose number goes to `code`; 0 if
/// there is none.
size_t characterLength(std::string_view text, char32_t *code = nullptr);
/// `code` is the number of a character: at most 0x10FFFF and no surrogate.
void appendCharacter(std::string &text, char32_t code);
/// The byte after the character that begins at `begin`, which is in `text`: the next one that continues none.
size_t characterEnd(std::string_view text, size_t begin);
/// Takes the last character away; nothing from an empty text.
void dropLastCharacter(std::string &text);
/// Characters, not bytes; `text` is valid.
int64_t characterCount(std::string_view text);
/// Takes the printable ASCII characters at the front of `text` away, and gives them.
std::string_view takePrintable(std::string_view &text);
/// The first `count` characters.
std::string_view firstCharacters(std::string_view text, int64_t count);
/// Malformed sequences and control characters become U+FFFD: what we draw and write.
std::string validUtf8(std::string_view text);

} // namespace lanescope
