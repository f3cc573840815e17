#include "repl/check/many/CheckUnit.h"

#include "core/ir/ContentHash.h"
#include "layouts/support/Text.h"
#include "repl/check/CheckTargets.h"
#include "repl/check/many/CheckRecord.h"
#include "repl/check/many/ProgramIdentity.h"

#include <algorithm>
#include <map>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

/// Hashes files. Several units may have a file in common, which is read once.
class FileHashes {
public:
  const std::string &of(const fs::path &file) {
    auto [known, fresh] = hashes_.try_emplace(file);
    if (fresh) {
      core::ContentHash hash;
      hash.addFile(file);
      known->second = hash.hex();
    }
    return known->second;
  }

private:
  std::map<fs::path, std::string> hashes_;
};

} // namespace

bool Shard::has(std::string_view unit) const {
  core::ContentHash hash;
  hash.add(unit);
  return hash.number() % of == number - 1;
}

Result<Shard> parseShard(std::string_view words) {
  size_t slash = words.find('/');
  auto number = parseInteger<uint32_t>(words.substr(0, slash));
  auto of = slash == words.npos ? std::nullopt : parseInteger<uint32_t>(words.substr(slash + 1));
  if (!number || !of || *number < 1 || *number > *of)
    return error("results", Message("a shard is a number and a count, from 1/4 to 4/4, not `{}`", words));
  return Shard{*number, *of};
}

Result<std::vector<CheckUnit>> checkUnits(const std::vector<fs::path> &paths, const std::vector<std::string> &options,
                                          Shard shard) {
  std::map<std::string, fs::path> files; // paths by the name of their unit
  std::error_code ignored;
  for (const fs::path &path : paths) {
    std::vector<fs::path> found = {path};
    if (fs::is_directory(path, ignored))
      found = LANESCOPE_TRY(ptxFiles(path));
    else if (!fs::exists(path, ignored))
      return error("unreadable-file", Message("there is no file or folder `{path}`", path.string()));
    for (const fs::path &file : found)
      files.emplace(file.lexically_normal().generic_string(), file.lexically_normal());
  }
  FileHashes hashes;
  std::vector<CheckUnit> units;
  for (const auto &[name, file] : files) {
    if (!shard.has(name))
      continue;
    CheckUnit unit{.name = name, .path = file, .key = {}, .always = file.extension() == ".py"};
    unit.bytes = fs::file_size(file, ignored);
    core::ContentHash key;
    key.add(kRecordSchema), key.add(programIdentity()), key.add(name);
    for (const std::string &option : options)
      key.add(option);
    key.add(hashes.of(file));
    if (!unit.always)
      for (const fs::path &beside : filesOfTarget(file)) {
        key.add(beside.lexically_relative(file.parent_path()).generic_string());
        key.add(hashes.of(beside));
      }
    unit.key = key.hex();
    units.push_back(std::move(unit));
  }
  return units;
}

} // namespace lanescope::repl
