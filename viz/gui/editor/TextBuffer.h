// A text as lines that can be edited, with the arithmetic of its places.
//
//   TextBuffer text("a\nµs");
//   TextPlace end = text.insert({0, 1}, "b\nc");     // "ab\nc\nµs"; end is {1, 1}
//   text.erase({0, 1}, end)                           // "b\nc"; the text is as before
//   text.after({1, 0})                                // {1, 2}: µ has two bytes
//
// Bytes are kept as they are, valid UTF-8 or not. A place is never inside a character.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct TextPlace {
  size_t line = 0, byte = 0; // both from 0
  auto operator<=>(const TextPlace &) const = default;
};

class TextBuffer {
public:
  /// A text all of whose lines end in CR LF keeps them; text() has them again.
  explicit TextBuffer(std::string_view text = {});

  size_t lines() const { return lines_.size(); } // at least 1
  const std::string &line(size_t index) const { return lines_[index]; }
  /// As a file holds it.
  std::string text() const;
  /// Its lines with `\n` between them: what places and offsets count in.
  std::string plainText() const { return between({}, end()); }
  std::string between(TextPlace from, TextPlace to) const;
  /// From now on text() ends its lines as `other` does.
  void endLinesAs(const TextBuffer &other) { carriageReturns_ = other.carriageReturns_; }
  TextPlace end() const { return {lines_.size() - 1, lines_.back().size()}; }

  /// The place after the inserted text, and after bytes that it makes a character of, where the text is no UTF-8.
  TextPlace insert(TextPlace at, std::string_view text);
  /// What was there.
  std::string erase(TextPlace from, TextPlace to);

  /// The nearest place that there is, at or before this one on its line.
  TextPlace within(TextPlace place) const;
  TextPlace before(TextPlace place) const; // a character further, over the ends of lines
  TextPlace after(TextPlace place) const;
  /// Over blanks and then a word: letters, digits and `_`, or a run of other signs.
  TextPlace wordBefore(TextPlace place) const;
  TextPlace wordAfter(TextPlace place) const;
  /// Bytes of plainText() before a place, and the place after so many.
  size_t offsetOf(TextPlace place) const;
  TextPlace placeAt(size_t offset) const;

private:
  std::vector<std::string> lines_;
  bool carriageReturns_ = false;
};

/// Whether a byte belongs to a name; those of characters beyond ASCII do.
bool isNameByte(char byte);

} // namespace lanescope::viz
