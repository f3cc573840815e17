#include "core/gpu/emulator/debug/Pages.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

PagedBytes::PagedBytes(std::span<const std::byte> memory, const PagedBytes *before, PageCount &count) {
  pages_.reserve((memory.size() + kPage - 1) / kPage);
  for (size_t at = 0; at < memory.size(); at += kPage) {
    size_t size = std::min(kPage, memory.size() - at), number = pages_.size();
    if (before && number < before->pages_.size() &&
        std::memcmp(before->pages_[number]->bytes.data(), memory.data() + at, size) == 0) {
      pages_.push_back(before->pages_[number]);
      continue;
    }
    auto page = std::make_shared<Page>(count);
    std::memcpy(page->bytes.data(), memory.data() + at, size);
    pages_.push_back(std::move(page));
  }
}

void PagedBytes::copyTo(std::span<std::byte> memory) const {
  for (size_t at = 0; at < memory.size(); at += kPage)
    std::memcpy(memory.data() + at, pages_[at / kPage]->bytes.data(), std::min(kPage, memory.size() - at));
}

} // namespace lanescope::core::emulator
