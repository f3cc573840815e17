#include "app/lanescope/KernelFiles.h"

#include "core/data/Files.h"
#include "layouts/support/Try.h"
#include "repl/check/CheckTargets.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace lanescope::app {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPtx = ".ptx";

/// The PTX files that lie in the folder itself, sorted.
std::vector<fs::path> ptxIn(const fs::path &folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == kPtx)
      out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

Result<std::string> contentOf(const fs::path &path, core::FileRole role) {
  core::Bytes bytes = LANESCOPE_TRY(core::readFile(path, role));
  return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// Adds the arrays that a launch description names, relative to its folder.
Result<void> addArrays(const fs::path &description, std::vector<viz::LinkedFile> &files) {
  core::Launch launch =
      LANESCOPE_TRY(core::parseLaunch(LANESCOPE_TRY(core::readSource(description, core::FileRole::Json))));
  std::set<std::string> added;
  for (const core::BufferSpec *buffer : launch.buffers()) {
    if (buffer->data.empty() || !added.insert(buffer->data).second)
      continue;
    const fs::path name = fs::path(buffer->data).lexically_normal();
    if (name.is_absolute() || *name.begin() == "..")
      return error(
          "bad-view",
          Message("`{}` lies outside of the folder of `{path}`: put it there, or leave out the arrays (`--no-arrays`)",
                  buffer->data, description.string()));
    files.push_back(
        {name.generic_string(), LANESCOPE_TRY(contentOf(description.parent_path() / name, core::FileRole::Array))});
  }
  return {};
}

} // namespace

bool isKernel(const fs::path &path) {
  std::error_code ignored;
  return path.extension() == kPtx || (fs::is_directory(path, ignored) && !ptxIn(path).empty());
}

Result<std::vector<viz::LinkedFile>> kernelFiles(const fs::path &path, const fs::path &launch, bool arrays) {
  std::error_code ignored;
  fs::path ptx = path;
  if (fs::is_directory(path, ignored)) {
    std::vector<fs::path> found = ptxIn(path);
    if (found.size() != 1)
      return error("bad-view",
                   Message("`{path}` has {count} PTX files: name one of them", path.string(), found.size()));
    ptx = found.front();
  }
  const fs::path folder = ptx.parent_path();
  std::vector<viz::LinkedFile> files;
  files.push_back({ptx.filename().string(), LANESCOPE_TRY(contentOf(ptx, core::FileRole::Ptx))});
  const fs::path beside = repl::launchBeside(ptx);
  if (!launch.empty())
    files.push_back({"launch.json", LANESCOPE_TRY(contentOf(launch, core::FileRole::Json))});
  if (const fs::path &description = launch.empty() ? beside : launch; arrays && !description.empty())
    LANESCOPE_CHECK(addArrays(description, files));
  for (const fs::path &file : repl::filesOfTarget(ptx)) {
    const fs::path name = file.lexically_relative(folder.empty() ? fs::path(".") : folder);
    const bool isArray = file.extension() == ".npy", isLaunch = file == beside;
    // The page knows the description alone, and no files of compilers beside the PTX.
    const bool isOther = !isArray && !isLaunch && file.stem() == ptx.stem() &&
                         (file.extension() == ".json" || file.extension() == ".ttir" || file.extension() == ".ttgir" ||
                          file.extension() == ".mlir");
    if (name.empty() || *name.begin() == ".." || !fs::is_regular_file(file, ignored) || isArray ||
        (isLaunch && !launch.empty()) || isOther)
      continue;
    files.push_back({name.generic_string(), LANESCOPE_TRY(contentOf(file, core::FileRole::Text))});
  }
  return files;
}

UnpackedFiles::~UnpackedFiles() {
  std::error_code ignored;
  if (!folder_.empty())
    fs::remove_all(folder_, ignored);
}

Result<fs::path> UnpackedFiles::unpackKernel(const std::vector<viz::LinkedFile> &files) {
  auto ptx = std::ranges::find_if(files, [](const viz::LinkedFile &file) { return file.name.ends_with(".ptx"); });
  if (ptx == files.end())
    return error("bad-view", "this link has no PTX");
  return LANESCOPE_TRY(unpack(files))[static_cast<size_t>(ptx - files.begin())];
}

Result<std::vector<fs::path>> UnpackedFiles::unpack(const std::vector<viz::LinkedFile> &files) {
  std::vector<fs::path> paths;
  std::error_code failed;
  std::string pattern = (fs::temp_directory_path(failed) / "lanescope-link-XXXXXX").string();
  if (failed || !::mkdtemp(pattern.data()))
    return error("unwritable-file", "there is no folder for temporary files");
  folder_ = pattern;
  for (const viz::LinkedFile &file : files) {
    fs::create_directories((folder_ / file.name).parent_path(), failed);
    LANESCOPE_CHECK(core::writeFile(folder_ / file.name, file.content));
    paths.push_back(folder_ / file.name);
  }
  return paths;
}

} // namespace lanescope::app
