// A launch as text fields that the user reads and changes. Each property that PTX leaves open has a field.
//
//   launchFields(launch)                                        // {"grid", "4", …}, {"x", "f32[512]", …}, …
//   setLaunchField(launch, arrays, "x", "f32[1024] zeros");     // sets the shape and content of `x`
#pragma once

#include "core/data/Array.h"
#include "core/gpu/kernel/Launch.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct LaunchField {
  std::string name, value, about;
  bool array = false; // true if the value may be a file's path
};

/// The fields of a launch: `grid`, `block`, `cluster` (if there are clusters), `dynamic smem` in bytes, and then the
/// arrays and numbers among the parameters, in their order.
std::vector<LaunchField> launchFields(const core::Launch &launch);

/// Sets a field to a value as launchFields() writes it. Sizes may be written `4`, `4, 2`, `4 x 2`; an array as its
/// dtype and shape, as one of the words random, zeros, ones, ramp, as both, or as the path of a `.npy` file relative to
/// `folder`, whose dtype and shape it gets. `arrays`: the content of launch.buffers() before the run; an array whose
/// shape changes gets random numbers. Errors, kind "launch-field": there is no such field; the text is no value of the
/// field; the file cannot be read; the file's array differs from what the text or a descriptor says.
Result<void> setLaunchField(core::Launch &launch, std::vector<core::Array> &arrays, std::string_view name,
                            std::string_view value, const std::filesystem::path &folder = {});

} // namespace lanescope::repl
