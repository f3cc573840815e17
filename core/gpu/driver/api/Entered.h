// The macros with which each API function begins.
//
//   Status cuMemGetInfo_v2(size_t *free, size_t *total) {
//     LANESCOPE_ENTER(Needs::Context);     // `state`, with its lock held; an error returns
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

enum class Needs { Library, Context };

/// Returns null if the library is initialised and, if needed, a context is current.
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

/// Enters a function that submits work to a stream; the stream is then `on`.
#define LANESCOPE_ENTER_STREAM(handle)                                                                                 \
  LANESCOPE_ENTER(Needs::Context);                                                                                     \
  Stream *on = state.stream(handle);                                                                                   \
  if (!on)                                                                                                             \
  return kInvalidHandle

} // namespace lanescope::core::driver
