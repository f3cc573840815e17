// A piece of text that diagnostics point into: a snippet file, one REPL entry, a PTX file, a layout's text.
//
//   auto source = Source::make("bad.py", "x = 1 +\n");
//   source->lineColumn(4)  ->  {1, 5}     // both count from 1; columns count bytes, as compilers do
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

class Source {
public:
  Source(std::string name, std::string text);
  static std::shared_ptr<const Source> make(std::string name, std::string text);

  const std::string &name() const { return name_; }
  const std::string &text() const { return text_; }
  /// The position of a byte offset. Offsets past the end give the position just after the last byte.
  LineColumn lineColumn(uint32_t offset) const;
  /// Byte offset of the first byte of `line` (from 1); the text's size for a line past the end.
  uint32_t lineStart(uint32_t line) const;
  /// The text of `line` (from 1) without its line break; empty past the end.
  std::string_view lineText(uint32_t line) const;

private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> lineStarts_;
};

using SourceRef = std::shared_ptr<const Source>;

/// Bytes [begin, end) of a source. A null source means that the place is unknown.
struct Span {
  SourceRef source;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The span of a line and column in a source (as PTX `.loc` and MLIR locations give it), one byte long.
Span spanAt(SourceRef source, uint32_t line, uint32_t column);

} // namespace lanescope
