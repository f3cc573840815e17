#include "core/gpu/record/TouchedMemory.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/record/PackageFiles.h"
#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;
using Ranges = std::vector<ByteRange>;
constexpr uint64_t kPage = 4096;

/// A package in memory.
struct Opened {
  SourceRef ptx, json;
  Launch launch;
  std::vector<Array> before;
  std::map<size_t, Array> expected; // by buffer: the changed ones
};

Result<Opened> open(const fs::path &package) {
  Opened out;
  out.ptx = LANESCOPE_TRY(readSource(package / "kernel.ptx", FileRole::Ptx));
  out.json = LANESCOPE_TRY(readSource(package / "launch.json", FileRole::Json));
  out.launch = LANESCOPE_TRY(parseLaunch(out.json));
  out.before = LANESCOPE_TRY(loadBuffers(out.launch, package, out.json));
  std::vector<const BufferSpec *> buffers = out.launch.buffers();
  std::error_code ignored;
  for (size_t n = 0; n < buffers.size(); ++n)
    if (fs::path file = package / "expected" / buffers[n]->out; !buffers[n]->out.empty() && fs::exists(file, ignored)) {
      Array after = LANESCOPE_TRY(loadNpy(file, buffers[n]->dtype));
      if (after.bytes.size() != out.before[n].bytes.size())
        return error(kKind, Message("`{path}` has another size than its buffer", file.string()));
      out.expected.emplace(n, std::move(after));
    }
  return out;
}

/// Adds the pages on which two arrays differ.
Ranges withDifferences(Ranges ranges, const Array &one, const Array *other) {
  std::map<uint64_t, uint64_t> all(ranges.begin(), ranges.end());
  for (uint64_t at = 0; other && at < one.bytes.size(); at += kPage) {
    uint64_t bytes = std::min<uint64_t>(kPage, one.bytes.size() - at);
    if (std::memcmp(one.bytes.data() + at, other->bytes.data() + at, bytes) != 0)
      all[at] = std::max(all[at], at + bytes);
  }
  Ranges out;
  for (auto [begin, end] : all)
    if (!out.empty() && begin <= out.back().second)
      out.back().second = std::max(out.back().second, end);
    else
      out.emplace_back(begin, end);
  return out;
}

/// Sets everything outside of the ranges to zero.
void keepOnly(const Ranges &ranges, Array &array) {
  uint64_t from = 0;
  auto clear = [&](uint64_t to) {
    if (from < to)
      std::memset(array.bytes.data() + from, 0, to - from);
  };
  for (auto [begin, end] : ranges) {
    clear(begin);
    from = end;
  }
  clear(array.bytes.size());
}

uint64_t bytesOf(const Ranges &ranges) {
  uint64_t all = 0;
  for (auto [begin, end] : ranges)
    all += end - begin;
  return all;
}

/// Writes a new package beside the former one: with the new arrays, and all other files as they are.
Result<void> write(const fs::path &package, const fs::path &part, const Opened &opened, const std::vector<Ranges> &kept,
                   const TouchedMemory &touched) {
  std::error_code problem;
  fs::create_directories(opened.expected.empty() ? part : part / "expected", problem);
  if (problem)
    return error("unwritable-file", Message("cannot create `{path}`: {}", part.string(), problem.message()));
  std::vector<const BufferSpec *> buffers = opened.launch.buffers();
  for (size_t n = 0; n < buffers.size(); ++n)
    if (!buffers[n]->data.empty())
      LANESCOPE_CHECK(writeArray(part / buffers[n]->data, opened.before[n]));
  for (const auto &[n, after] : opened.expected)
    LANESCOPE_CHECK(writeArray(part / "expected" / buffers[n]->out, after));
  for (const char *name : {"kernel.ptx", "launch.json", "meta.json"}) {
    fs::copy_file(package / name, part / name, problem);
    if (problem)
      return error("unwritable-file", Message("cannot write `{}`: {}", (part / name).string(), problem.message()));
  }
  SourceRef former = LANESCOPE_TRY(readSource(package / "recorded.json", FileRole::Json));
  auto json = nlohmann::ordered_json::parse(former->text(), nullptr, false);
  if (!json.is_object() || !json["buffers"].is_array() || json["buffers"].size() != buffers.size())
    return error(kKind, Message("`{}` is not a recorded launch", (package / "recorded.json").string()));
  json["touched"] = {{"kept", touched.kept}, {"of", touched.all}};
  for (size_t n = 0; n < kept.size(); ++n)
    json["buffers"][n]["kept"] = kept[n];
  return writeText(part / "recorded.json",
                   json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

} // namespace

Result<TouchedMemory> keepTouched(const fs::path &package, double timeLimit) {
  Opened opened = LANESCOPE_TRY(open(package));
  RunRecord record{.limit = 1}; // only the accessed pages are wanted, not counts
  record.wantsAccessed = true;
  EmulatorOptions options{.record = &record, .timeoutSeconds = timeLimit};
  RunResult first = LANESCOPE_TRY(emulate(opened.ptx, opened.launch, opened.before, options));
  auto fault = std::ranges::find(first.diagnostics, Severity::Error, &Diagnostic::severity);
  if (fault != first.diagnostics.end())
    return error(kKind, Message("its replay ends early ({}), so it keeps all of its memory", fault->kind));
  TouchedMemory touched;
  std::vector<Ranges> kept = std::move(record.accessed);
  for (size_t n = 0; n < kept.size(); ++n) {
    auto after = opened.expected.find(n);
    kept[n] = withDifferences(std::move(kept[n]), opened.before[n],
                              after == opened.expected.end() ? nullptr : &after->second);
    touched.all += opened.before[n].bytes.size();
    touched.kept += bytesOf(kept[n]);
    keepOnly(kept[n], opened.before[n]);
    keepOnly(kept[n], first.outputs[n]);
    if (after != opened.expected.end())
      keepOnly(kept[n], after->second);
  }
  options.record = nullptr;
  RunResult again = LANESCOPE_TRY(emulate(opened.ptx, opened.launch, opened.before, options));
  for (size_t n = 0; n < first.outputs.size(); ++n)
    if (again.outputs[n].bytes != first.outputs[n].bytes)
      return error(kKind, "its replay without the rest of its memory has another result, so it keeps all of it");
  fs::path part = package;
  part += ".part";
  std::error_code ignored;
  fs::remove_all(part, ignored);
  Result<void> written = write(package, part, opened, kept, touched);
  if (written)
    written = exchangeFolder(part, package);
  fs::remove_all(part, ignored);
  if (!written)
    return std::unexpected(std::move(written.error()));
  return touched;
}

} // namespace lanescope::core::record
