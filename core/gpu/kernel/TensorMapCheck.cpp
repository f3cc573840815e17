#include "core/gpu/kernel/TensorMapCheck.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

namespace {

constexpr size_t kMaxRank = 5;
constexpr int64_t kMaxSize = int64_t{1} << 32, kStrideEnd = int64_t{1} << 40;
constexpr int64_t kPaddedRow = 128, kPaddedStride = 32, kTmaSixteen = 16;
constexpr int64_t kMaxBox = 256, kGranuleBytes = 16, kByteBits = 8;
constexpr int64_t kMaxPixels = 1024, kMaxElementStride = 8;
constexpr size_t kLeastImageRank = 3;

/// Checks the pixels of an im2col descriptor of `rank`, dimensions outermost first (CUDA driver API,
/// cuTensorMapEncodeIm2col and …Im2colWide; PTX ISA, "im2col mode").
template <class Breaks> void checkPixels(const TensorMapSpec &map, Breaks breaks) {
  const Im2colSpec &im2col = map.im2col;
  size_t rank = map.shape.size();
  bool wide = map.mode != TmaMode::Im2col;
  if (rank < kLeastImageRank)
    return breaks("shape", text("images have 3 to ", kMaxRank, " dimensions, [N, …, W, C], not ", rank));
  size_t corners = wide ? 1 : rank - 2;
  if (im2col.lower.size() != corners || im2col.upper.size() != corners)
    return breaks("im2col", text("the corners of a bounding box of ", name(map.mode), " have ", corners,
                                 " numbers each, not ", im2col.lower.size(), " and ", im2col.upper.size()));
  // All dimensions of a corner share 16 bits.
  int64_t limit = wide ? 1 << 15 : rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
  for (size_t n = 0; n < corners; ++n) {
    int64_t lower = im2col.lower[n], upper = im2col.upper[n], size = map.shape[rank - 1 - corners + n];
    if (lower < -limit || lower >= limit || upper < -limit || upper >= limit)
      breaks("im2col", text("the corners ", lower, " and ", upper, " of its bounding box are not in [", -limit, ", ",
                            limit - 1, "], which is what ", wide ? "the width" : text("a rank of ", rank), " allows"));
    else if (lower > size - 1 + upper)
      breaks("im2col", text("its bounding box from ", lower, " to ", size - 1 + upper, " is empty"));
  }
  if (im2col.pixels < 1 || im2col.pixels > kMaxPixels)
    breaks("im2col", text("a copy of ", im2col.pixels, " pixels is not in [1, ", kMaxPixels, "]"));
  if (im2col.channels < 1 || im2col.channels > kMaxBox)
    breaks("im2col", text("a pixel's ", im2col.channels, " channels are not in [1, ", kMaxBox, "]"));
  if (wide && map.swizzle < 64)
    breaks("swizzle", text(name(map.mode), " needs a swizzle of 64 or 128, not ", map.swizzle));
  if (!map.elementStrides.empty() && map.elementStrides.front() != 1)
    breaks("element_strides",
           text("an element stride of ", map.elementStrides.front(), " over images; they are taken one by one"));
}

/// Bits per element in global memory.
int elementBits(const TensorMapSpec &map) {
  if (int narrow = sizesOf(map.format).bits)
    return narrow;
  int bits = layouts::bitwidth(map.dtype);
  return bits == 1 ? static_cast<int>(kByteBits) : bits;
}

} // namespace

