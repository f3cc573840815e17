// The files that the page was given, in the memory of the module. In the page, core/data/Files.h reads these, so the
// sources of the program open them by name, like files of a folder.
//
//   giveFile("kernel.lspkg/launch.json", bytes);
//   core::readSource("kernel.lspkg/launch.json")
#pragma once

#include "core/data/Bytes.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

/// Adds the file, or replaces the one of that name.
void giveFile(const std::string &name, core::Bytes bytes);
void forgetFiles();
/// Null if there is no file of that name.
const core::Bytes *givenFile(std::string_view name);
/// Sorted.
std::vector<std::string> givenFiles();

} // namespace lanescope::viz
