// Arrays of texels, their copies, and the objects of textures and surfaces.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "core/gpu/driver/DriverTextures.h"

namespace lanescope::core::driver {

namespace {

/// The address of a part of an array, whose rows have no gaps; 0: it has no such part.
DevicePointer partOf(TexelArray *array, size_t at, size_t bytes) {
  State &state = State::get();
  std::scoped_lock entered(state.lock);
  if (!state.initialised || !state.arrays.has(array))
    return 0;
  size_t all = array->rowBytes * array->rows * array->planes;
  return at <= all && bytes <= all - at ? array->texels + at : 0;
}

Status copyBytes(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream) {
  return to && from ? cuMemcpyAsync(to, from, bytes, stream) : kInvalidValue;
}

DevicePointer word(const void *pointer) { return reinterpret_cast<DevicePointer>(pointer); }

Status resourceOf(ResourceDescriptor *out, DevicePointer object, bool surface) {
  LANESCOPE_ENTER(Needs::Context);
  auto found = state.textures.find(object);
  if (!out || found == state.textures.end() || found->second.surface != surface)
    return kInvalidValue;
  *out = found->second.resource;
  return kSuccess;
}

} // namespace

Status cuArray3DCreate_v2(TexelArray **out, const ArrayDescriptor3D *shape) {
  LANESCOPE_ENTER(Needs::Context);
  return out && shape ? createArray(state, *shape, *out) : kInvalidValue;
}
Status cuArray3DCreate(TexelArray **out, const ArrayDescriptor3D *shape) { return cuArray3DCreate_v2(out, shape); }
Status cuArrayCreate_v2(TexelArray **out, const ArrayDescriptor *shape) {
  if (!shape)
    return kInvalidValue;
  ArrayDescriptor3D whole{shape->width, shape->height, 0, shape->format, shape->channels, 0};
  return cuArray3DCreate_v2(out, &whole);
}
Status cuArrayCreate(TexelArray **out, const ArrayDescriptor *shape) { return cuArrayCreate_v2(out, shape); }
Status cuArrayDestroy(TexelArray *array) {
  LANESCOPE_ENTER(Needs::Context);
  return destroyArray(state, array);
}
Status cuArray3DGetDescriptor_v2(ArrayDescriptor3D *out, TexelArray *array) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out)
    return kInvalidValue;
  if (!state.arrays.has(array))
    return kInvalidHandle;
  *out = array->shape;
  return kSuccess;
}
Status cuArray3DGetDescriptor(ArrayDescriptor3D *out, TexelArray *array) {
  return cuArray3DGetDescriptor_v2(out, array);
}
Status cuArrayGetDescriptor_v2(ArrayDescriptor *out, TexelArray *array) {
  ArrayDescriptor3D whole{};
  if (Status status = out ? cuArray3DGetDescriptor_v2(&whole, array) : kInvalidValue)
    return status;
  *out = {whole.width, whole.height, whole.format, whole.channels};
  return kSuccess;
}
Status cuArrayGetDescriptor(ArrayDescriptor *out, TexelArray *array) { return cuArrayGetDescriptor_v2(out, array); }

Status cuMemcpyHtoAAsync_v2(TexelArray *to, size_t at, const void *from, size_t bytes, Stream *stream) {
  return copyBytes(partOf(to, at, bytes), word(from), bytes, stream);
}
Status cuMemcpyHtoAAsync(TexelArray *to, size_t at, const void *from, size_t bytes, Stream *stream) {
  return cuMemcpyHtoAAsync_v2(to, at, from, bytes, stream);
}
Status cuMemcpyHtoA_v2(TexelArray *to, size_t at, const void *from, size_t bytes) {
  return cuMemcpyHtoAAsync_v2(to, at, from, bytes, nullptr);
}
Status cuMemcpyHtoA(TexelArray *to, size_t at, const void *from, size_t bytes) {
  return cuMemcpyHtoA_v2(to, at, from, bytes);
}
Status cuMemcpyDtoA_v2(TexelArray *to, size_t at, DevicePointer from, size_t bytes) {
  return copyBytes(partOf(to, at, bytes), from, bytes, nullptr);
}
Status cuMemcpyDtoA(TexelArray *to, size_t at, DevicePointer from, size_t bytes) {
  return cuMemcpyDtoA_v2(to, at, from, bytes);
}
Status cuMemcpyAtoHAsync_v2(void *to, TexelArray *from, size_t at, size_t bytes, Stream *stream) {
  return copyBytes(word(to), partOf(from, at, bytes), bytes, stream);
}
Status cuMemcpyAtoHAsync(void *to, TexelArray *from, size_t at, size_t bytes, Stream *stream) {
  return cuMemcpyAtoHAsync_v2(to, from, at, bytes, stream);
}
Status cuMemcpyAtoH_v2(void *to, TexelArray *from, size_t at, size_t bytes) {
  return cuMemcpyAtoHAsync_v2(to, from, at, bytes, nullptr);
}
Status cuMemcpyAtoH(void *to, TexelArray *from, size_t at, size_t bytes) {
  return cuMemcpyAtoH_v2(to, from, at, bytes);
}
Status cuMemcpyAtoD_v2(DevicePointer to, TexelArray *from, size_t at, size_t bytes) {
  return copyBytes(to, partOf(from, at, bytes), bytes, nullptr);
}
Status cuMemcpyAtoD(DevicePointer to, TexelArray *from, size_t at, size_t bytes) {
  return cuMemcpyAtoD_v2(to, from, at, bytes);
}
Status cuMemcpyAtoA_v2(TexelArray *to, size_t toAt, TexelArray *from, size_t fromAt, size_t bytes) {
  return copyBytes(partOf(to, toAt, bytes), partOf(from, fromAt, bytes), bytes, nullptr);
}
Status cuMemcpyAtoA(TexelArray *to, size_t toAt, TexelArray *from, size_t fromAt, size_t bytes) {
  return cuMemcpyAtoA_v2(to, toAt, from, fromAt, bytes);
}

Status cuTexObjectCreate(unsigned long long *out, const ResourceDescriptor *resource, const TextureDescriptor *texture,
                         const void *view) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || !resource || !texture)
    return kInvalidValue;
  if (view) {
    state.journal->complain("`cuTexObjectCreate`: the emulator has no views of textures");
    return kNotSupported;
  }
  return createTexture(state, *resource, texture, *out);
}
Status cuTexObjectDestroy(unsigned long long object) {
  LANESCOPE_ENTER(Needs::Context);
  return destroyTexture(state, object, false);
}
Status cuTexObjectGetResourceDesc(ResourceDescriptor *out, unsigned long long object) {
  return resourceOf(out, object, false);
}
Status cuTexObjectGetTextureDesc(TextureDescriptor *out, unsigned long long object) {
  LANESCOPE_ENTER(Needs::Context);
  auto found = state.textures.find(object);
  if (!out || found == state.textures.end() || found->second.surface)
    return kInvalidValue;
  *out = found->second.texture;
  return kSuccess;
}
Status cuSurfObjectCreate(unsigned long long *out, const ResourceDescriptor *resource) {
  LANESCOPE_ENTER(Needs::Context);
  return out && resource ? createTexture(state, *resource, nullptr, *out) : kInvalidValue;
}
Status cuSurfObjectDestroy(unsigned long long object) {
  LANESCOPE_ENTER(Needs::Context);
  return destroyTexture(state, object, true);
}
Status cuSurfObjectGetResourceDesc(ResourceDescriptor *out, unsigned long long object) {
  return resourceOf(out, object, true);
}

} // namespace lanescope::core::driver
