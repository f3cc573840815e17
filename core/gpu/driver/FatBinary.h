// The images that programs hand to the driver: PTX as text, or a fat binary, a container with PTX and machine code for
// several architectures, compressed or not.
//
//   auto image = readImage(pointer);            // what cuModuleLoadData takes
//   image->ptx[0].target  ->  90                // of `compute_90`
//   image->machineCode    ->  {80, 90}          // which the emulator cannot run
//
// The container's layout is not documented by its maker; public projects that read it (ZLUDA's fatbin.rs) describe it.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::driver {

struct PtxText {
  int target = 0;        // 90 of sm_90a
  bool specific = false; // for that architecture and no other: sm_90a
  std::string text;
};
struct Image {
  std::vector<PtxText> ptx;
  std::vector<int> machineCode; // architectures that there is machine code for
};

/// `image` is the caller's, as the API takes it: without a size. Errors: "cuda-image".
Result<Image> readImage(const void *image);
/// A container that is `bytes` as a whole. Errors: "cuda-image", where it is damaged.
Result<Image> readFatBinary(std::span<const std::byte> bytes);
/// The PTX that the driver would compile for a GPU: the newest that is not newer than it; null: none.
const PtxText *choosePtx(const Image &image, int major, int minor);

/// A block of LZ4 without a frame. Errors: "cuda-image".
Result<std::string> decompressLz4(std::span<const std::byte> from, size_t size);

} // namespace lanescope::core::driver
