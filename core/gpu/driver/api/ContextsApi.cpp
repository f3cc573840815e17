// Contexts: each device's primary one, those that a program creates, and the current one of each thread.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"

#include <algorithm>

namespace lanescope::core::driver {

namespace {

bool isDevice(const State &state, Device device) {
  return device >= 0 && device < static_cast<int>(state.settings.devices);
}

constexpr unsigned kFlags = 0xff;
// CUlimit: stack size, printf's buffer, malloc's heap, …
constexpr std::pair<int, size_t> kLimits[] = {{0, 1024}, {1, 1 << 20}, {2, 8 << 20}, {3, 2},
                                              {4, 2048}, {5, 128},     {6, 0}};

Status create(Context **out, unsigned flags, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || flags & ~kFlags)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  auto context = std::make_unique<Context>();
  context->device = device;
  context->flags = flags;
  context->id = state.nextId++;
  *out = state.contexts.add(std::move(context));
  contextStack().push_back(*out);
  return kSuccess;
}

/// Resets the error state of a context, so that later calls do not return its former error.
void reset(Context &context) { context.sticky = kSuccess; }

} // namespace

Status cuDevicePrimaryCtxRetain(Context **out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  ++state.retained[static_cast<size_t>(device)];
  *out = state.primaries[static_cast<size_t>(device)];
  return kSuccess;
}

Status cuDevicePrimaryCtxRelease_v2(Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  uint32_t &retained = state.retained[static_cast<size_t>(device)];
  if (retained == 0)
    return kInvalidContext;
  if (--retained == 0)
    reset(*state.primaries[static_cast<size_t>(device)]);
  return kSuccess;
}
Status cuDevicePrimaryCtxRelease(Device device) { return cuDevicePrimaryCtxRelease_v2(device); }

Status cuDevicePrimaryCtxReset_v2(Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  reset(*state.primaries[static_cast<size_t>(device)]);
  return kSuccess;
}
Status cuDevicePrimaryCtxReset(Device device) { return cuDevicePrimaryCtxReset_v2(device); }

Status cuDevicePrimaryCtxSetFlags_v2(Device device, unsigned flags) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  state.primaries[static_cast<size_t>(device)]->flags = flags;
  return kSuccess;
}
Status cuDevicePrimaryCtxSetFlags(Device device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

Status cuDevicePrimaryCtxGetState(Device device, unsigned *flags, int *active) {
  LANESCOPE_ENTER(Needs::Library);
  if (!flags || !active)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *flags = state.primaries[static_cast<size_t>(device)]->flags;
  *active = state.retained[static_cast<size_t>(device)] > 0;
  return kSuccess;
}

Status cuCtxCreate_v2(Context **out, unsigned flags, Device device) { return create(out, flags, device); }
Status cuCtxCreate(Context **out, unsigned flags, Device device) { return create(out, flags, device); }
Status cuCtxCreate_v3(Context **out, void *, int, unsigned flags, Device device) { return create(out, flags, device); }
Status cuCtxCreate_v4(Context **out, void *, unsigned flags, Device device) { return create(out, flags, device); }

Status cuCtxDestroy_v2(Context *context) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.contexts.has(context) || context->primary)
    return kInvalidContext;
  auto &stack = contextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  state.contexts.remove(context);
  return kSuccess;
}
Status cuCtxDestroy(Context *context) { return cuCtxDestroy_v2(context); }

Status cuCtxPushCurrent_v2(Context *context) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.contexts.has(context))
    return kInvalidContext;
  contextStack().push_back(context);
  return kSuccess;
}
Status cuCtxPushCurrent(Context *context) { return cuCtxPushCurrent_v2(context); }

Status cuCtxPopCurrent_v2(Context **out) {
  LANESCOPE_ENTER(Needs::Library);
  auto &stack = contextStack();
  if (stack.empty())
    return kInvalidContext;
  if (out)
    *out = stack.back();
  stack.pop_back();
  return kSuccess;
}
Status cuCtxPopCurrent(Context **out) { return cuCtxPopCurrent_v2(out); }

