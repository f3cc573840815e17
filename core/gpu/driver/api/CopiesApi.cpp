// Copies and fills. All of them run when they are called, even in a stream: the order of the calls is one of the orders
// that CUDA's streams permit.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"

namespace lanescope::core::driver {

namespace {

Status copy(Stream *stream, const Copy3D &what) {
  LANESCOPE_ENTER_STREAM(stream);
  return state.submit(on, CopyWork{what});
}

Status flat(Stream *stream, DevicePointer to, DevicePointer from, size_t bytes) {
  Copy3D all{};
  all.srcType = all.dstType = kUnifiedMemory;
  all.srcDevice = from;
  all.dstDevice = to;
  all.width = bytes;
  all.height = all.depth = 1;
  return copy(stream, all);
}

DevicePointer word(const void *pointer) { return reinterpret_cast<DevicePointer>(pointer); }
DevicePointer word(DevicePointer pointer) { return pointer; }

Status plane(Stream *stream, const Copy2D *what) {
  if (!what)
    return kInvalidValue;
  Copy3D all{};
  all.srcX = what->srcX;
  all.srcY = what->srcY;
  all.srcType = what->srcType;
  all.srcHost = what->srcHost;
  all.srcDevice = what->srcDevice;
  all.srcArray = what->srcArray;
  all.srcPitch = what->srcPitch;
  all.dstX = what->dstX;
  all.dstY = what->dstY;
  all.dstType = what->dstType;
  all.dstHost = what->dstHost;
  all.dstDevice = what->dstDevice;
  all.dstArray = what->dstArray;
  all.dstPitch = what->dstPitch;
  all.width = what->width;
  all.height = what->height;
  all.depth = 1;
  return copy(stream, all);
}

Status fill(Stream *stream, DevicePointer to, size_t pitch, unsigned value, unsigned size, size_t width,
            size_t height) {
  LANESCOPE_ENTER_STREAM(stream);
  return state.submit(on, FillWork{{to, pitch, value, size, width, height}});
}

} // namespace

#define DIRECTIONS(NAME, TO, FROM)                                                                                     \
  Status cuMemcpy##NAME(TO to, FROM from, size_t bytes) { return flat(nullptr, word(to), word(from), bytes); }         \
  Status cuMemcpy##NAME##_v2(TO to, FROM from, size_t bytes) { return flat(nullptr, word(to), word(from), bytes); }    \
  Status cuMemcpy##NAME##Async(TO to, FROM from, size_t bytes, Stream *stream) {                                       \
    return flat(stream, word(to), word(from), bytes);                                                                  \
  }                                                                                                                    \
  Status cuMemcpy##NAME##Async_v2(TO to, FROM from, size_t bytes, Stream *stream) {                                    \
    return flat(stream, word(to), word(from), bytes);                                                                  \
  }
DIRECTIONS(HtoD, DevicePointer, const void *)
DIRECTIONS(DtoH, void *, DevicePointer)
DIRECTIONS(DtoD, DevicePointer, DevicePointer)
#undef DIRECTIONS

Status cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes) { return flat(nullptr, to, from, bytes); }
Status cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream) {
  return flat(stream, to, from, bytes);
}
Status cuMemcpyPeer(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes) {
  return flat(nullptr, to, from, bytes);
}
Status cuMemcpyPeerAsync(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes, Stream *stream) {
  return flat(stream, to, from, bytes);
}

Status cuMemcpy2D_v2(const Copy2D *what) { return plane(nullptr, what); }
Status cuMemcpy2D(const Copy2D *what) { return plane(nullptr, what); }
Status cuMemcpy2DUnaligned_v2(const Copy2D *what) { return plane(nullptr, what); }
Status cuMemcpy2DUnaligned(const Copy2D *what) { return plane(nullptr, what); }
Status cuMemcpy2DAsync_v2(const Copy2D *what, Stream *stream) { return plane(stream, what); }
Status cuMemcpy2DAsync(const Copy2D *what, Stream *stream) { return plane(stream, what); }
Status cuMemcpy3D_v2(const Copy3D *what) { return what ? copy(nullptr, *what) : kInvalidValue; }
Status cuMemcpy3D(const Copy3D *what) { return what ? copy(nullptr, *what) : kInvalidValue; }
Status cuMemcpy3DAsync_v2(const Copy3D *what, Stream *stream) { return what ? copy(stream, *what) : kInvalidValue; }
Status cuMemcpy3DAsync(const Copy3D *what, Stream *stream) { return what ? copy(stream, *what) : kInvalidValue; }
Status cuMemcpy3DPeer(const Copy3D *what) { return what ? copy(nullptr, *what) : kInvalidValue; }
Status cuMemcpy3DPeerAsync(const Copy3D *what, Stream *stream) { return what ? copy(stream, *what) : kInvalidValue; }

#define FILLS(BITS, TYPE)                                                                                              \
  Status cuMemsetD##BITS(DevicePointer to, TYPE value, size_t count) {                                                 \
    return fill(nullptr, to, 0, value, BITS / 8, count, 1);                                                            \
  }                                                                                                                    \
  Status cuMemsetD##BITS##_v2(DevicePointer to, TYPE value, size_t count) {                                            \
    return fill(nullptr, to, 0, value, BITS / 8, count, 1);                                                            \
  }                                                                                                                    \
  Status cuMemsetD##BITS##Async(DevicePointer to, TYPE value, size_t count, Stream *stream) {                          \
    return fill(stream, to, 0, value, BITS / 8, count, 1);                                                             \
  }                                                                                                                    \
  Status cuMemsetD2D##BITS##_v2(DevicePointer to, size_t pitch, TYPE value, size_t width, size_t height) {             \
    return fill(nullptr, to, pitch, value, BITS / 8, width, height);                                                   \
  }                                                                                                                    \
  Status cuMemsetD2D##BITS##Async(DevicePointer to, size_t pitch, TYPE value, size_t width, size_t height,             \
                                  Stream *stream) {                                                                    \
    return fill(stream, to, pitch, value, BITS / 8, width, height);                                                    \
  }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
#undef FILLS

Status cuMemsetD2D8(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill(nullptr, to, pitch, value, 1, width, height);
}

} // namespace lanescope::core::driver
