// Texts to read: a snippet and what became of it (IR, PTX), one page in front. No Dear ImGui in here.
#pragma once

#include "viz/host/Host.h"

namespace lanescope::viz {

class CodeModel {
public:
  struct Page {
    std::string title;
    std::string text;
    std::vector<size_t> lineStarts; // byte offsets; one more than lines, the last is the text's size + 1
    std::vector<uint32_t> markedLines;
    std::string_view line(size_t index) const {
      return std::string_view(text).substr(lineStarts[index], lineStarts[index + 1] - lineStarts[index] - 1);
    }
    size_t lines() const { return lineStarts.size() - 1; }
    bool marked(size_t index) const;
  };

  std::string title;
  size_t front = 0;

  /// Replaces all pages. The page of the same title stays in front.
  void show(CodeRequest request);
  const std::vector<Page> &pages() const { return pages_; }

private:
  std::vector<Page> pages_;
};

} // namespace lanescope::viz
