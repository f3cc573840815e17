#include "core/gpu/dumps/DumpFolder.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <optional>

namespace lanescope::core::dumps {

namespace fs = std::filesystem;

namespace {

struct Ending {
  std::string_view text;
  DumpFileKind kind;
};

/// Endings after the kernel's name. `.mlir` is for copies of the modules that people renamed.
constexpr std::array kEndings{
    Ending{".before_layout_inference.txt", DumpFileKind::Before},
    Ending{".before_layout_inference.mlir", DumpFileKind::Before},
    Ending{".after_layout_inference.txt", DumpFileKind::After},
    Ending{".after_layout_inference.mlir", DumpFileKind::After},
    Ending{".constraint_system.txt", DumpFileKind::Constraints},
    Ending{".resources.txt", DumpFileKind::Resources},
    Ending{".ptxas", DumpFileKind::Ptxas},
    Ending{".sass_ctrl", DumpFileKind::SassCtrl},
    Ending{".sass", DumpFileKind::Sass},
    Ending{".ptx", DumpFileKind::Ptx},
};

/// Whole file names, for a folder with one kernel.
constexpr std::array kPlainNames{
    Ending{"before.mlir", DumpFileKind::Before},
    Ending{"after.mlir", DumpFileKind::After},
    Ending{"before.txt", DumpFileKind::Before},
    Ending{"after.txt", DumpFileKind::After},
    Ending{"constraints.txt", DumpFileKind::Constraints},
    Ending{"resources.txt", DumpFileKind::Resources},
    Ending{"kernel.ptx", DumpFileKind::Ptx},
    Ending{"kernel.ptxas", DumpFileKind::Ptxas},
    Ending{"kernel.sass", DumpFileKind::Sass},
    Ending{"launch.json", DumpFileKind::Launch},
};

struct Found {
  std::vector<DumpFiles> kernels;
  std::vector<fs::path> folders;
};

/// Orders "k_9" before "k_10": runs of digits compare by value.
bool before(std::string_view a, std::string_view b) {
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (isDigit(a.front()) && isDigit(b.front())) {
      auto number = [&](std::string_view &text) {
        size_t end = std::min(text.size(), static_cast<size_t>(std::ranges::find_if_not(text, isDigit) - text.begin()));
        std::string_view digits = text.substr(0, end);
        text.remove_prefix(end);
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
        return digits;
      };
      std::string_view x = number(a), y = number(b);
      if (x != y)
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      continue;
    }
    if (a.front() != b.front())
      return a.front() < b.front();
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.size() < b.size();
}

Found scan(const fs::path &folder, std::error_code &problem) {
  Found found;
  std::map<std::string, DumpFiles> kernels;
  std::map<DumpFileKind, fs::path> plain;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code ignored;
    std::string file = entry->path().filename().string();
    if (entry->is_directory(ignored)) {
      found.folders.push_back(entry->path());
      continue;
    }
    if (auto whole = std::ranges::find(kPlainNames, std::string_view(file), &Ending::text);
        whole != kPlainNames.end()) {
      plain[whole->kind] = entry->path();
      continue;
    }
    auto ending = std::ranges::find_if(
        kEndings, [&](const Ending &one) { return file.size() > one.text.size() && file.ends_with(one.text); });
    if (ending == kEndings.end())
      continue;
    std::string name = file.substr(0, file.size() - ending->text.size());
    kernels[name].files[ending->kind] = entry->path();
  }
  // A launch description alone is not a dump.
  bool plainKernel = std::ranges::any_of(plain, [](const auto &one) { return one.first != DumpFileKind::Launch; });
  if (kernels.size() == 1)
    kernels.begin()->second.files.merge(plain);
  else if (plainKernel)
    kernels[folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string()].files =
        std::move(plain);
  for (auto &[name, files] : kernels) {
    files.name = name;
    found.kernels.push_back(std::move(files));
  }
  std::ranges::sort(found.kernels, before, &DumpFiles::name);
  std::ranges::sort(found.folders);
  return found;
}

/// The kernels whose names begin with the prefix; if one equals it, only that one: `k_1` does not select `k_10`.
std::vector<DumpFiles> startingWith(std::vector<DumpFiles> kernels, const std::string &prefix) {
  if (auto whole = std::ranges::find(kernels, prefix, &DumpFiles::name); whole != kernels.end())
    return {*whole};
  std::erase_if(kernels, [&](const DumpFiles &one) { return !one.name.starts_with(prefix); });
  return kernels;
}

} // namespace

