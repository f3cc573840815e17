// The images that programs pass to the driver: PTX text, or a fat binary, which contains PTX and machine code for
// several architectures, compressed or not.
//
//   auto image = readImage(pointer);            // the argument of cuModuleLoadData
//   image->ptx[0].target  ->  90                // for `compute_90`
//   image->machineCode    ->  {80, 90}          // which the emulator cannot run
//
// NVIDIA does not document the container's layout; public projects that read it (ZLUDA's fatbin.rs) describe it.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::driver {

struct PtxText {
  int target = 0;        // for sm_90a: 90
  bool specific = false; // only for that architecture: sm_90a
  std::string text;
};
struct Image {
  std::vector<PtxText> ptx;
  std::vector<int> machineCode; // architectures with machine code
};

/// `image` is the caller's pointer, without a size, as in the API. Errors: "cuda-image".
Result<Image> readImage(const void *image);
/// Reads a container that fills `bytes`. Errors: "cuda-image" if it is damaged.
Result<Image> readFatBinary(std::span<const std::byte> bytes);
/// The PTX that the driver would compile for a GPU: the newest one that the GPU supports; none if there is none. An
/// image of files that nvcc compiles apart (`-rdc=true`) has one for each file.
std::vector<const PtxText *> choosePtx(const Image &image, int major, int minor);

/// Decompresses an LZ4 block without a frame. Errors: "cuda-image".
Result<std::string> decompressLz4(std::span<const std::byte> from, size_t size);

} // namespace lanescope::core::driver
