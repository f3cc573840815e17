#include "core/gpu/runtime/KernelCache.h"

#include "core/data/Beneath.h"
#include "core/data/JsonFields.h"
#include "core/data/PlainHash.h"
#include "core/gpu/runtime/OwnFile.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

namespace lanescope::core {

namespace fs = std::filesystem;

namespace {

constexpr char kKind[] = "cache";
constexpr std::string_view kHeader = "lanescope kernel 2";
constexpr int64_t kMostBytes = int64_t{1} << 31;

/// A text that identifies this build of the language and of the compiler. Empty if the system does not report them.
const std::string &program() {
  static const std::string identity = [] {
    std::string both;
    for (const fs::path &file : {ownFile(), compilerFile()}) {
      std::error_code problem;
      auto size = fs::file_size(file, problem);
      if (problem)
        return std::string();
      auto time = fs::last_write_time(file, problem);
      both += text(file.string(), "|", size, "|", time.time_since_epoch().count(), "|");
    }
    return both;
  }();
  return identity;
}

std::string valuesJson(const CompiledKernel &kernel) {
  auto list = nlohmann::ordered_json::array();
  for (const ValueLayout &value : kernel.values)
    list.push_back({{"here", value.span.source == kernel.source},
                    {"begin", value.span.begin},
                    {"end", value.span.end},
                    {"name", value.name},
                    {"type", value.type},
                    {"layout", value.layout}});
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool readValues(const SourceRef &text, const SourceRef &source, CompiledKernel &kernel) {
  Result<Json> json = parseJson(text);
  if (!json || json->kind != Json::Kind::Array)
    return false;
  for (const Json &entry : json->items) {
    JsonFields fields(text, entry, "a value", kKind);
    ValueLayout value;
    const Json *here = fields.member("here", Json::Kind::Bool, "true or false");
    value.span = {source, static_cast<uint32_t>(fields.integer("begin", 0, kMostBytes)),
                  static_cast<uint32_t>(fields.integer("end", 0, kMostBytes))};
    value.name = fields.string("name");
    value.type = fields.string("type");
    value.layout = fields.string("layout");
    if (fields.failed() || value.span.end > source->text().size() || value.span.begin > value.span.end)
      return false;
    if (!here->boolean)
      value.span = {}; // the place may be in the language's prelude, which a later process may not have loaded
    kernel.values.push_back(std::move(value));
  }
  return true;
}

/// Removes the least recently used entries if there are too many. It reads the files' times only then, because counting
/// names is cheaper.
void prune(const fs::path &folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    files.emplace_back(fs::file_time_type::min(), at->path());
  if (files.size() <= KernelCache::kMostKernels + KernelCache::kSlack)
    return;
  for (auto &[time, path] : files)
    time = fs::last_write_time(path, problem); // min() if another process has just removed it
  size_t extra = files.size() - KernelCache::kMostKernels;
  std::ranges::nth_element(files, files.begin() + static_cast<ptrdiff_t>(extra));
  for (size_t i = 0; i < extra; ++i)
    fs::remove(files[i].second, problem);
}

} // namespace

fs::path KernelCache::defaultFolder() {
  // XDG base directory specification: relative paths must be ignored.
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return fs::path(cache) / "lanescope" / "kernels";
  const char *home = std::getenv("HOME");
  if (home && home[0] == '/')
    return fs::path(home) / ".cache" / "lanescope" / "kernels";
  return {};
}

fs::path KernelCache::file(const std::string &key) const {
  if (folder_.empty() || program().empty())
    return {};
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(plainHash(program())));
  return folder_ / (key + "-" + name);
}

/// Identifies the compilation of an entry. The entry contains this text, because the file's name is only a hash and a
/// file may have been copied.
std::string KernelCache::identity(const std::string &key) const { return text(key, "\n", program(), "\n"); }

// A file consists of a header and five parts. The header has the hash of the rest and the sizes of the parts. The first
// one is identity().
std::optional<CompiledKernel> KernelCache::find(const std::string &key, const SourceRef &source) const {
  fs::path path = file(key);
  std::error_code problem;
  if (path.empty() || !source)
    return std::nullopt;
  auto content = readBeneath(folder_, path.filename(), FileRole::Ptx); // a regular file: no pipe, device or link
  if (!content)
    return std::nullopt;
  std::string_view all(reinterpret_cast<const char *>(content->data()), content->size());
  size_t end = all.find('\n');
  if (end == std::string_view::npos || !all.starts_with(kHeader))
    return std::nullopt;
  unsigned long long hash = 0;
  constexpr size_t kParts = 5;
  size_t sizes[kParts] = {};
  std::string header(all.substr(kHeader.size(), end - kHeader.size()));
  if (std::sscanf(header.c_str(), " %llx %zu %zu %zu %zu %zu", &hash, &sizes[0], &sizes[1], &sizes[2], &sizes[3],
                  &sizes[4]) != 1 + static_cast<int>(kParts))
    return std::nullopt;
  std::string_view rest = all.substr(end + 1);
  size_t total = 0;
  for (size_t size : sizes) {
    if (size > rest.size())
      return std::nullopt;
    total += size;
  }
  if (total != rest.size() || plainHash(rest) != hash)
    return std::nullopt;
  std::string parts[kParts];
  for (size_t i = 0; i < kParts; ++i) {
    parts[i] = rest.substr(0, sizes[i]);
    rest.remove_prefix(sizes[i]);
  }
  if (parts[0] != identity(key))
    return std::nullopt;
  Package package;
  if (!readPackageMeta(Source::make(path.string(), parts[1]), package))
    return std::nullopt;
  auto launch = parseLaunch(Source::make(path.string(), parts[2]));
  if (!launch)
    return std::nullopt;
  CompiledKernel &kernel = package.kernel;
  kernel.launch = *std::move(launch);
  kernel.ptx = std::move(parts[3]);
  kernel.source = source;
  if (!readValues(Source::make(path.string(), parts[4]), source, kernel))
    return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), problem); // marks the entry as used
  return std::move(kernel);
}

void KernelCache::store(const std::string &key, const CompiledKernel &kernel) const {
  fs::path path = file(key);
  if (path.empty() || !kernel.source)
    return;
  Package package;
  package.kernel.name = kernel.name;
  package.kernel.arch = kernel.arch;
  package.kernel.outputs = kernel.outputs;
  package.kernel.profiled = kernel.profiled;
  package.kernel.profile = kernel.profile;
  package.kernel.tensorArrays = kernel.tensorArrays;
  std::string meta = packageMeta(package), launch = toJson(kernel.launch), values = valuesJson(kernel);
  std::string own = identity(key), rest = own + meta + launch + kernel.ptx + values;
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(plainHash(rest)));
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem)
    return;
  std::string all = text(kHeader, " ", hash, " ", own.size(), " ", meta.size(), " ", launch.size(), " ",
                         kernel.ptx.size(), " ", values.size(), "\n", rest);
  // A failed write loses nothing, so it is not reported. writeBeneath() replaces only regular files.
  (void)writeBeneath(folder_, path.filename(), std::as_bytes(std::span(all.data(), all.size())),
                     stampBeneath(folder_, path.filename()));
  prune(folder_);
}

} // namespace lanescope::core
