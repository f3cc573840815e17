// A text as lines that can be edited. Also computes places in it.
//
//   TextBuffer text("a\nµs");
//   TextPlace end = text.insert({0, 1}, "b\nc");     // "ab\nc\nµs"; end is {1, 1}
//   text.erase({0, 1}, end)                           // "b\nc"; the text is as before
//   text.after({1, 0})                                // {1, 2}: µ has two bytes
//
// Bytes do not change, even if they are not valid UTF-8. A place is never inside a character.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct TextPlace {
  size_t line = 0, byte = 0; // both count from 0
  auto operator<=>(const TextPlace &) const = default;
};

class TextBuffer {
public:
  /// If all lines of `text` end in CR LF, text() returns the same line ends.
  explicit TextBuffer(std::string_view text = {});

  size_t lines() const { return lines_.size(); } // at least 1
  const std::string &line(size_t index) const { return lines_[index]; }
  /// The text as in a file.
  std::string text() const;
  /// The lines with `\n` between them. Places and offsets refer to this text.
  std::string plainText() const { return between({}, end()); }
  std::string between(TextPlace from, TextPlace to) const;
  /// Makes text() end its lines in the way that `other` does.
  void endLinesAs(const TextBuffer &other) { carriageReturns_ = other.carriageReturns_; }
  TextPlace end() const { return {lines_.size() - 1, lines_.back().size()}; }

  /// Inserts a text and returns the place after it. If the text is not UTF-8, its bytes may form a character with the
  /// bytes that follow; the place is then after this character.
  TextPlace insert(TextPlace at, std::string_view text);
  /// Erases a range and returns its text.
  std::string erase(TextPlace from, TextPlace to);

  /// The nearest valid place on the line, at or before `place`.
  TextPlace within(TextPlace place) const;
  TextPlace before(TextPlace place) const; // goes back by one character, across line ends
  TextPlace after(TextPlace place) const;
  /// The place before any blanks and one word. A word is letters, digits and `_`, or a run of other signs.
  TextPlace wordBefore(TextPlace place) const;
  TextPlace wordAfter(TextPlace place) const;
  /// offsetOf(): the number of bytes of plainText() before a place. placeAt(): the place after that number of bytes.
  size_t offsetOf(TextPlace place) const;
  TextPlace placeAt(size_t offset) const;

private:
  std::vector<std::string> lines_;
  bool carriageReturns_ = false;
};

/// True if a byte belongs to a name. All bytes of characters outside of ASCII do.
bool isNameByte(char byte);

} // namespace lanescope::viz
