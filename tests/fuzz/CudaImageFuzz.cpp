// Images of CUDA programs: fat binaries and LZ4 blocks. No crash, and no more memory than the PTX limit. The PTX found
// has the target that its own text names.
#include "core/gpu/driver/FatBinary.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope::core;
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  auto image = driver::readFatBinary(bytes);
  if (!image && render(image.error()).empty())
    std::abort();
  if (image) {
    for (const driver::PtxText &ptx : image->ptx)
      if (ptx.text.find('\0') != std::string::npos || (ptx.target != 0 && !ptx.text.contains("sm_")))
        std::abort();
    for (const driver::PtxText *chosen : driver::choosePtx(*image, 9, 0))
      if (chosen->target > 90)
        std::abort();
  }
  constexpr size_t kMost = 1 << 16;
  for (size_t whole : {size, 4 * size, kMost})
    if (auto text = driver::decompressLz4(bytes, whole); text && text->size() != whole)
      std::abort();
  return 0;
}
