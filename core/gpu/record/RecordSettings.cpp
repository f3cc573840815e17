#include "core/gpu/record/RecordSettings.h"

#include "layouts/support/Text.h"

#include <charconv>
#include <cstdlib>

namespace lanescope::core::record {

namespace {

template <typename Number> void read(std::string_view text, Number &out) {
  std::from_chars(text.data(), text.data() + text.size(), out);
}

void set(RecordSettings &settings, std::string_view key, std::string_view value) {
  if (key == "folder")
    settings.folder = value;
  else if (key == "journal")
    settings.journal = value;
  else if (key == "kernel")
    settings.kernel = value;
  else if (key == "ptx")
    settings.ptxFolders.emplace_back(value);
  else if (key == "launch")
    read(value, settings.launch);
  else if (key == "max-bytes")
    read(value, settings.maxBytes);
  else if (key == "most")
    read(value, settings.most);
  else if (key == "time-limit")
    read(value, settings.timeLimit);
  else if (key == "every")
    settings.every = value == "1";
  else if (key == "list")
    settings.list = value == "1";
  else if (key == "arrays")
    settings.arrays = value == "1";
  else if (key == "paused")
    settings.paused = value == "1";
}

} // namespace

// One setting per line, because file names and expressions may contain any other character.
std::string toText(const RecordSettings &settings) {
  std::string out = text("folder=", settings.folder, "\njournal=", settings.journal, "\nkernel=", settings.kernel,
                         "\nlaunch=", settings.launch, "\nmax-bytes=", settings.maxBytes, "\nmost=", settings.most,
                         "\ntime-limit=", std::to_string(settings.timeLimit), "\nevery=", settings.every ? 1 : 0,
                         "\nlist=", settings.list ? 1 : 0, "\narrays=", settings.arrays ? 1 : 0,
                         "\npaused=", settings.paused ? 1 : 0);
  for (const std::string &folder : settings.ptxFolders)
    out += text("\nptx=", folder);
  return out;
}

RecordSettings recordSettingsFromText(std::string_view text, RecordSettings settings) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (size_t equals = line.find('='); equals != std::string_view::npos)
      set(settings, line.substr(0, equals), line.substr(equals + 1));
  }
  return settings;
}

RecordSettings recordSettingsFromEnvironment() {
  const char *text = std::getenv(kRecordVariable);
  return text ? recordSettingsFromText(text) : RecordSettings();
}

} // namespace lanescope::core::record
