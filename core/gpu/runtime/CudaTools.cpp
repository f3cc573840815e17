#include "core/gpu/runtime/CudaTools.h"

#include "core/gpu/runtime/Process.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::core {

std::string findCudaTool(const std::string &name) {
  if (std::string found = findProgram(name); !found.empty())
    return found;
  std::vector<std::string> folders = {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/lib/cuda/bin"};
  // Several versions of the toolkit may be installed side by side; the newest comes first.
  std::vector<std::string> versions;
  std::error_code problem;
  for (auto entry = std::filesystem::directory_iterator("/usr/local", problem);
       !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    if (entry->path().filename().string().starts_with("cuda-"))
      versions.push_back((entry->path() / "bin").string());
  std::ranges::sort(versions, std::greater());
  folders.insert(folders.end(), versions.begin(), versions.end());
  return findProgram(name, folders);
}

} // namespace lanescope::core
