#include "viz/gui/debugger/DebuggerLink.h"

#include "core/data/Files.h"
#include "core/data/PageLink.h"
#include "core/gpu/emulator/LineSources.h"
#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerModel.h"
#include "viz/gui/debugger/DebuggerState.h"
#include "viz/host/ViewLink.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

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
    const std::vector<std::byte> bytes = core::npyBytes(arrays[number]);
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

/// The source, if the page finds it beside the PTX by its name.
std::optional<LinkedFile> sourceFile(const DebugTarget &target) {
  if (!target.snippet)
    return std::nullopt;
  const fs::path name = fs::path(target.snippet->name()).filename();
  for (const fs::path &wanted : core::emulator::sourceFilesOf(*target.ptx))
    if (!name.empty() && wanted.filename() == name)
      return LinkedFile{name.string(), target.snippet->text()};
  return std::nullopt;
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
  if (std::optional<LinkedFile> source = sourceFile(*target))
    files.push_back(*std::move(source));
  // Moments are those of one schedule, and the page opens the first one.
  const nlohmann::json state = target->seed == 0 ? debuggerState(model) : nlohmann::json();
  const size_t plain = files.size();
  size_t bytes = 0;
  for (const LinkedFile &file : arrays)
    bytes += file.content.size();
  constexpr size_t kMostBytes = size_t{1} << 20; // a link's state has no more
  if (bytes < kMostBytes)
    files.insert(files.end(), arrays.begin(), arrays.end());
  DebuggerLink out{kernelLink(target->title, files, page, state), files.size() == plain + arrays.size()};
  if (out.link.size() > core::kLongestPageLink && files.size() > plain) {
    files.resize(plain);
    out = {kernelLink(target->title, files, page, state), false};
  }
  return out.link.size() > core::kLongestPageLink ? std::nullopt : std::optional(std::move(out));
}

} // namespace lanescope::viz
