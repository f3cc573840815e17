#include "layouts/support/Source.h"

#include <algorithm>

namespace lanescope {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lineStarts_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    lineStarts_.push_back(static_cast<uint32_t>(at + 1));
}

std::shared_ptr<const Source> Source::make(std::string name, std::string text) {
  return std::make_shared<const Source>(std::move(name), std::move(text));
}

LineColumn Source::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  auto line = static_cast<uint32_t>(next - lineStarts_.begin());
  return {line, offset - lineStarts_[line - 1] + 1};
}

uint32_t Source::lineStart(uint32_t line) const {
  if (line == 0 || line > lineStarts_.size())
    return static_cast<uint32_t>(text_.size());
  return lineStarts_[line - 1];
}

std::string_view Source::lineText(uint32_t line) const {
  if (line == 0 || line > lineStarts_.size())
    return {};
  size_t begin = lineStarts_[line - 1];
  size_t end = line < lineStarts_.size() ? lineStarts_[line] - 1 : text_.size();
  std::string_view text = std::string_view(text_).substr(begin, end - begin);
  if (!text.empty() && text.back() == '\r')
    text.remove_suffix(1);
  return text;
}

Span spanAt(SourceRef source, uint32_t line, uint32_t column) {
  if (!source)
    return {};
  auto size = static_cast<uint32_t>(source->text().size());
  uint32_t begin = std::min(source->lineStart(line) + (column > 0 ? column - 1 : 0), size);
  return {source, begin, std::min(begin + 1, size)};
}

} // namespace lanescope
