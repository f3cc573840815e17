#include "core/gpu/driver/DriverTextures.h"

#include "core/gpu/emulator/machine/Texture.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::driver {

namespace {

using emulator::Channel;
using emulator::Outside;
using emulator::Texture;

constexpr size_t kMostTexels = 65536 * 2; // in one dimension
constexpr size_t kTextureAlignment = 512, kPitchAlignment = 32;

/// Sets the channels of a texel. Returns false if the emulator has no such format.
bool setFormat(Texture &texture, int format, unsigned channels) {
  struct Known {
    int format;
    Channel channel;
    uint8_t bytes;
  };
  constexpr Known kKnown[] = {{kUnsignedInt8, Channel::Unsigned, 1},
                              {kUnsignedInt16, Channel::Unsigned, 2},
                              {kUnsignedInt32, Channel::Unsigned, 4},
                              {kSignedInt8, Channel::Signed, 1},
                              {kSignedInt16, Channel::Signed, 2},
                              {kSignedInt32, Channel::Signed, 4},
                              {kHalf, Channel::Float, 2},
                              {kFloat, Channel::Float, 4}};
  const Known *known = std::ranges::find(kKnown, format, &Known::format);
  if (known == std::end(kKnown) || (channels != 1 && channels != 2 && channels != 4))
    return false;
  texture.channel = known->channel;
  texture.channelBytes = known->bytes;
  texture.channels = static_cast<uint8_t>(channels);
  return true;
}

/// CUDA has no texels of three channels; other combinations that are not known here are formats of CUDA.
Status complainOfFormat(State &state, int format, unsigned channels) {
  if (channels != 1 && channels != 2 && channels != 4)
    return kInvalidValue;
  state.journal->complain(text("a texel of ", channels, " channels of format ", format,
                               ": the emulator has 1, 2 or 4 channels of integers, halves and floats"));
  return kNotSupported;
}

/// Describes the texels that a resource names.
Status describeTexels(State &state, const ResourceDescriptor &resource, Texture &texture) {
  switch (resource.type) {
  case kArrayResource: {
    const TexelArray *array = resource.array;
    if (!state.arrays.has(array))
      return kInvalidHandle;
    const ArrayDescriptor3D &shape = array->shape;
    setFormat(texture, shape.format, shape.channels);
    texture.texels = array->texels;
    texture.pitch = array->rowBytes;
    texture.slice = array->rowBytes * array->rows;
    bool layered = (shape.flags & (kArrayLayered | kArrayCube)) != 0;
    texture.sizes = {static_cast<uint32_t>(shape.width), static_cast<uint32_t>(array->rows),
                     layered ? 1 : static_cast<uint32_t>(array->planes)};
    texture.layers = layered ? static_cast<uint32_t>(array->planes) : 0;
    return kSuccess;
  }
  case kLinearResource: {
    const auto &linear = resource.linear;
    if (!setFormat(texture, linear.format, linear.channels))
      return complainOfFormat(state, linear.format, linear.channels);
    if (!state.memory.find(linear.address) || linear.address % kTextureAlignment != 0)
      return kInvalidValue;
    texture.texels = linear.address;
    texture.sizes[0] = static_cast<uint32_t>(linear.bytes / texture.texelBytes());
    texture.outside.fill(Outside::Border); // places outside read as zero
    return kSuccess;
  }
  case kPitchedResource: {
    const auto &pitched = resource.pitched;
    if (!setFormat(texture, pitched.format, pitched.channels))
      return complainOfFormat(state, pitched.format, pitched.channels);
    if (!state.memory.find(pitched.address) || pitched.address % kTextureAlignment != 0 ||
        pitched.pitch % kPitchAlignment != 0 || pitched.width > kMostTexels || pitched.height > kMostTexels ||
        pitched.width == 0 || pitched.height == 0 || pitched.pitch < pitched.width * texture.texelBytes())
      return kInvalidValue;
    texture.texels = pitched.address;
    texture.pitch = pitched.pitch;
    texture.sizes = {static_cast<uint32_t>(pitched.width), static_cast<uint32_t>(pitched.height), 1};
    return kSuccess;
  }
  case kMipmappedResource:
    state.journal->complain("textures of mipmapped arrays: the emulator has only textures of arrays and of memory");
    return kNotSupported;
  default: return kInvalidValue;
  }
}

/// Sets how coordinates become texels, and texels values.
Status describeSampling(const TextureDescriptor &from, bool isLinear, Texture &texture) {
  constexpr int kLinearFilter = 1, kLastOutside = static_cast<int>(Outside::Border);
  bool integers = texture.channel != Channel::Float;
  texture.fraction = integers && texture.channelBytes < 4 && !(from.flags & kReadAsInteger);
  if (isLinear)
    return kSuccess;
  texture.filtered = from.filter == kLinearFilter;
  texture.normalised = (from.flags & kNormalisedCoordinates) != 0;
  texture.srgb = (from.flags & kSrgb) != 0;
  if (texture.filtered && integers && !texture.fraction)
    return kInvalidValue; // integers have no values between them
  for (size_t n = 0; n < 3; ++n) {
    if (from.outside[n] < 0 || from.outside[n] > kLastOutside)
      return kInvalidValue;
    texture.outside[n] = static_cast<Outside>(from.outside[n]);
  }
  std::ranges::copy(from.border, texture.border.begin());
  return kSuccess;
}

} // namespace

