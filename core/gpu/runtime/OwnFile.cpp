#include "core/gpu/runtime/OwnFile.h"

#include <dlfcn.h>
#include <string_view>

namespace lanescope::core {
namespace {

/// The address of this constant identifies the file of this code in the loader's tables.
constexpr char kHere = 0;

constexpr char kWorker[] = "lanescope-worker";

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
  for (std::filesystem::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    std::error_code problem;
    if (std::filesystem::path bin = folder / "bin"; std::filesystem::is_regular_file(bin / kWorker, problem))
      return bin;
    if (folder == folder.root_path())
      break;
  }
  return file.parent_path();
}

std::filesystem::path ownLibrary(const char *name) {
  const std::filesystem::path programs = programFolder();
  for (const std::filesystem::path &folder : {programs / "../lib/lanescope", programs / "../lib", programs}) {
    std::error_code problem;
    if (std::filesystem::is_regular_file(folder / name, problem))
      return std::filesystem::canonical(folder / name, problem);
  }
  return {};
}

std::filesystem::path compilerFile() {
  std::filesystem::path file = ownLibrary("liblanescope_compiler.so");
  return file.empty() ? ownFile() : file;
}

std::filesystem::path dataFolder() {
  std::filesystem::path folder = programFolder().parent_path() / "share/lanescope";
  std::error_code problem;
  return std::filesystem::is_directory(folder, problem) ? folder : std::filesystem::path();
}

std::filesystem::path orInstalled(const std::filesystem::path &path) {
  std::error_code problem;
  if (path.empty() || path.is_absolute() || (*path.begin() != "samples" && *path.begin() != "kernels") ||
      std::filesystem::exists(path, problem))
    return path;
  std::filesystem::path folder = dataFolder(), installed = folder / path;
  return !folder.empty() && std::filesystem::exists(installed, problem) ? installed : path;
}

} // namespace lanescope::core
