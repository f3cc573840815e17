// Writes the files of a recorded launch's package.
#include "core/data/Array.h"
#include "core/gpu/record/PackageFiles.h"
#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;
using Out = nlohmann::ordered_json;
bool isZero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; });
}

Result<void> writeBytes(const fs::path &path, std::span<const std::byte> bytes) {
  return writeArray(path, {Dtype::U8, {static_cast<int64_t>(bytes.size())}, Bytes(bytes.begin(), bytes.end())});
}

std::string recordedJson(const RecordedLaunch &launch, const PackagePlan &plan, const Snapshot &snapshot, bool arrays,
                         const Outcome *outcome) {
  Out json = {{"format", 1},
              {"kernel", launch.kernel.name},
              {"launch", launch.number},
              {"state", outcome ? outcome->state : "launched"},
              {"arrays", arrays},
              {"registers", launch.registers},
              {"programmatic_launch", launch.programmatic},
              {"device", launch.device}};
  if (!launch.kernel.ptx->byName.empty())
    json["ptx_by_name"] = launch.kernel.ptx->byName;
  if (!launch.graph.empty())
    json["graph"] = launch.graph;
  if (outcome && outcome->error)
    json["error"] = outcome->error;
  if (outcome && outcome->timeUs > 0)
    json["time_us"] = outcome->timeUs;
  json["buffers"] = Out::array();
  for (size_t number : plan.pieces) {
    const Piece &piece = snapshot.pieces()[number];
    Out one = {{"address", hexText(piece.address)}, {"bytes", piece.bytes}, {"changed", piece.changed}};
    if (!piece.whole())
      one["allocation"] = {{"address", hexText(piece.allocation)}, {"bytes", piece.allocationBytes}};
    json["buffers"].push_back(std::move(one));
  }
  json["stack"] = launch.stack;
  if (!launch.pythonStack.empty())
    json["python"] = launch.pythonStack;
  return json.dump(1, ' ', false, Out::error_handler_t::replace) + "\n";
}

/// Sets the file names in the description. A buffer without recorded contents gets no file name.
void nameFiles(PackagePlan &plan, const Snapshot &snapshot, bool arrays) {
  std::vector<const BufferSpec *> buffers = plan.launch.buffers();
  size_t variables = plan.launch.variables.size();
  for (size_t n = 0; n < buffers.size(); ++n) {
    const Piece &piece = snapshot.pieces()[plan.pieces[n]];
    // A variable of zeros needs a file, too, because the PTX may give it other initial values.
    bool variable = n >= buffers.size() - variables;
    auto &buffer = const_cast<BufferSpec &>(*buffers[n]);
    if (!arrays || (!variable && isZero(piece.before)))
      buffer.data.clear();
    if (!arrays || !piece.changed)
      buffer.out.clear();
  }
}

Result<void> writeArrays(const fs::path &part, const fs::path &former, const PackagePlan &plan,
                         const Snapshot &snapshot, bool expected) {
  std::vector<const BufferSpec *> buffers = plan.launch.buffers();
  for (size_t n = 0; n < buffers.size(); ++n) {
    const Piece &piece = snapshot.pieces()[plan.pieces[n]];
    const std::string &name = buffers[n]->data;
    if (!name.empty() && ::link((former / name).c_str(), (part / name).c_str()) != 0)
      LANESCOPE_CHECK(writeBytes(part / name, piece.before));
    if (expected && !buffers[n]->out.empty())
      LANESCOPE_CHECK(writeBytes(part / "expected" / buffers[n]->out, piece.after));
  }
  return {};
}

Result<void> writeInto(const fs::path &part, const fs::path &former, const RecordedLaunch &launch, PackagePlan plan,
                       const Snapshot &snapshot, bool arrays, const Outcome *outcome) {
  bool expected = arrays && outcome && outcome->state == "complete";
  std::error_code problem;
  fs::create_directories(expected ? part / "expected" : part, problem);
  if (problem)
    return error("unwritable-file", Message("cannot create `{path}`: {}", part.string(), problem.message()));
  nameFiles(plan, snapshot, arrays);
  Package package;
  package.kernel.name = launch.kernel.name;
  package.kernel.arch = plan.arch;
  std::vector<const BufferSpec *> buffers = plan.launch.buffers();
  for (size_t n = 0; expected && n < buffers.size(); ++n)
    if (!buffers[n]->out.empty())
      package.kernel.outputs.push_back(static_cast<uint32_t>(n));
  if (arrays)
    LANESCOPE_CHECK(writeArrays(part, former, plan, snapshot, expected));
  LANESCOPE_CHECK(writeText(part / "kernel.ptx", launch.kernel.ptx->source->text()));
  LANESCOPE_CHECK(writeText(part / "launch.json", toJson(plan.launch)));
  LANESCOPE_CHECK(writeText(part / "meta.json", packageMeta(package)));
  return writeText(part / "recorded.json", recordedJson(launch, plan, snapshot, arrays, outcome));
}

} // namespace

Result<void> writePackage(const fs::path &folder, const RecordedLaunch &launch, const PackagePlan &plan,
                          const Snapshot &snapshot, bool arrays, const Outcome *outcome) {
  fs::path part = folder;
  part += ".part";
  std::error_code ignored;
  fs::remove_all(part, ignored);
  Result<void> written = writeInto(part, folder, launch, plan, snapshot, arrays, outcome);
  if (written && outcome)
    written = exchangeFolder(part, folder);
  else if (written && ::rename(part.c_str(), folder.c_str()) != 0)
    written = error("unwritable-file", Message("cannot create `{path}`: {}", folder.string(), std::strerror(errno)));
  fs::remove_all(part, ignored);
  return written;
}

} // namespace lanescope::core::record
