// Finds the PTX of machine code in files that compilers have left.
#include "core/gpu/record/Images.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Triton's cache folders. Inductor sets TRITON_CACHE_DIR to a folder of its own.
std::vector<fs::path> tritonCaches() {
  std::vector<fs::path> out;
  auto add = [&](const char *variable, const char *behind) {
    if (const char *value = std::getenv(variable); value && *value)
      out.push_back(fs::path(value) / behind);
  };
  add("TRITON_CACHE_DIR", "");
  add("TRITON_HOME", ".triton/cache");
  add("HOME", ".triton/cache");
  return out;
}

/// Finds PTX beside the machine code: HASH/kernel.cubin and HASH/kernel.ptx.
std::string besideCubin(const fs::path &cache, const std::string &kernel, const std::vector<std::byte> &cubin) {
  std::error_code problem;
  for (fs::directory_iterator each(cache, problem), end; !problem && each != end; each.increment(problem)) {
    fs::path file = each->path() / (kernel + ".cubin");
    std::error_code none;
    if (fs::file_size(file, none) != cubin.size() || none)
      continue;
    std::string bytes = contentOf(file);
    if (bytes.size() == cubin.size() && std::memcmp(bytes.data(), cubin.data(), bytes.size()) == 0)
      return contentOf(file.replace_extension(".ptx"));
  }
  return {};
}

bool hasEntry(const std::string &text, const std::string &kernel) {
  size_t at = text.find(".entry " + kernel);
  if (at == text.npos)
    return false;
  size_t behind = at + 7 + kernel.size();
  return behind < text.size() && std::strchr(" (\n\t\r", text[behind]) != nullptr;
}

/// The newest PTX that has the kernel, because several compilations may use the same kernel name.
std::string inFolder(const fs::path &folder, const std::string &kernel) {
  std::string found;
  fs::file_time_type time{};
  std::error_code problem;
  for (fs::recursive_directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem)) {
    std::error_code none;
    if (each->path().extension() != ".ptx" || !each->is_regular_file(none))
      continue;
    auto written = each->last_write_time(none);
    if (none || (!found.empty() && written <= time))
      continue;
    if (std::string text = contentOf(each->path()); hasEntry(text, kernel)) {
      found = std::move(text);
      time = written;
    }
  }
  return found;
}

} // namespace

std::string findPtx(const std::string &kernel, const std::vector<std::byte> &cubin,
                    const std::vector<std::string> &folders) {
  if (kernel.empty() || kernel.find('/') != kernel.npos)
    return {};
  for (const fs::path &cache : tritonCaches())
    if (std::string text = besideCubin(cache, kernel, cubin); !text.empty())
      return text;
  for (const std::string &folder : folders) {
    if (std::string text = besideCubin(folder, kernel, cubin); !text.empty())
      return text;
    if (std::string text = inFolder(folder, kernel); !text.empty())
      return text;
  }
  return {};
}

} // namespace lanescope::core::record