Status createArray(State &state, const ArrayDescriptor3D &shape, TexelArray *&out) {
  constexpr unsigned kKnownFlags = kArrayLayered | kArraySurface | kArrayCube | kArrayGather;
  Texture format;
  if (!setFormat(format, shape.format, shape.channels))
    return complainOfFormat(state, shape.format, shape.channels);
  if (shape.flags & ~kKnownFlags) {
    state.journal->complain(text("an array with the flags ", shape.flags & ~kKnownFlags,
                                 ": the emulator has layered, cube, surface and gather arrays"));
    return kNotSupported;
  }
  bool cube = (shape.flags & kArrayCube) != 0;
  if (shape.width == 0 || std::max({shape.width, shape.height, shape.depth}) > kMostTexels ||
      (cube && (shape.width != shape.height || shape.depth % 6 != 0)) ||
      (!cube && !(shape.flags & kArrayLayered) && shape.depth && !shape.height))
    return kInvalidValue;
  auto array = std::make_unique<TexelArray>();
  array->shape = shape;
  array->rowBytes = shape.width * format.texelBytes();
  array->rows = std::max<size_t>(shape.height, 1);
  array->planes = std::max<size_t>(shape.depth, 1);
  size_t bytes = array->rowBytes * array->rows * array->planes;
  auto room = static_cast<size_t>(state.gpu->memoryBytes);
  if (bytes > room || state.memory.usedOnDevice() > room - bytes)
    return kOutOfMemory;
  Allocation *one =
      state.memory.allocate(Allocation::Kind::Variable, bytes, state.current()->device, text("array ", state.nextId++));
  if (!one)
    return kOutOfMemory;
  state.memory.countUsed(bytes);
  array->texels = one->address;
  out = state.arrays.add(std::move(array));
  return kSuccess;
}

Status destroyArray(State &state, TexelArray *array) {
  if (!state.arrays.has(array))
    return kInvalidHandle;
  state.memory.countFreed(array->rowBytes * array->rows * array->planes);
  state.memory.free(array->texels);
  state.arrays.remove(array);
  return kSuccess;
}

Status createTexture(State &state, const ResourceDescriptor &resource, const TextureDescriptor *texture,
                     DevicePointer &handle) {
  Texture made;
  if (Status status = describeTexels(state, resource, made))
    return status;
  made.surface = !texture;
  if (made.surface && (resource.type != kArrayResource || !(resource.array->shape.flags & kArraySurface)))
    return kInvalidValue;
  if (texture)
    if (Status status = describeSampling(*texture, resource.type == kLinearResource, made))
      return status;
  Allocation *one = state.memory.allocate(Allocation::Kind::Variable, emulator::kTextureBytes, state.current()->device,
                                          text(texture ? "texture " : "surface ", state.nextId++));
  if (!one)
    return kOutOfMemory;
  encode(made, one->host);
  handle = one->address;
  state.textures[handle] = {resource, texture ? *texture : TextureDescriptor{}, made.surface};
  return kSuccess;
}

Status destroyTexture(State &state, DevicePointer handle, bool surface) {
  auto found = state.textures.find(handle);
  if (found == state.textures.end() || found->second.surface != surface)
    return kInvalidHandle;
  state.memory.free(handle);
  state.textures.erase(found);
  return kSuccess;
}

} // namespace lanescope::core::driver
