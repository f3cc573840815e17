// The buffer that a pointer or a descriptor in a `bytes` parameter refers to: one of the parameter's own or, with
// `"launch_buffer"`, any of the launch, by its index in Launch::buffers().
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::core {

/// Set in PointerSpec::buffer and TensorMapSpec::buffer for a `"launch_buffer"`.
inline constexpr uint32_t kOfLaunch = uint32_t{1} << 31;

inline bool isOfLaunch(uint32_t buffer) { return (buffer & kOfLaunch) != 0; }
/// Returns the index in Launch::buffers(). `first` is the index there of the parameter's first own buffer.
inline size_t launchBuffer(uint32_t buffer, size_t first) {
  return isOfLaunch(buffer) ? buffer & ~kOfLaunch : first + buffer;
}

} // namespace lanescope::core
