// NumPy's .npz in memory; Array.h has the reader of files.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

/// As `loadNpz`, on bytes; `name` is for messages. Errors: "npz" where the archive is damaged or a member is not what
/// its checksum says, those of the members' arrays.
Result<std::vector<NamedArray>> parseNpz(std::span<const std::byte> bytes, const std::string &name);

} // namespace lanescope::core
