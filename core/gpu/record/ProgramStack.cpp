#include "core/gpu/record/ProgramStack.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <charconv>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;

std::string nameOfFile(std::string_view path) { return fs::path(path).filename().string(); }

/// A frame of Python: `File "/home/me/train.py", line 12 in step`.
ProgramFrame pythonFrame(std::string_view words) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = " in ";
  ProgramFrame out{.words = std::string(words), .python = true};
  size_t line = words.find(kLine), in = line == words.npos ? words.npos : words.find(kIn, line);
  if (!words.starts_with(kFile) || in == words.npos)
    return out;
  std::string_view path = words.substr(kFile.size(), line - kFile.size());
  std::string_view number = words.substr(line + kLine.size(), in - line - kLine.size());
  std::from_chars(number.data(), number.data() + number.size(), out.line);
  out.file = path;
  bool library = path.starts_with('<') || path.contains("-packages/") || path.contains("/lib/python");
  if (!library)
    out.place = text(nameOfFile(path), ":", number, " ", words.substr(in + kIn.size()));
  return out;
}

/// A frame of a shared object or a program: `main+12 (/home/me/program)` or `/home/me/program+4711`.
ProgramFrame nativeFrame(std::string_view words) {
  ProgramFrame out{.words = std::string(words)};
  size_t open = words.rfind(" (");
  std::string_view object =
      open == words.npos ? words.substr(0, words.rfind('+')) : words.substr(open + 2, words.size() - open - 3);
  std::string name = nameOfFile(object);
  if (!name.starts_with("lib") && !name.contains(".so"))
    out.place = open == words.npos ? text(name, words.substr(std::min(words.rfind('+'), words.size())))
                                   : text(words.substr(0, open), " (", name, ")");
  return out;
}

} // namespace

std::string ProgramStack::place() const {
  for (bool python : {true, false})
    for (const ProgramFrame &frame : frames)
      if (frame.python == python && !frame.place.empty())
        return frame.place;
  return {};
}

Result<ProgramStack> programStack(const fs::path &package) {
  SourceRef source = LANESCOPE_TRY(readSource(package / "recorded.json", FileRole::Json));
  Json json = LANESCOPE_TRY(parseJson(source));
  ProgramStack out;
  if (const Json *kernel = json.find("kernel"))
    out.kernel = kernel->string;
  if (const Json *number = json.find("launch"))
    out.launch = static_cast<uint64_t>(number->integer);
  for (bool python : {true, false})
    if (const Json *list = json.find(python ? "python" : "stack"))
      for (const Json &each : list->items)
        out.frames.push_back(python ? pythonFrame(each.string) : nativeFrame(each.string));
  return out;
}

} // namespace lanescope::core::record
