// Each function of the API begins with this.
//
//   Status cuMemGetInfo_v2(size_t *free, size_t *total) {
//     LANESCOPE_ENTER(Needs::Context);     // `state` from here on, its lock held; returns where something is missing
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

enum class Needs { Library, Context };

/// Null where the library is initialised and, where it is needed, a context is current.
inline Status missing(State &state, Needs needs) {
  if (!state.initialised)
    return kNotInitialized;
  return needs == Needs::Context && !state.current() ? kInvalidContext : kSuccess;
}

#define LANESCOPE_ENTER(needs)                                                                                         \
  State &state = State::get();                                                                                         \
  std::scoped_lock entered(state.lock);                                                                                \
  if (Status problem = missing(state, needs))                                                                          \
  return problem

/// The same for what a stream is given. `on` is the stream.
#define LANESCOPE_ENTER_STREAM(handle)                                                                                 \
  LANESCOPE_ENTER(Needs::Context);                                                                                     \
  Stream *on = state.stream(handle);                                                                                   \
  if (!on)                                                                                                             \
  return kInvalidHandle

} // namespace lanescope::core::driver
