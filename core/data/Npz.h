// NumPy's .npz in memory; Array.h has the reader of files.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

/// Like `loadNpz`, for bytes; `name` is for messages. Errors: "npz" if the archive is damaged or a member does not
/// match its checksum, and those of the members' arrays.
Result<std::vector<NamedArray>> parseNpz(std::span<const std::byte> bytes, const std::string &name);

} // namespace lanescope::core
