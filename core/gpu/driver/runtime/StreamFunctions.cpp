// Streams, events and capture.
#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

using namespace driver;

LANESCOPE_RUNTIME Error cudaStreamCreate(Stream **out) {
  return finish([&] { return cuStreamCreate(out, 0); });
}
LANESCOPE_RUNTIME Error cudaStreamCreateWithFlags(Stream **out, unsigned flags) {
  return finish([&] { return cuStreamCreate(out, flags); });
}
LANESCOPE_RUNTIME Error cudaStreamCreateWithPriority(Stream **out, unsigned flags, int priority) {
  return finish([&] { return cuStreamCreateWithPriority(out, flags, priority); });
}
LANESCOPE_RUNTIME Error cudaStreamDestroy(Stream *stream) {
  return finish([&] { return cuStreamDestroy_v2(stream); });
}
LANESCOPE_RUNTIME Error cudaStreamSynchronize(Stream *stream) {
  return finish([&] { return cuStreamSynchronize(stream); });
}
LANESCOPE_SAME(cudaStreamSynchronize, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamQuery(Stream *stream) {
  return finish([&] { return cuStreamQuery(stream); });
}
LANESCOPE_SAME(cudaStreamQuery, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamWaitEvent(Stream *stream, Event *event, unsigned flags) {
  return finish([&] { return cuStreamWaitEvent(stream, event, flags); });
}
LANESCOPE_SAME(cudaStreamWaitEvent, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamAddCallback(Stream *stream, void (*callback)(Stream *, Error, void *), void *data,
                                              unsigned flags) {
  return finish([&] { return cuStreamAddCallback(stream, callback, data, flags); });
}
LANESCOPE_SAME(cudaStreamAddCallback, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamGetPriority(Stream *stream, int *out) {
  return finish([&] { return cuStreamGetPriority(stream, out); });
}
LANESCOPE_RUNTIME Error cudaStreamGetFlags(Stream *stream, unsigned *out) {
  return finish([&] { return cuStreamGetFlags(stream, out); });
}
LANESCOPE_RUNTIME Error cudaStreamGetId(Stream *stream, unsigned long long *out) {
  return finish([&] { return cuStreamGetId(stream, out); });
}
LANESCOPE_RUNTIME Error cudaStreamGetDevice(Stream *stream, int *out) {
  return finish([&] { return cuStreamGetDevice(stream, out); });
}
LANESCOPE_RUNTIME Error cudaStreamAttachMemAsync(Stream *stream, void *memory, size_t bytes, unsigned flags) {
  return finish([&] { return cuStreamAttachMemAsync(stream, address(memory), bytes, flags); });
}
LANESCOPE_SAME(cudaStreamAttachMemAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamSetAttribute(Stream *stream, int which, const void *value) {
  return finish([&] { return cuStreamSetAttribute(stream, which, value); });
}
LANESCOPE_RUNTIME Error cudaStreamGetAttribute(Stream *stream, int which, void *value) {
  return finish([&] { return cuStreamGetAttribute(stream, which, value); });
}

LANESCOPE_RUNTIME Error cudaEventCreate(Event **out) {
  return finish([&] { return cuEventCreate(out, 0); });
}
LANESCOPE_RUNTIME Error cudaEventCreateWithFlags(Event **out, unsigned flags) {
  return finish([&] { return cuEventCreate(out, flags); });
}
LANESCOPE_RUNTIME Error cudaEventDestroy(Event *event) {
  return finish([&] { return cuEventDestroy_v2(event); });
}
LANESCOPE_RUNTIME Error cudaEventRecord(Event *event, Stream *stream) {
  return finish([&] { return cuEventRecord(event, stream); });
}
LANESCOPE_SAME(cudaEventRecord, "_ptsz");
LANESCOPE_RUNTIME Error cudaEventRecordWithFlags(Event *event, Stream *stream, unsigned flags) {
  return finish([&] { return cuEventRecordWithFlags(event, stream, flags); });
}
LANESCOPE_SAME(cudaEventRecordWithFlags, "_ptsz");
LANESCOPE_RUNTIME Error cudaEventQuery(Event *event) {
  return finish([&] { return cuEventQuery(event); });
}
LANESCOPE_RUNTIME Error cudaEventSynchronize(Event *event) {
  return finish([&] { return cuEventSynchronize(event); });
}
LANESCOPE_RUNTIME Error cudaEventElapsedTime(float *out, Event *start, Event *end) {
  return finish([&] { return cuEventElapsedTime(out, start, end); });
}

LANESCOPE_RUNTIME Error cudaStreamBeginCapture(Stream *stream, int mode) {
  return finish([&] { return cuStreamBeginCapture_v2(stream, mode); });
}
LANESCOPE_SAME(cudaStreamBeginCapture, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamEndCapture(Stream *stream, Graph **out) {
  return finish([&] { return cuStreamEndCapture(stream, out); });
}
LANESCOPE_SAME(cudaStreamEndCapture, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamIsCapturing(Stream *stream, int *out) {
  return finish([&] { return cuStreamIsCapturing(stream, out); });
}
LANESCOPE_SAME(cudaStreamIsCapturing, "_ptsz");
LANESCOPE_RUNTIME Error cudaStreamGetCaptureInfo(Stream *stream, int *status, unsigned long long *id, Graph **graph,
                                                 GraphNode *const **dependencies, const void **edges, size_t *count) {
  return finish([&] {
    return cuStreamGetCaptureInfo_v3(stream, status, reinterpret_cast<uint64_t *>(id), graph, dependencies, edges,
                                     count);
  });
}
LANESCOPE_SAME(cudaStreamGetCaptureInfo, "_ptsz");
LANESCOPE_RUNTIME Error cudaThreadExchangeStreamCaptureMode(int *mode) {
  return finish([&] { return cuThreadExchangeStreamCaptureMode(mode); });
}

} // namespace lanescope::core::runtime
