// Arrays of texels, their copies, textures and surfaces.
#include "core/gpu/driver/runtime/RuntimeCopies.h"
#include "core/gpu/driver/runtime/Thread.h"

#include <algorithm>

namespace lanescope::core::runtime {

using namespace driver;

namespace {

/// The driver's format of a channel; 0: there is none.
int formatOf(const ChannelDescription &from) {
  int bits = from.x;
  switch (from.kind) {
  case kSignedChannel: return bits == 8 ? kSignedInt8 : bits == 16 ? kSignedInt16 : bits == 32 ? kSignedInt32 : 0;
  case kUnsignedChannel:
    return bits == 8 ? kUnsignedInt8 : bits == 16 ? kUnsignedInt16 : bits == 32 ? kUnsignedInt32 : 0;
  case kFloatChannel: return bits == 16 ? kHalf : bits == 32 ? kFloat : 0;
  default: return 0;
  }
}

unsigned countOf(const ChannelDescription &from) {
  return static_cast<unsigned>((from.x != 0) + (from.y != 0) + (from.z != 0) + (from.w != 0));
}

int bitsOf(int format) {
  bool byte = format == kUnsignedInt8 || format == kSignedInt8;
  bool half = format == kUnsignedInt16 || format == kSignedInt16 || format == kHalf;
  return byte ? 8 : half ? 16 : 32;
}

ChannelDescription channelsOf(const ArrayDescriptor3D &shape) {
  int bits = bitsOf(shape.format);
  bool isSigned = shape.format == kSignedInt8 || shape.format == kSignedInt16 || shape.format == kSignedInt32;
  bool isFloat = shape.format == kHalf || shape.format == kFloat;
  auto has = [&](unsigned n) { return shape.channels > n ? bits : 0; };
  return {has(0), has(1), has(2), has(3), isFloat ? kFloatChannel : isSigned ? kSignedChannel : kUnsignedChannel};
}

ResourceDescriptor resourceFrom(const Resource &from) {
  ResourceDescriptor out{};
  out.type = from.type;
  if (from.type == kLinearResource)
    out.linear = {address(from.linear.pointer), formatOf(from.linear.channels), countOf(from.linear.channels),
                  from.linear.bytes};
  else if (from.type == kPitchedResource)
    out.pitched = {address(from.pitched.pointer),
                   formatOf(from.pitched.channels),
                   countOf(from.pitched.channels),
                   from.pitched.width,
                   from.pitched.height,
                   from.pitched.pitch};
  else
    out.array = from.array;
  return out;
}

TextureDescriptor textureFrom(const Sampling &from) {
  TextureDescriptor out{};
  std::ranges::copy(from.outside, out.outside);
  std::ranges::copy(from.border, out.border);
  out.filter = from.filter;
  out.flags = (from.readMode == 0 ? kReadAsInteger : 0u) | (from.normalised ? kNormalisedCoordinates : 0u) |
              (from.srgb ? kSrgb : 0u);
  out.anisotropy = from.anisotropy;
  return out;
}

Error createArray(TexelArray **out, const ChannelDescription *channels, Place3 extent, unsigned flags) {
  if (!channels)
    return remember(runtime::kInvalidValue);
  return finish([&] {
    ArrayDescriptor3D shape{extent.x, extent.y, extent.z, formatOf(*channels), countOf(*channels), flags};
    return cuArray3DCreate_v2(out, &shape);
  });
}

struct Corner {
  TexelArray *array = nullptr; // null: plain memory
  size_t x = 0, y = 0;
  const void *pointer = nullptr;
  size_t pitch = 0;
};

Error copyRectangle(Corner to, Corner from, size_t width, size_t height, Stream *stream) {
  return finish([&] {
    Copy2D plane{};
    plane.srcType = from.array ? kArrayMemory : kUnifiedMemory;
    plane.srcArray = from.array;
    plane.srcX = from.x;
    plane.srcY = from.y;
    plane.srcDevice = address(from.pointer);
    plane.srcPitch = from.pitch;
    plane.dstType = to.array ? kArrayMemory : kUnifiedMemory;
    plane.dstArray = to.array;
    plane.dstX = to.x;
    plane.dstY = to.y;
    plane.dstDevice = address(to.pointer);
    plane.dstPitch = to.pitch;
    plane.width = width;
    plane.height = height;
    return cuMemcpy2DAsync_v2(&plane, stream);
  });
}

/// The number of the byte in the array at which a place lies.
size_t byteAt(TexelArray *array, size_t x, size_t y) {
  ArrayDescriptor3D shape{};
  cuArray3DGetDescriptor_v2(&shape, array);
  return y * shape.width * texelBytes(array) + x;
}

} // namespace

size_t texelBytes(TexelArray *array) {
  ArrayDescriptor3D shape{};
  if (cuArray3DGetDescriptor_v2(&shape, array))
    return 0;
  return shape.channels * static_cast<size_t>(bitsOf(shape.format)) / 8;
}

LANESCOPE_RUNTIME ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
LANESCOPE_RUNTIME Error cudaMallocArray(TexelArray **out, const ChannelDescription *channels, size_t width,
                                        size_t height, unsigned flags) {
  return createArray(out, channels, {width, height, 0}, flags);
}
LANESCOPE_RUNTIME Error cudaMalloc3DArray(TexelArray **out, const ChannelDescription *channels, Place3 extent,
                                          unsigned flags) {
  return createArray(out, channels, extent, flags);
}
LANESCOPE_RUNTIME Error cudaFreeArray(TexelArray *array) {
  return finish([&] { return array ? cuArrayDestroy(array) : 0; });
}
LANESCOPE_RUNTIME Error cudaArrayGetInfo(ChannelDescription *channels, Place3 *extent, unsigned *flags,
                                         TexelArray *array) {
  return finish([&] {
    ArrayDescriptor3D shape{};
    Status status = cuArray3DGetDescriptor_v2(&shape, array);
    if (channels)
      *channels = channelsOf(shape);
    if (extent)
      *extent = {shape.width, shape.height, shape.depth};
    if (flags)
      *flags = shape.flags;
    return status;
  });
}
LANESCOPE_RUNTIME Error cudaGetChannelDesc(ChannelDescription *out, TexelArray *array) {
  return cudaArrayGetInfo(out, nullptr, nullptr, array);
}

LANESCOPE_RUNTIME Error cudaMemcpy2DToArray(TexelArray *to, size_t x, size_t y, const void *from, size_t pitch,
                                            size_t width, size_t height, int) {
  return copyRectangle({to, x, y}, {.pointer = from, .pitch = pitch}, width, height, nullptr);
}
LANESCOPE_SAME(cudaMemcpy2DToArray, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpy2DToArrayAsync(TexelArray *to, size_t x, size_t y, const void *from, size_t pitch,
                                                 size_t width, size_t height, int, Stream *stream) {
  return copyRectangle({to, x, y}, {.pointer = from, .pitch = pitch}, width, height, stream);
}
LANESCOPE_SAME(cudaMemcpy2DToArrayAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpy2DFromArray(void *to, size_t pitch, TexelArray *from, size_t x, size_t y,
                                              size_t width, size_t height, int) {
  return copyRectangle({.pointer = to, .pitch = pitch}, {from, x, y}, width, height, nullptr);
}
LANESCOPE_SAME(cudaMemcpy2DFromArray, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, TexelArray *from, size_t x, size_t y,
                                                   size_t width, size_t height, int, Stream *stream) {
  return copyRectangle({.pointer = to, .pitch = pitch}, {from, x, y}, width, height, stream);
}
LANESCOPE_SAME(cudaMemcpy2DFromArrayAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpy2DArrayToArray(TexelArray *to, size_t toX, size_t toY, TexelArray *from, size_t fromX,
                                                 size_t fromY, size_t width, size_t height, int) {
  return copyRectangle({to, toX, toY}, {from, fromX, fromY}, width, height, nullptr);
}
LANESCOPE_SAME(cudaMemcpy2DArrayToArray, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyToArray(TexelArray *to, size_t x, size_t y, const void *from, size_t bytes, int) {
  return finish([&] { return cuMemcpyHtoA_v2(to, byteAt(to, x, y), from, bytes); });
}
LANESCOPE_SAME(cudaMemcpyToArray, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyToArrayAsync(TexelArray *to, size_t x, size_t y, const void *from, size_t bytes, int,
                                               Stream *stream) {
  return finish([&] { return cuMemcpyHtoAAsync_v2(to, byteAt(to, x, y), from, bytes, stream); });
}
LANESCOPE_SAME(cudaMemcpyToArrayAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpyFromArray(void *to, TexelArray *from, size_t x, size_t y, size_t bytes, int) {
  return finish([&] { return cuMemcpyAtoH_v2(to, from, byteAt(from, x, y), bytes); });
}
LANESCOPE_SAME(cudaMemcpyFromArray, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyFromArrayAsync(void *to, TexelArray *from, size_t x, size_t y, size_t bytes, int,
                                                 Stream *stream) {
  return finish([&] { return cuMemcpyAtoHAsync_v2(to, from, byteAt(from, x, y), bytes, stream); });
}
LANESCOPE_SAME(cudaMemcpyFromArrayAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpyArrayToArray(TexelArray *to, size_t toX, size_t toY, TexelArray *from, size_t fromX,
                                               size_t fromY, size_t bytes, int) {
  return finish([&] { return cuMemcpyAtoA_v2(to, byteAt(to, toX, toY), from, byteAt(from, fromX, fromY), bytes); });
}
LANESCOPE_SAME(cudaMemcpyArrayToArray, "_ptds");

LANESCOPE_RUNTIME Error cudaCreateTextureObject(unsigned long long *out, const Resource *resource,
                                                const Sampling *sampling, const void *view) {
  if (!resource || !sampling)
    return remember(runtime::kInvalidValue);
  return finish([&] {
    ResourceDescriptor from = resourceFrom(*resource);
    TextureDescriptor how = textureFrom(*sampling);
    return cuTexObjectCreate(out, &from, &how, view);
  });
}
LANESCOPE_RUNTIME Error cudaDestroyTextureObject(unsigned long long object) {
  return finish([&] { return cuTexObjectDestroy(object); });
}
LANESCOPE_RUNTIME Error cudaCreateSurfaceObject(unsigned long long *out, const Resource *resource) {
  if (!resource)
    return remember(runtime::kInvalidValue);
  return finish([&] {
    ResourceDescriptor from = resourceFrom(*resource);
    return cuSurfObjectCreate(out, &from);
  });
}
LANESCOPE_RUNTIME Error cudaDestroySurfaceObject(unsigned long long object) {
  return finish([&] { return cuSurfObjectDestroy(object); });
}

} // namespace lanescope::core::runtime
