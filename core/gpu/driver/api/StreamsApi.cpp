// Streams, events and capture. Work is complete when the call that submits it returns, so waits return at once.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::driver {

namespace {

// CUevent_flags, CUstreamCaptureStatus
constexpr unsigned kEventFlags = 7, kDisableTiming = 2;
constexpr int kCaptureNone = 0, kCaptureActive = 1, kCaptureInvalidated = 2;
constexpr int kStrongestPriority = -5;

Status create(Stream **out, unsigned flags, int priority) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || flags > 1)
    return kInvalidValue;
  auto stream = std::make_unique<Stream>();
  stream->context = state.current();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kStrongestPriority, 0);
  stream->id = state.nextId++;
  *out = state.streams.add(std::move(stream));
  return kSuccess;
}

Status destroy(Stream *stream) {
  LANESCOPE_ENTER(Needs::Library);
  return state.streams.remove(stream) ? kSuccess : kInvalidHandle;
}

Status finished(Stream *stream) {
  LANESCOPE_ENTER_STREAM(stream);
  return on->capture ? kStreamCaptureUnsupported : state.current()->sticky;
}

Status record(Event *event, Stream *stream) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!state.events.has(event))
    return kInvalidHandle;
  event->capture = on->capture;
  event->tail = on->tail;
  return on->capture ? kSuccess : state.submit(on, RecordWork{event});
}

Status wait(Stream *stream, Event *event) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!state.events.has(event))
    return kInvalidHandle;
  if (event->capture && event->capture->active) { // from here on, the stream takes part in the capture
    if (on->capture && on->capture != event->capture)
      return kStreamCaptureMerge;
    on->capture = event->capture;
    for (GraphNode *node : event->tail)
      if (std::ranges::find(on->tail, node) == on->tail.end())
        on->tail.push_back(node);
    return kSuccess;
  }
  return on->capture ? kStreamCaptureIsolation : kSuccess;
}

Status eventState(Event *event) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.events.has(event))
    return kInvalidHandle;
  if (event->capture && event->capture->active)
    return kCapturedEvent;
  return state.current() ? state.current()->sticky : kSuccess;
}

Status destroyEvent(Event *event) {
  LANESCOPE_ENTER(Needs::Library);
  return state.events.remove(event) ? kSuccess : kInvalidHandle;
}

Status elapsed(float *out, Event *start, Event *end) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.events.has(start) || !state.events.has(end) || !start->recorded || !end->recorded ||
      ((start->flags | end->flags) & kDisableTiming))
    return kInvalidHandle;
  *out = static_cast<float>((end->timeUs - start->timeUs) / 1000);
  return kSuccess;
}

Status captureInfo(Stream *stream, int *status, uint64_t *id, Graph **graph, GraphNode *const **dependencies,
                   size_t *count) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!status)
    return kInvalidValue;
  *status = !on->capture ? kCaptureNone : on->capture->invalid ? kCaptureInvalidated : kCaptureActive;
  if (!on->capture)
    return kSuccess;
  if (id)
    *id = on->capture->id;
  if (graph)
    *graph = on->capture->graph;
  if (dependencies)
    *dependencies = on->tail.data();
  if (count)
    *count = on->tail.size();
  return kSuccess;
}

/// Checks that all work captured in other streams precedes some work in the origin.
bool isJoined(const State &state, const Stream &origin) {
  std::vector<const GraphNode *> open(origin.tail.begin(), origin.tail.end()), seen;
  while (!open.empty()) {
    const GraphNode *node = open.back();
    open.pop_back();
    if (std::ranges::find(seen, node) != seen.end())
      continue;
    seen.push_back(node);
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::ranges::all_of(state.streams, [&](const auto &one) {
    const Stream &other = *one.second;
    return &other == &origin || other.capture != origin.capture ||
           std::ranges::all_of(other.tail,
                               [&](const GraphNode *node) { return std::ranges::find(seen, node) != seen.end(); });
  });
}

} // namespace

Status cuStreamCreate(Stream **out, unsigned flags) { return create(out, flags, 0); }
Status cuStreamCreateWithPriority(Stream **out, unsigned flags, int priority) { return create(out, flags, priority); }
Status cuStreamDestroy_v2(Stream *stream) { return destroy(stream); }
Status cuStreamDestroy(Stream *stream) { return destroy(stream); }
Status cuStreamSynchronize(Stream *stream) { return finished(stream); }
Status cuStreamQuery(Stream *stream) { return finished(stream); }
Status cuStreamWaitEvent(Stream *stream, Event *event, unsigned) { return wait(stream, event); }

Status cuStreamAddCallback(Stream *stream, void (*callback)(Stream *, Status, void *), void *data, unsigned flags) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!callback || flags)
    return kInvalidValue;
  if (on->capture)
    return kStreamCaptureUnsupported;
  Status status = state.current()->sticky;
  state.unlocked([&] { callback(stream, status, data); });
  return kSuccess;
}

