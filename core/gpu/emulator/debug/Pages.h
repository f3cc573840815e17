// Copies of a memory at several moments. The copies share the pages that have not changed.
//
//   PageCount count;
//   PagedBytes first(memory, nullptr, count);     // all of it
//   PagedBytes second(memory, &first, count);     // only the pages that have changed since
//   second.copyTo(memory);                        // restores the memory of that moment
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

/// The number of bytes in all pages that are kept. The count must outlive the pages.
struct PageCount {
  size_t bytes = 0;
};

class PagedBytes {
public:
  PagedBytes() = default;
  /// `before`: an earlier copy of the same memory, or null.
  PagedBytes(std::span<const std::byte> memory, const PagedBytes *before, PageCount &count);
  /// `memory` must be as large as the copied memory.
  void copyTo(std::span<std::byte> memory) const;

private:
  static constexpr size_t kPage = 4096;
  struct Page {
    explicit Page(PageCount &all) : count(all) { count.bytes += sizeof(Page); }
    Page(const Page &) = delete;
    Page &operator=(const Page &) = delete;
    ~Page() { count.bytes -= sizeof(Page); }
    PageCount &count;
    std::array<std::byte, kPage> bytes;
  };
  std::vector<std::shared_ptr<const Page>> pages_;
};

} // namespace lanescope::core::emulator
