#include "core/gpu/emulator/LineSources.h"

#include "core/data/Files.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::core::emulator {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostLines = 1 << 20; // the most lines that a missing file gets
constexpr uintmax_t kMostBytes = 16 << 20;

SourceRef readBeside(const fs::path &ptx, const fs::path &file, uint32_t lines) {
  for (const fs::path &candidate :
       {file.is_absolute() ? file : ptx.parent_path() / file, ptx.parent_path() / file.filename()}) {
    std::error_code problem;
    if (!fs::is_regular_file(candidate, problem) || fs::file_size(candidate, problem) > kMostBytes)
      continue;
    if (auto source = readSource(candidate))
      return *source;
  }
  if (file.extension() == ".mlir") // the compiler wrote this module and removed it afterwards
    return nullptr;
  return Source::make(file.string(), std::string(std::min(lines, kMostLines), '\n'));
}

} // namespace

std::vector<SourceRef> lineSources(const Module &module) {
  std::vector<uint32_t> lines(module.files.size()); // for each file: the last line that a `.loc` names
  for (const std::vector<SourceLoc> *locs : {&module.locs, &module.frames})
    for (const SourceLoc &loc : *locs)
      if (loc.file < lines.size())
        lines[loc.file] = std::max(lines[loc.file], loc.line);
  std::vector<SourceRef> sources(module.files.size());
  fs::path ptx = module.source->name();
  for (size_t n = 0; n < sources.size(); ++n)
    if (lines[n] && !module.files[n].empty())
      sources[n] = readBeside(ptx, fs::path(module.files[n]), lines[n]);
  return sources;
}

} // namespace lanescope::core::emulator