Status cuStreamGetPriority(Stream *stream, int *out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = on->priority;
  return kSuccess;
}

Status cuStreamGetFlags(Stream *stream, unsigned *out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = on->flags;
  return kSuccess;
}

Status cuStreamGetId(Stream *stream, unsigned long long *out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = on->id;
  return kSuccess;
}

Status cuStreamGetCtx(Stream *stream, Context **out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = on->context ? on->context : state.current();
  return kSuccess;
}

Status cuStreamGetDevice(Stream *stream, Device *out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = (on->context ? on->context : state.current())->device;
  return kSuccess;
}

Status cuStreamAttachMemAsync(Stream *stream, DevicePointer, size_t, unsigned) {
  LANESCOPE_ENTER_STREAM(stream);
  return kSuccess;
}

Status cuStreamSetAttribute(Stream *stream, int, const void *value) {
  LANESCOPE_ENTER_STREAM(stream);
  return value ? kSuccess : kInvalidValue;
}

Status cuStreamGetAttribute(Stream *stream, int, void *value) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!value)
    return kInvalidValue;
  std::memset(value, 0, 64);
  return kSuccess;
}

Status cuEventCreate(Event **out, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || flags & ~kEventFlags)
    return kInvalidValue;
  auto event = std::make_unique<Event>();
  event->flags = flags;
  *out = state.events.add(std::move(event));
  return kSuccess;
}

Status cuEventDestroy_v2(Event *event) { return destroyEvent(event); }
Status cuEventDestroy(Event *event) { return destroyEvent(event); }
Status cuEventRecord(Event *event, Stream *stream) { return record(event, stream); }
Status cuEventRecordWithFlags(Event *event, Stream *stream, unsigned) { return record(event, stream); }
Status cuEventQuery(Event *event) { return eventState(event); }
Status cuEventSynchronize(Event *event) { return eventState(event); }
Status cuEventElapsedTime(float *out, Event *start, Event *end) { return elapsed(out, start, end); }
Status cuEventElapsedTime_v2(float *out, Event *start, Event *end) { return elapsed(out, start, end); }

Status cuStreamBeginCapture_v2(Stream *stream, int mode) {
  LANESCOPE_ENTER_STREAM(stream);
  if (mode < 0 || mode > 2)
    return kInvalidValue;
  if (on == &state.legacy)
    return kStreamCaptureUnsupported;
  if (on->capture)
    return kIllegalState;
  on->capture = std::make_shared<Capture>();
  on->capture->graph = state.graphs.add(std::make_unique<Graph>());
  on->capture->origin = on;
  on->capture->id = state.nextId++;
  on->tail.clear();
  return kSuccess;
}
Status cuStreamBeginCapture(Stream *stream) { return cuStreamBeginCapture_v2(stream, 0); }

Status cuStreamEndCapture(Stream *stream, Graph **out) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  *out = nullptr;
  if (!on->capture)
    return kIllegalState;
  if (on->capture->origin != on)
    return kStreamCaptureUnmatched;
  std::shared_ptr<Capture> capture = on->capture;
  bool joined = isJoined(state, *on);
  capture->active = false;
  for (auto &[handle, other] : state.streams)
    if (other->capture == capture) {
      other->capture = nullptr;
      other->tail.clear();
    }
  on->capture = nullptr; // the loop above does not visit default streams
  on->tail.clear();
  if (!joined || capture->invalid) {
    state.graphs.remove(capture->graph);
    return joined ? kStreamCaptureInvalidated : kStreamCaptureUnjoined;
  }
  *out = capture->graph;
  return kSuccess;
}

Status cuStreamIsCapturing(Stream *stream, int *out) {
  return captureInfo(stream, out, nullptr, nullptr, nullptr, nullptr);
}
Status cuStreamGetCaptureInfo_v2(Stream *stream, int *status, uint64_t *id, Graph **graph,
                                 GraphNode *const **dependencies, size_t *count) {
  return captureInfo(stream, status, id, graph, dependencies, count);
}
Status cuStreamGetCaptureInfo_v3(Stream *stream, int *status, uint64_t *id, Graph **graph,
                                 GraphNode *const **dependencies, const void **edges, size_t *count) {
  if (edges)
    *edges = nullptr;
  return captureInfo(stream, status, id, graph, dependencies, count);
}

Status cuThreadExchangeStreamCaptureMode(int *mode) {
  thread_local int own = 0;
  if (!mode || *mode < 0 || *mode > 2)
    return kInvalidValue;
  std::swap(own, *mode);
  return kSuccess;
}

} // namespace lanescope::core::driver
