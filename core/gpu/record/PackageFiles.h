// Writes the files of packages, and puts a finished folder in its place.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace lanescope::core {
struct Array;
}

namespace lanescope::core::record {

/// Writes a new file that only the user can read. Pages of zeros take no space on the disk. Error: "unwritable-file".
Result<void> writeSparse(const std::filesystem::path &path, std::span<const std::byte> bytes);
Result<void> writeText(const std::filesystem::path &path, std::string_view text);
/// Writes a `.npy` file of the array's bytes as they are.
Result<void> writeArray(const std::filesystem::path &path, const Array &array);
/// Puts `part` in the place of the folder that is there, so that there is always a whole one. Removes the former one.
/// Error: "unwritable-file".
Result<void> exchangeFolder(const std::filesystem::path &part, const std::filesystem::path &folder);

} // namespace lanescope::core::record