std::vector<TensorMapProblem> tensorMapProblems(const TensorMapSpec &map) {
  std::vector<TensorMapProblem> problems;
  auto breaks = [&](std::string_view member, std::string message) { problems.push_back({member, std::move(message)}); };
  size_t rank = map.shape.size();
  if (rank < 1 || rank > kMaxRank)
    breaks("shape", text("a TMA descriptor has 1 to ", kMaxRank, " dimensions, not ", rank));
  bool tiled = map.mode == TmaMode::Tiled;
  if ((tiled && map.box.size() != rank) || map.stridesBytes.size() + 1 != rank)
    breaks("box", text("its shape has ", rank, " dimensions, its box ", map.box.size(), " and its strides ",
                       map.stridesBytes.size(), " where one less than dimensions is wanted"));
  if (!map.elementStrides.empty() && map.elementStrides.size() != rank)
    breaks("element_strides",
           text("its shape has ", rank, " dimensions and its element strides ", map.elementStrides.size()));
  if (!tiled)
    checkPixels(map, breaks);
  if (!problems.empty())
    return problems;

  int64_t inner = tiled ? map.box.back() : map.im2col.channels;
  TmaFormatSizes narrow = sizesOf(map.format);
  int bits = elementBits(map);
  for (int64_t size : map.shape)
    if (size < 1 || size > kMaxSize)
      breaks("shape", text("a size of ", size, " is not in [1, 2^32]"));
  for (int64_t stride : map.stridesBytes)
    if (stride < 0 || stride >= kStrideEnd || stride % kGranuleBytes != 0)
      breaks("strides_bytes",
             text("a stride of ", stride, " bytes is not a multiple of ", kGranuleBytes, " below 2^40"));
  for (int64_t size : map.box)
    if (size < 1 || size > kMaxBox)
      breaks("box", text("a box size of ", size, " is not in [1, ", kMaxBox, "]"));
  for (int64_t stride : map.elementStrides)
    if (stride < 1 || stride > kMaxElementStride)
      breaks("element_strides", text("an element stride of ", stride, " is not in [1, ", kMaxElementStride, "]"));
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
    breaks("swizzle", text("a swizzle of ", map.swizzle, " is none of 0, 32, 64, 128"));
  if (narrow.padded()) {
    // PTX ISA, "Restriction on Tensor Copy instructions"; cuTensorMapEncodeTiled has the same rule.
    std::string_view type = name(map.format);
    if (inner != kPaddedRow || map.shape.back() % kPaddedRow != 0)
      breaks("box", text("for ", type, ", the innermost size is a multiple of ", kPaddedRow, " and the box's is ",
                         kPaddedRow, ", not ", map.shape.back(), " and ", inner));
    for (int64_t stride : map.stridesBytes)
      if (stride % kPaddedStride != 0)
        breaks("strides_bytes",
               text("for ", type, ", strides are multiples of ", kPaddedStride, " bytes, not ", stride));
    if (map.swizzle != 0 && map.swizzle != 128)
      breaks("swizzle", text("for ", type, ", the swizzle is 0 or 128, not ", map.swizzle));
  }
  if (narrow.bits && map.oobNan)
    breaks("oob_fill", text("`nan` as fill is not for ", name(map.format)));
  // The same row in shared memory must fulfil the same rules.
  int64_t rowBits = narrow.bits ? inner * narrow.sharedBytes * kByteBits / kTmaSixteen : inner * bits;
  int64_t rowBytes = rowBits / kByteBits;
  if (rowBits % (kGranuleBytes * kByteBits) != 0)
    breaks("box", text("the box is ", inner, " elements of ", layouts::name(map.dtype),
                       " wide, which is not a multiple of ", kGranuleBytes, " bytes"));
  else if (map.swizzle != 0 && rowBytes > map.swizzle)
    breaks("box", text("the box is ", rowBytes, " bytes wide, which is more than the swizzle's ", map.swizzle,
                       "; make its innermost size at most ", int64_t{map.swizzle} * kByteBits / bits));
  if (map.shape.back() * bits % kByteBits != 0)
    breaks("shape", text("its innermost size of ", map.shape.back(), " elements of ", bits,
                         " bits is no whole number of bytes"));
  if (map.oobNan && !narrow.bits && !layouts::isFloat(map.dtype))
    breaks("oob_fill", text("`nan` as fill needs a float type, not ", layouts::name(map.dtype)));
  return problems;
}

Result<void> checkTensorMap(const TensorMapSpec &map, uint64_t bytes, const std::string &where) {
  Diagnostics problems;
  auto refuse = [&](const std::string &message) {
    problems.push_back({Severity::Error, "tensor-map", {}, text(where, ": ", message), {}});
  };
  for (const TensorMapProblem &problem : tensorMapProblems(map))
    refuse(problem.message);
  if (!problems.empty())
    return std::unexpected(std::move(problems));

  // The last element must end within the buffer. The sum needs 128 bits, because 2^32 · 2^40 does not fit 64.
  __extension__ using Wide = unsigned __int128;
  auto bits = elementBits(map);
  Wide end = Wide{map.at} + static_cast<Wide>(map.shape.back()) * static_cast<Wide>(bits) / kByteBits;
  for (size_t d = 0; d + 1 < map.shape.size(); ++d)
    end += static_cast<Wide>(map.shape[d] - 1) * static_cast<Wide>(map.stridesBytes[d]);
  if (end > bytes) {
    constexpr Wide kLargest = ~uint64_t{0};
    refuse(text("its elements reach to byte ", static_cast<uint64_t>(end < kLargest ? end : kLargest),
                " of a buffer of ", bytes, " bytes"));
    return std::unexpected(std::move(problems));
  }
  return {};
}

} // namespace lanescope::core