Status cuCtxSetCurrent(Context *context) {
  LANESCOPE_ENTER(Needs::Library);
  if (context && !state.contexts.has(context))
    return kInvalidContext;
  auto &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return kSuccess;
}

Status cuCtxGetCurrent(Context **out) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  *out = state.current();
  return kSuccess;
}

Status cuCtxGetDevice_v2(Device *out, Context *context) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  Context *of = context ? context : state.current();
  if (!of || !state.contexts.has(of))
    return kInvalidContext;
  *out = of->device;
  return kSuccess;
}
Status cuCtxGetDevice(Device *out) { return cuCtxGetDevice_v2(out, nullptr); }

Status cuCtxGetFlags(unsigned *out) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out)
    return kInvalidValue;
  *out = state.current()->flags;
  return kSuccess;
}

Status cuCtxSetFlags(unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  state.current()->flags = flags;
  return kSuccess;
}

Status cuCtxGetId(Context *context, unsigned long long *out) {
  LANESCOPE_ENTER(Needs::Library);
  Context *of = context ? context : state.current();
  if (!out)
    return kInvalidValue;
  if (!of || !state.contexts.has(of))
    return kContextIsDestroyed;
  *out = of->id;
  return kSuccess;
}

Status cuCtxSynchronize_v2(Context *context) {
  LANESCOPE_ENTER(Needs::Library);
  Context *of = context ? context : state.current();
  if (!of || !state.contexts.has(of))
    return kInvalidContext;
  return of->sticky;
}
Status cuCtxSynchronize() { return cuCtxSynchronize_v2(nullptr); }

Status cuCtxSetLimit(int limit, size_t value) {
  LANESCOPE_ENTER(Needs::Context);
  if (std::ranges::none_of(kLimits, [&](auto &one) { return one.first == limit; }))
    return kInvalidValue;
  state.current()->limits[limit] = value;
  return kSuccess;
}

Status cuCtxGetLimit(size_t *out, int limit) {
  LANESCOPE_ENTER(Needs::Context);
  auto known = std::ranges::find(kLimits, limit, &std::pair<int, size_t>::first);
  if (!out || known == std::end(kLimits))
    return kInvalidValue;
  auto set = state.current()->limits.find(limit);
  *out = set == state.current()->limits.end() ? known->second : set->second;
  return kSuccess;
}

Status cuCtxGetCacheConfig(int *out) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out)
    return kInvalidValue;
  *out = 0; // CU_FUNC_CACHE_PREFER_NONE
  return kSuccess;
}

Status cuCtxSetCacheConfig(int config) {
  LANESCOPE_ENTER(Needs::Context);
  return config < 0 || config > 3 ? kInvalidValue : kSuccess;
}

Status cuCtxGetSharedMemConfig(int *out) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out)
    return kInvalidValue;
  *out = 1; // CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE
  return kSuccess;
}

Status cuCtxSetSharedMemConfig(int config) {
  LANESCOPE_ENTER(Needs::Context);
  return config < 0 || config > 2 ? kInvalidValue : kSuccess;
}

Status cuCtxGetApiVersion(Context *context, unsigned *out) {
  LANESCOPE_ENTER(Needs::Library);
  Context *of = context ? context : state.current();
  if (!of || !state.contexts.has(of))
    return kInvalidContext;
  if (!out)
    return kInvalidValue;
  *out = 3020;
  return kSuccess;
}

Status cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  LANESCOPE_ENTER(Needs::Context);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return kSuccess;
}

Status cuCtxResetPersistingL2Cache() {
  LANESCOPE_ENTER(Needs::Context);
  return kSuccess;
}

Status cuCtxEnablePeerAccess(Context *peer, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!state.contexts.has(peer))
    return kInvalidContext;
  if (flags)
    return kInvalidValue;
  return peer == state.current() ? kInvalidContext : kSuccess;
}

Status cuCtxDisablePeerAccess(Context *peer) {
  LANESCOPE_ENTER(Needs::Context);
  return state.contexts.has(peer) ? kSuccess : kInvalidContext;
}

} // namespace lanescope::core::driver
