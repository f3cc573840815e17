#include "repl/check/many/ResultsFolder.h"

#include "core/data/Files.h"
#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <span>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnitsSchema = "lanescope.units/1";
constexpr std::string_view kRecords = "records-", kUnits = "units-";

std::string shardName(Shard shard) { return text(shard.number, "-of-", shard.of); }

/// The shard that a file's name has between `prefix` and `ending`. Nothing if there is no such shard.
std::optional<Shard> shardOf(std::string_view name, std::string_view prefix, std::string_view ending) {
  if (!name.starts_with(prefix) || !name.ends_with(ending) || name.size() <= prefix.size() + ending.size())
    return std::nullopt;
  name = name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
  size_t of = name.find("-of-");
  if (of == name.npos)
    return std::nullopt;
  auto number = parseInteger<uint32_t>(name.substr(0, of)), count = parseInteger<uint32_t>(name.substr(of + 4));
  return number && count && *number >= 1 && *number <= *count ? std::optional(Shard{*number, *count}) : std::nullopt;
}

std::unexpected<Diagnostics> unwritableRecords(const fs::path &path, int problem) {
  return error("unwritable-file", Message("cannot write `{path}`: {}", path.string(), std::strerror(problem)));
}

/// Reads the lines of a file of records. A line that is no JSON was not written to its end, so it is skipped.
Result<void> readRecords(const fs::path &path, std::vector<CheckRecord> &records) {
  SourceRef all = LANESCOPE_TRY(core::readSource(path, core::FileRole::Trace));
  std::string_view rest = all->text();
  for (uint32_t number = 1; !rest.empty(); ++number) {
    size_t end = rest.find('\n');
    if (end == rest.npos)
      return {};
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    SourceRef source = Source::make(text(path.string(), ":", number), std::string(line));
    if (line.empty() || !core::parseJson(source))
      continue;
    records.push_back(LANESCOPE_TRY(readRecord(source)));
  }
  return {};
}

Result<void> readUnits(const fs::path &path, std::map<std::string, std::string> &units) {
  SourceRef source = LANESCOPE_TRY(core::readSource(path, core::FileRole::Json));
  core::Json json = LANESCOPE_TRY(core::parseJson(source));
  core::JsonFields fields(source, json, "a list of units", "results");
  if (std::string schema = fields.string("schema"); schema != kUnitsSchema && !fields.failed())
    fields.problem(*json.find("schema"), text("this Lanescope reads lists of the schema ", kUnitsSchema));
  if (const core::Json *list = fields.member("units", core::Json::Kind::Array, "a list"))
    for (const core::Json &each : list->items) {
      core::JsonFields unit(source, each, "a unit", "results");
      std::string name = unit.string("unit"), key = unit.string("key");
      if (unit.failed())
        return unit.failure();
      units[name] = key;
    }
  if (fields.failed())
    return fields.failure();
  return {};
}

std::string unitsText(const std::vector<CheckUnit> &units) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CheckUnit &unit : units)
    list.push_back({{"unit", unit.name}, {"key", unit.key}});
  return jsonText({{"schema", kUnitsSchema}, {"units", std::move(list)}}, 0);
}

std::vector<fs::path> sortedFilesIn(const fs::path &folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem))
    files.push_back(each->path());
  std::ranges::sort(files);
  return files;
}

} // namespace

Result<ResultsFolder> readResults(const fs::path &folder) {
  ResultsFolder out;
  for (const fs::path &path : sortedFilesIn(folder)) {
    std::string name = path.filename().string();
    if (shardOf(name, kRecords, ".jsonl"))
      LANESCOPE_CHECK(readRecords(path, out.records));
    if (auto shard = shardOf(name, kUnits, ".json")) {
      LANESCOPE_CHECK(readUnits(path, out.units));
      out.shards.push_back(*shard);
    }
  }
  if (out.shards.empty())
    return error("results", Message("`{path}` has no results: `lanescope check FOLDER --results {}` writes some",
                                    folder.string(), folder.string()));
  std::ranges::stable_sort(out.records, {}, &CheckRecord::finished);
  return out;
}

Result<RecordWriter> RecordWriter::open(const fs::path &folder, Shard shard, const std::vector<CheckUnit> &units) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return unwritableRecords(folder, problem.value());
  fs::path path = folder / text(kRecords, shardName(shard), ".jsonl");
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return unwritableRecords(path, errno);
  RecordWriter writer(file, path);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return error("results",
                 Message("another process writes `{path}`: wait for its end, or choose another folder or `--shard`",
                         path.string()));
  struct stat status{};
  char last = '\n';
  if (::fstat(file, &status) == 0 && status.st_size > 0)
    (void)!::pread(file, &last, 1, status.st_size - 1);
  if (last != '\n') // a killed process left half a line
    if (int wrong = core::writeOpenFile(file, std::as_bytes(std::span("\n", 1))))
      return unwritableRecords(path, wrong);
  for (const fs::path &other : sortedFilesIn(folder))
    if (auto former = shardOf(other.filename().string(), kUnits, ".json"); former && former->of != shard.of)
      fs::remove(other, problem);
  LANESCOPE_CHECK(core::writeFile(folder / text(kUnits, shardName(shard), ".json"), unitsText(units)));
  return writer;
}

RecordWriter::RecordWriter(RecordWriter &&other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

RecordWriter::~RecordWriter() {
  if (file_ >= 0)
    ::close(file_);
}

Result<void> RecordWriter::append(const CheckRecord &record) {
  std::string line = recordLine(record);
  if (int problem = core::writeOpenFile(file_, std::as_bytes(std::span(line.data(), line.size()))))
    return unwritableRecords(path_, problem);
  return {};
}

} // namespace lanescope::repl
