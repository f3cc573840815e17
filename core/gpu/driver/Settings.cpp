#include "core/gpu/driver/Settings.h"

#include "layouts/support/Text.h"

#include <charconv>
#include <cstdlib>

namespace lanescope::core::driver {

namespace {

constexpr char kBetween = ';', kBetweenRules = ',';
constexpr std::string_view kJournal = "journal";

template <typename Number> void read(std::string_view text, Number &out) {
  std::from_chars(text.data(), text.data() + text.size(), out);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(kBetweenRules));
    if (!word.empty())
      out.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

void set(Settings &settings, std::string_view key, std::string_view value) {
  if (key == "gpu")
    settings.gpu = value;
  else if (key == "devices")
    read(value, settings.devices);
  else if (key == "seed")
    read(value, settings.seed);
  else if (key == "seeds")
    read(value, settings.seeds);
  else if (key == "fast")
    settings.fast = value == "1";
  else if (key == "strict")
    settings.strict = value == "1";
  else if (key == "keep-going")
    settings.keepGoing = value == "1";
  else if (key == "colour")
    settings.colour = value == "1";
  else if (key == "strict-rules")
    settings.strictRules = split(value);
  else if (key == "threads")
    read(value, settings.threads);
  else if (key == "time-limit")
    read(value, settings.timeLimit);
  else if (key == kJournal)
    settings.journal = value;
}

} // namespace

std::string toText(const Settings &settings) {
  // A file name may contain any character, so it comes last.
  return text("gpu=", settings.gpu, ";devices=", settings.devices, ";seed=", settings.seed, ";seeds=", settings.seeds,
              ";fast=", settings.fast ? 1 : 0, ";strict=", settings.strict ? 1 : 0,
              ";keep-going=", settings.keepGoing ? 1 : 0, ";colour=", settings.colour ? 1 : 0,
              ";strict-rules=", joined(settings.strictRules, ","), ";threads=", settings.threads,
              ";time-limit=", std::to_string(settings.timeLimit), ";", kJournal, "=", settings.journal);
}

Settings settingsFromText(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(kBetween));
    const size_t equals = part.find('=');
    if (part.substr(0, equals) == kJournal) // the rest of the text is the file name
      part = text;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (equals != std::string_view::npos)
      set(settings, part.substr(0, equals), part.substr(equals + 1));
  }
  return settings;
}

Settings settingsFromEnvironment() {
  const char *text = std::getenv(kSettingsVariable);
  return text ? settingsFromText(text) : Settings();
}

} // namespace lanescope::core::driver
