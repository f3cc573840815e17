#include "core/gpu/runtime/OwnFile.h"

#include <dlfcn.h>
#include <string_view>

namespace lanescope::core {
namespace {

/// Its address tells the loader's tables which file this code is in.
constexpr char kHere = 0;

std::filesystem::path sharedObject() {
  Dl_info info{};
  if (::dladdr(&kHere, &info) == 0 || !info.dli_fname || !std::string_view(info.dli_fname).ends_with(".so"))
    return {};
  std::error_code problem;
  std::filesystem::path path = std::filesystem::canonical(info.dli_fname, problem);
  return problem ? std::filesystem::path() : path;
}

} // namespace

std::filesystem::path ownFile() {
  if (std::filesystem::path module = sharedObject(); !module.empty())
    return module;
  std::error_code problem;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? std::filesystem::path() : self;
}

std::filesystem::path programFolder() {
  std::filesystem::path file = ownFile();
  if (file.extension() != ".so")
    return file.parent_path();
  return file.parent_path().parent_path().parent_path() / "bin"; // …/python/lanescope/_native.abi3.so
}

} // namespace lanescope::core
