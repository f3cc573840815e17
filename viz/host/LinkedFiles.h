// The files of a kernel in a link of the web page: [{"name": "k.ptx", "text": "…"}, {"name": "x.npy", "base64":
// "k05V…"}].
#pragma once

#include "core/data/Json.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace lanescope::viz {

struct LinkedFile {
  std::string name; // relative to the folder of the kernel
  std::string content;
};

/// A file that is no text is written in base64 (Base64.h).
nlohmann::json linkedFilesJson(std::span<const LinkedFile> files);
/// Error "bad-view": `files` is not of this form, or a name leads out of the folder.
Result<std::vector<LinkedFile>> linkedFilesOf(const core::Json &files);

} // namespace lanescope::viz
