#include "viz/gui/debugger/DebuggerLink.h"

#include "core/data/Files.h"
#include "core/data/PageLink.h"
#include "core/gpu/emulator/LineSources.h"
#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerModel.h"
#include "viz/gui/debugger/DebuggerPlace.h"
#include "viz/host/ViewLink.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>

namespace lanescope::viz {

namespace {

namespace fs = std::filesystem;

bool isZero(const core::Array &array) {
  return std::ranges::all_of(array.bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

/// Names a file for each array that is not zero. The page makes the others by itself.
std::vector<LinkedFile> arrayFiles(core::Launch &launch, const std::vector<core::Array> &arrays) {
  std::vector<LinkedFile> out;
  std::set<std::string> taken;
  size_t index = 0;
  auto name = [&](core::BufferSpec &buffer) {
    const size_t number = index++;
    buffer.data.clear(), buffer.out.clear();
    if (number >= arrays.size() || isZero(arrays[number]))
      return;
    std::string called = buffer.name.empty() ? text("buffer", number) : core::plainFileName(buffer.name);
    while (!taken.insert(called).second)
      called += "_";
    buffer.data = called + ".npy";
    const core::Bytes bytes = core::npyBytes(arrays[number]);
    out.push_back({buffer.data, {reinterpret_cast<const char *>(bytes.data()), bytes.size()}});
  };
  for (core::Param &param : launch.params) {
    if (auto *buffer = std::get_if<core::BufferParam>(&param))
      name(buffer->buffer);
    else if (auto *block = std::get_if<core::BytesParam>(&param))
      std::ranges::for_each(block->buffers, name);
  }
  for (core::ModuleVariable &variable : launch.variables)
    name(variable.buffer);
  return out;
}

/// The sources that the PTX names. The page finds them beside the PTX by their names.
std::vector<LinkedFile> sourceFiles(const DebugTarget &target) {
  std::vector<LinkedFile> out;
  std::set<fs::path> taken;
  const fs::path snippet = target.snippet ? fs::path(target.snippet->name()).filename() : fs::path();
  for (const fs::path &wanted : core::emulator::sourceFilesOf(*target.ptx)) {
    const fs::path name = wanted.filename();
    std::error_code ignored;
    if (name.empty() || taken.contains(name) || (name != snippet && !fs::is_regular_file(wanted, ignored)))
      continue;
    auto read = name == snippet ? Result<SourceRef>(target.snippet) : core::readSource(wanted, core::FileRole::Text);
    if (read && taken.insert(name).second)
      out.push_back({name.string(), (*read)->text()});
  }
  return out;
}

} // namespace

std::optional<DebuggerLink> debuggerLink(const DebuggerModel &model, std::string_view page) {
  const DebugTarget *target = model.target();
  if (!target || !target->ptx)
    return std::nullopt;
  core::Launch launch = target->launch;
  std::vector<LinkedFile> arrays = arrayFiles(launch, target->arrays);
  std::vector<LinkedFile> files = {{core::plainFileName(launch.entry) + ".ptx", target->ptx->text()},
                                   {"launch.json", core::toJson(launch)}};
  const size_t least = files.size();
  std::ranges::move(sourceFiles(*target), std::back_inserter(files));
  const size_t plain = files.size();
  std::ranges::move(arrays, std::back_inserter(files));
  // Moments are those of one schedule, and the page opens the first one.
  const nlohmann::json state = target->seed == 0 ? debuggerState(model) : nlohmann::json();
  for (const size_t count : {files.size(), plain, least}) {
    constexpr size_t kMostBytes = size_t{1} << 20; // a link's state has no more
    size_t bytes = 0;
    for (const LinkedFile &file : std::span(files).first(count))
      bytes += file.content.size();
    if (bytes > kMostBytes)
      continue;
    DebuggerLink out{kernelLink(target->title, std::span(files).first(count), page, state), count == files.size()};
    if (out.link.size() <= core::kLongestPageLink)
      return out;
  }
  return std::nullopt;
}

} // namespace lanescope::viz