std::string_view name(DumpFileKind kind) {
  switch (kind) {
  case DumpFileKind::Before: return "the module before layout inference";
  case DumpFileKind::After: return "the module after layout inference";
  case DumpFileKind::Constraints: return "the constraints";
  case DumpFileKind::Resources: return "the resources";
  case DumpFileKind::Ptx: return "PTX";
  case DumpFileKind::Ptxas: return "ptxas' report";
  case DumpFileKind::Sass: return "SASS";
  case DumpFileKind::SassCtrl: return "SASS with control codes";
  case DumpFileKind::Launch: return "a launch description";
  }
  return "";
}

std::span<const DumpFileKind> allDumpFileKinds() {
  using enum DumpFileKind;
  static constexpr std::array kKinds{Before, After, Constraints, Resources, Ptx, Ptxas, Sass, SassCtrl, Launch};
  return kKinds;
}

const fs::path *DumpFiles::find(DumpFileKind kind) const {
  auto found = files.find(kind);
  return found == files.end() ? nullptr : &found->second;
}

bool looksLikeDumps(const fs::path &path) {
  std::error_code ignored;
  if (fs::exists(path, ignored))
    return fs::is_directory(path, ignored);
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return path.has_filename() && fs::is_directory(folder, ignored) &&
         !startingWith(scan(folder, ignored).kernels, path.filename().string()).empty();
}

Result<std::vector<DumpFiles>> findDumps(const fs::path &path) {
  std::error_code problem, ignored;
  fs::path folder = path;
  std::string prefix;
  if (!fs::is_directory(path, ignored)) {
    folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    prefix = path.filename().string();
  }
  Found found = scan(folder, problem);
  if (problem)
    return error("no-dumps", Message("`{path}` cannot be read as a folder: {}", path.string(), problem.message()));
  found.kernels = startingWith(std::move(found.kernels), prefix);
  if (found.kernels.empty() && prefix.empty())
    for (const fs::path &below : found.folders) {
      for (DumpFiles &kernel : scan(below, ignored).kernels) {
        if (kernel.name != below.filename())
          kernel.name = text(below.filename().string(), "/", kernel.name);
        found.kernels.push_back(std::move(kernel));
      }
    }
  if (found.kernels.empty())
    return error(
        "no-dumps",
        Message(
            "there is no dump of JAX in `{path}`{}: JAX writes `NAME.before_layout_inference.txt`, "
            "`NAME.after_layout_inference.txt`, `NAME.ptx` and more into the folder that `MOSAIC_GPU_DUMP_TO` names",
            folder.string(), prefix.empty() ? "" : text(" whose name begins with `", prefix, "`")));
  return found.kernels;
}

Result<DumpFiles> findOneDump(const fs::path &path) {
  std::vector<DumpFiles> kernels = LANESCOPE_TRY(findDumps(path));
  if (kernels.size() == 1)
    return std::move(kernels.front());
  constexpr size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(kernels.size(), kMostNamed); ++i)
    names.push_back(text(
        "`", (fs::is_directory(path) ? path / kernels[i].name : path.parent_path() / kernels[i].name).string(), "`"));
  return error("several-kernels",
               Message("there are {count} kernels in `{path}`; name one: {}{}", kernels.size(), path.string(),
                       joined(names, ", "), kernels.size() > kMostNamed ? ", …" : ""));
}

} // namespace lanescope::core::dumps
