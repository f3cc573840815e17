#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

Thread &Thread::current() {
  thread_local Thread thread;
  return thread;
}

Error errorOf(driver::Status status) {
  // Since CUDA 10.2, errors that exist in both APIs have the same numbers.
  return status;
}

Error remember(Error error) {
  if (error && error != kNotReady)
    Thread::current().last = error;
  return error;
}

Error enterDevice() {
  driver::Context *context = nullptr;
  if (!driver::cuCtxGetCurrent(&context) && context)
    return kSuccess;
  if (driver::Status status = driver::cuInit(0))
    return errorOf(status);
  Thread &thread = Thread::current();
  if (driver::Status status = driver::cuDevicePrimaryCtxRetain(&context, thread.device))
    return errorOf(status);
  thread.chosen = true;
  return errorOf(driver::cuCtxSetCurrent(context));
}

} // namespace lanescope::core::runtime
