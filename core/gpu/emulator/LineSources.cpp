#include "core/gpu/emulator/LineSources.h"

#include "core/data/Files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace lanescope::core::emulator {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostLines = 1 << 20; // the most lines that a missing file gets
[[maybe_unused]] constexpr uintmax_t kMostBytes = 16 << 20;

std::array<fs::path, 2> candidatesOf(const fs::path &ptx, const fs::path &file) {
  return {file.is_absolute() ? file : ptx.parent_path() / file, ptx.parent_path() / file.filename()};
}

SourceRef readBeside(const fs::path &ptx, const fs::path &file, uint32_t lines) {
  for (const fs::path &candidate : candidatesOf(ptx, file)) {
#ifndef __wasi__ // there, all files are in memory
    std::error_code problem;
    if (!fs::is_regular_file(candidate, problem) || fs::file_size(candidate, problem) > kMostBytes)
      continue;
#endif
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

std::vector<fs::path> sourceFilesOf(const Source &ptx) {
  constexpr std::string_view kDirective = ".file";
  const std::string_view all = ptx.text();
  std::vector<fs::path> out;
  for (size_t at = all.find(kDirective); at != all.npos; at = all.find(kDirective, at + 1)) {
    std::string_view line = all.substr(at, all.find('\n', at) - at); // .file 1 "k.cu", 1700000000, 2048
    size_t begin = line.find('"'), end = begin == line.npos ? line.npos : line.find('"', begin + 1);
    if (end != line.npos && end > begin + 1)
      std::ranges::move(candidatesOf(ptx.name(), line.substr(begin + 1, end - begin - 1)), std::back_inserter(out));
  }
  return out;
}

} // namespace lanescope::core::emulator
