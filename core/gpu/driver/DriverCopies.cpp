// Copies and fills between any two places: host memory, device memory, pinned and managed memory, arrays of texels.
#include "core/gpu/driver/State.h"

#include <cstring>

namespace lanescope::core::driver {

namespace {

constexpr double kBytesPerUs = 25000; // about half of the rate of sixteen lanes of PCIe 5

struct Side {
  std::byte *begin = nullptr;
  size_t pitch = 0, slice = 0;
};

/// The first byte, row and plane of the copied part.
struct Corner {
  size_t x = 0, y = 0, z = 0;
};

/// `begin` of the result is null if a part of the copied memory is not allocated.
Side sideOf(State &state, uint64_t address, const Corner &corner, size_t pitch, size_t height, const Copy3D &copy) {
  Side side;
  side.pitch = pitch ? pitch : copy.width;
  side.slice = side.pitch * (height ? height : copy.height);
  uint64_t first = address + corner.z * side.slice + corner.y * side.pitch + corner.x;
  size_t bytes = (copy.depth - 1) * side.slice + (copy.height - 1) * side.pitch + copy.width;
  side.begin = address ? state.memory.resolve(first, bytes) : nullptr;
  return side;
}

/// `begin` of the result is null if the copied part is not in the array.
Side sideOfArray(State &state, const TexelArray *array, const Corner &corner, const Copy3D &copy) {
  Side side;
  if (!state.arrays.has(array))
    return side;
  auto [x, y, z] = corner;
  auto fits = [](size_t from, size_t count, size_t size) { return from <= size && count <= size - from; };
  side.pitch = array->rowBytes;
  side.slice = side.pitch * array->rows;
  if (fits(x, copy.width, array->rowBytes) && fits(y, copy.height, array->rows) && fits(z, copy.depth, array->planes))
    side.begin = state.memory.resolve(array->texels + z * side.slice + y * side.pitch + x, copy.width);
  return side;
}

uint64_t addressOf(MemoryType type, const void *host, DevicePointer device) {
  return type == kHostMemory ? reinterpret_cast<uint64_t>(host) : device;
}

} // namespace

Status runCopy(State &state, const Copy3D &copy) {
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
    return kSuccess;
  const Corner first{copy.srcX, copy.srcY, copy.srcZ}, second{copy.dstX, copy.dstY, copy.dstZ};
  Side from = copy.srcType == kArrayMemory ? sideOfArray(state, copy.srcArray, first, copy)
                                           : sideOf(state, addressOf(copy.srcType, copy.srcHost, copy.srcDevice), first,
                                                    copy.srcPitch, copy.srcHeight, copy);
  Side to = copy.dstType == kArrayMemory ? sideOfArray(state, copy.dstArray, second, copy)
                                         : sideOf(state, addressOf(copy.dstType, copy.dstHost, copy.dstDevice), second,
                                                  copy.dstPitch, copy.dstHeight, copy);
  if (!from.begin || !to.begin || (copy.height > 1 && (from.pitch < copy.width || to.pitch < copy.width)))
    return kInvalidValue;
  for (size_t z = 0; z < copy.depth; ++z)
    for (size_t y = 0; y < copy.height; ++y)
      std::memmove(to.begin + z * to.slice + y * to.pitch, from.begin + z * from.slice + y * from.pitch, copy.width);
  state.clockUs += static_cast<double>(copy.width * copy.height * copy.depth) / kBytesPerUs;
  return kSuccess;
}

Status runFill(State &state, const MemsetNodeParams &fill) {
  if (fill.width == 0 || fill.height == 0)
    return kSuccess;
  if (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4)
    return kInvalidValue;
  size_t row = fill.width * fill.elementSize, pitch = fill.height > 1 ? fill.pitch : row;
  if (pitch < row || fill.destination % fill.elementSize != 0)
    return kInvalidValue;
  std::byte *to = fill.destination ? state.memory.resolve(fill.destination, (fill.height - 1) * pitch + row) : nullptr;
  if (!to)
    return kInvalidValue;
  for (size_t y = 0; y < fill.height; ++y)
    for (size_t x = 0; x < fill.width; ++x)
      std::memcpy(to + y * pitch + x * fill.elementSize, &fill.value, fill.elementSize);
  state.clockUs += static_cast<double>(row * fill.height) / kBytesPerUs;
  return kSuccess;
}

} // namespace lanescope::core::driver
