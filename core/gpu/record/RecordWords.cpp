// The options of `lanescope-worker record`, which are the same as for `lanescope record`.
#include "core/data/ProcessMemory.h"
#include "core/gpu/record/RecordProgram.h"
#include "layouts/support/Text.h"

namespace lanescope::core::record {

namespace {

/// Sets an option. Returns the error in its value; empty if the value is valid.
std::string setOption(RecordSettings &settings, const std::string &word, const std::string &value) {
  auto number = [&](uint64_t &to) {
    auto parsed = parseInteger<uint64_t>(value);
    to = parsed.value_or(0);
    return to ? std::string() : text("`", word, "` takes a number from 1 on, not `", value, "`");
  };
  if (word == "-o")
    settings.folder = value;
  else if (word == "--kernel")
    settings.kernel = value;
  else if (word == "--ptx")
    settings.ptxFolders.push_back(value);
  else if (word == "--launch")
    return number(settings.launch);
  else if (word == "--at-most")
    return number(settings.most);
  else if (word == "--every" && (value == "distinct" || value == "launch"))
    settings.every = value == "launch";
  else if (word == "--every")
    return text("`--every` is `distinct` or `launch`, not `", value, "`");
  else if (word == "--max-bytes") {
    auto bytes = parseMemorySize(value);
    settings.maxBytes = bytes.value_or(0);
    return bytes ? std::string() : text("`--max-bytes` takes a size such as 800M or 4G, not `", value, "`");
  } else if (word == "--time-limit") {
    uint64_t seconds = 0;
    std::string problem = number(seconds);
    settings.timeLimit = static_cast<double>(seconds);
    return problem;
  } else
    return text("`", word, "` is unknown");
  return {};
}

} // namespace

Result<RecordRequest> readRecordWords(const std::vector<std::string> &words) {
  RecordRequest request;
  size_t n = 0;
  for (; n < words.size() && words[n] != "--" && words[n].starts_with("-"); ++n) {
    if (words[n] == "--touched" || words[n] == "--paused") {
      (words[n] == "--touched" ? request.touched : request.settings.paused) = true;
      continue;
    }
    if (words[n] == "--list" || words[n] == "--no-arrays") {
      (words[n] == "--list" ? request.settings.list : request.settings.arrays) = words[n] == "--list";
      continue;
    }
    if (n + 1 == words.size())
      return error(kUsageKind, Message("`{}` is unknown or lacks its value", words[n]));
    if (std::string problem = setOption(request.settings, words[n], words[n + 1]); !problem.empty())
      return error(kUsageKind, problem);
    ++n;
  }
  n += n < words.size() && words[n] == "--";
  request.program.assign(words.begin() + static_cast<std::ptrdiff_t>(n), words.end());
  return request;
}

} // namespace lanescope::core::record
