#include "core/gpu/runtime/GpuTensorMap.h"

namespace lanescope::core {

namespace {

int tensorMapType(const TensorMapSpec &map) {
  switch (map.format) {
  case TmaFormat::B4x16: return cuda::k16U4Align8B;
  case TmaFormat::B4x16P64: return cuda::k16U4Align16B;
  case TmaFormat::B6x16P32: return cuda::k16U6Align16B;
  case TmaFormat::Plain: break;
  }
  switch (map.dtype) {
  case Dtype::I16:
  case Dtype::U16: return cuda::kUint16;
  case Dtype::I32: return cuda::kInt32;
  case Dtype::U32: return cuda::kUint32;
  case Dtype::I64: return cuda::kInt64;
  case Dtype::U64: return cuda::kUint64;
  case Dtype::F16: return cuda::kFloat16;
  case Dtype::BF16: return cuda::kBfloat16;
  case Dtype::F32: return cuda::kFloat32;
  case Dtype::F64: return cuda::kFloat64;
  case Dtype::TF32: return cuda::kTfloat32;
  default: return cuda::kUint8; // bytes, and pairs of 4-bit elements
  }
}

int tensorMapSwizzle(int bytes) {
  return bytes == 128  ? cuda::kSwizzle128
         : bytes == 64 ? cuda::kSwizzle64
         : bytes == 32 ? cuda::kSwizzle32
                       : cuda::kSwizzleNone;
}

} // namespace

Result<cuda::TensorMap> encodeTensorMap(const cuda::Api &api, const TensorMapSpec &map, cuda::DevicePointer address,
                                        const std::string &kernel) {
  bool wide = map.mode == TmaMode::Im2colW || map.mode == TmaMode::Im2colW128;
  if (map.mode == TmaMode::Tiled ? !api.tensorMapEncodeTiled
      : wide                     ? !api.tensorMapEncodeIm2colWide
                                 : !api.tensorMapEncodeIm2col)
    return error("gpu", Message("the driver is too old for TMA descriptors of the mode `{}`, which {} uses",
                                name(map.mode), kernel));
  // The driver treats plain pairs of 4-bit elements as bytes.
  int perByte = map.format == TmaFormat::Plain && layouts::bitwidth(map.dtype) == 4 ? 2 : 1;
  auto rank = static_cast<uint32_t>(map.shape.size());
  std::vector<uint64_t> sizes(map.shape.rbegin(), map.shape.rend());
  std::vector<uint64_t> strides(map.stridesBytes.rbegin(), map.stridesBytes.rend());
  std::vector<uint32_t> box(map.box.rbegin(), map.box.rend());
  std::vector<uint32_t> steps(map.elementStrides.rbegin(), map.elementStrides.rend());
  steps.resize(rank, 1);
  sizes[0] /= perByte;
  strides.resize(rank); // for rank 1 the driver reads no strides, but needs a valid pointer
  auto channels = static_cast<uint32_t>(map.im2col.channels / perByte),
       pixels = static_cast<uint32_t>(map.im2col.pixels);
  std::vector<int> lower(map.im2col.lower.rbegin(), map.im2col.lower.rend());
  std::vector<int> upper(map.im2col.upper.rbegin(), map.im2col.upper.rend());
  int type = tensorMapType(map), fill = map.oobNan ? cuda::kFillNan : cuda::kFillZeros;
  int swizzle = map.atom == 32 ? cuda::kSwizzle128Atom32 : tensorMapSwizzle(map.swizzle);
  auto *array = reinterpret_cast<void *>(address);
  cuda::TensorMap to{};
  cuda::Status status;
  if (map.mode == TmaMode::Tiled) {
    box[0] /= perByte;
    status = api.tensorMapEncodeTiled(&to, type, rank, array, sizes.data(), strides.data(), box.data(), steps.data(),
                                      cuda::kInterleaveNone, swizzle, cuda::kL2PromotionNone, fill);
  } else if (wide) {
    int mode = map.mode == TmaMode::Im2colW128 ? cuda::kWideModeW128 : cuda::kWideModeW;
    status = api.tensorMapEncodeIm2colWide(&to, type, rank, array, sizes.data(), strides.data(), lower[0], upper[0],
                                           channels, pixels, steps.data(), cuda::kInterleaveNone, mode, swizzle,
                                           cuda::kL2PromotionNone, fill);
  } else {
    status = api.tensorMapEncodeIm2col(&to, type, rank, array, sizes.data(), strides.data(), lower.data(), upper.data(),
                                       channels, pixels, steps.data(), cuda::kInterleaveNone, swizzle,
                                       cuda::kL2PromotionNone, fill);
  }
  if (status)
    return error("tensor-map",
                 Message("the driver refuses a TMA descriptor of the mode `{}`, shape {shape}, strides {strides} "
                         "bytes, box {other_shape}, swizzle {} for {}: {}",
                         name(map.mode), layouts::tupleText(map.shape), layouts::tupleText(map.stridesBytes),
                         layouts::tupleText(map.box), map.swizzle, kernel, api.describe(status)));
  return to;
}

} // namespace lanescope::core
