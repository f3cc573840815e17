#include "viz/gui/files/CodeModel.h"

#include <algorithm>

namespace lanescope::viz {

bool CodeModel::Page::marked(size_t index) const {
  return std::find(markedLines.begin(), markedLines.end(), uint32_t(index + 1)) != markedLines.end();
}

void CodeModel::show(CodeRequest request) {
  std::string before = front < pages_.size() ? pages_[front].title : std::string();
  title = std::move(request.title);
  pages_.clear();
  front = 0;
  for (CodeRequest::Page &from : request.pages) {
    Page page{std::move(from.title), std::move(from.text), {0}, std::move(from.markedLines)};
    for (size_t i = 0; i < page.text.size(); ++i)
      if (page.text[i] == '\n')
        page.lineStarts.push_back(i + 1);
    if (page.lineStarts.back() < page.text.size() || page.text.empty())
      page.lineStarts.push_back(page.text.size() + 1);
    if (page.title == before)
      front = pages_.size();
    pages_.push_back(std::move(page));
  }
}

} // namespace lanescope::viz
