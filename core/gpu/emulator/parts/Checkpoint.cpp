#include "core/gpu/emulator/parts/Checkpoint.h"

#include "core/data/Files.h"
#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <zlib.h>

namespace lanescope::core::emulator {

namespace {

constexpr char kCheckpointKind[] = "checkpoint";
constexpr std::string_view kFormat = "lanescope checkpoint 1 ";
constexpr int64_t kMost = INT64_MAX;
constexpr size_t kPageBytes = 2 * sizeof(uint64_t) + sizeof(GlobalTouches::Page); // with its place
static_assert(std::endian::native == std::endian::little);

std::unexpected<Diagnostics> refuse(const std::string &name, std::string_view why) {
  return error(kCheckpointKind, text("`", name, "` ", why, "; remove it, or name another file"));
}

std::string_view viewOf(const void *data, size_t bytes) { return {static_cast<const char *>(data), bytes}; }

constexpr size_t kSumDigits = 8;
constexpr size_t kFormatLine = kFormat.size() + kSumDigits + 1;

/// The format's line for the rest of a file: with the rest's CRC-32.
std::string formatLine(std::string_view rest) {
  auto sum = ::crc32_z(0, reinterpret_cast<const unsigned char *>(rest.data()), rest.size());
  char digits[kSumDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(sum));
  return text(kFormat, digits, "\n");
}

} // namespace

std::string checkpointBytes(std::string_view key, const Checkpoint &done) {
  auto regions = nlohmann::ordered_json::array();
  size_t bytes = 0;
  for (const auto &[number, region] : done.memory.regions) {
    regions.push_back({number, region.size()});
    bytes += region.size();
  }
  nlohmann::ordered_json state = {{"key", key},
                                  {"clusters", done.clusters},
                                  {"parts", done.parts},
                                  {"instructions", done.counted.warpInstructions},
                                  {"judged", done.counted.judged},
                                  {"cycles", done.counted.cycles},
                                  {"wavefronts", done.counted.wavefronts.value_or(0)},
                                  {"heap", done.memory.heapUsed},
                                  {"regions", regions},
                                  {"pages", done.touches.pages().size()},
                                  {"printed", done.printed}};
  std::string out(kFormatLine, ' ');
  out += state.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  out.reserve(out.size() + bytes + done.touches.pages().size() * kPageBytes); // memory may be large
  for (const auto &[number, region] : done.memory.regions)
    out += viewOf(region.data(), region.size());
  for (const auto &[place, page] : done.touches.pages()) {
    const uint64_t words[2] = {place.first, place.second};
    out += viewOf(words, sizeof words);
    out += viewOf(&page, sizeof page);
  }
  out.replace(0, kFormatLine, formatLine(std::string_view(out).substr(kFormatLine)));
  return out;
}

Result<Checkpoint> parseCheckpoint(std::string_view bytes, std::string_view key, const std::string &name) {
  if (!bytes.starts_with(kFormat))
    return refuse(name, "is not a checkpoint of this version of lanescope");
  std::string_view rest = bytes.substr(std::min(kFormatLine, bytes.size()));
  const size_t end = rest.find('\n');
  if (end == rest.npos || formatLine(rest) != bytes.substr(0, kFormatLine))
    return refuse(name, "is a damaged checkpoint");
  SourceRef line = Source::make(name, std::string(rest.substr(0, end)));
  std::string_view memory = rest.substr(end + 1);
  Result<Json> json = parseJson(line);
  if (!json || json->kind != Json::Kind::Object)
    return refuse(name, "is a damaged checkpoint");
  JsonFields fields(line, *json, "a checkpoint", kCheckpointKind);
  auto number = [&](std::string_view field) { return static_cast<uint64_t>(fields.integer(field, 0, kMost)); };
  if (std::string own = fields.string("key"); !fields.failed() && own != key)
    return refuse(name, "is a checkpoint of another launch, or of other arrays or options");
  Checkpoint done;
  done.clusters = number("clusters");
  done.parts = number("parts");
  done.counted.warpInstructions = number("instructions");
  done.counted.judged = number("judged");
  done.counted.cycles = number("cycles");
  done.counted.wavefronts = number("wavefronts");
  done.memory.heapUsed = number("heap");
  done.printed = fields.string("printed");
  uint64_t pages = number("pages");
  const Json *regions = fields.member("regions", Json::Kind::Array, "a list");
  if (fields.failed())
    return refuse(name, "is a damaged checkpoint");
  for (const Json &each : regions->items) {
    if (each.items.size() != 2 || !each.items[0].is(Json::Kind::Integer) || !each.items[1].is(Json::Kind::Integer) ||
        static_cast<uint64_t>(each.items[0].integer) > UINT32_MAX ||
        static_cast<uint64_t>(each.items[1].integer) > memory.size())
      return refuse(name, "is a damaged checkpoint");
    auto size = static_cast<size_t>(each.items[1].integer);
    Bytes &region = done.memory.regions[static_cast<uint32_t>(each.items[0].integer)];
    region.resize(size);
    std::memcpy(region.data(), memory.data(), size);
    memory.remove_prefix(size);
  }
  uint64_t words[2];
  GlobalTouches::Page page;
  if (pages != memory.size() / kPageBytes || memory.size() % kPageBytes != 0)
    return refuse(name, "is a damaged checkpoint");
  for (; !memory.empty(); memory.remove_prefix(kPageBytes)) {
    std::memcpy(words, memory.data(), sizeof words);
    std::memcpy(&page, memory.data() + sizeof words, sizeof page);
    done.touches.addPage({static_cast<uint32_t>(words[0]), words[1]}, page);
  }
  return done;
}

Result<void> writeCheckpoint(const std::filesystem::path &file, std::string_view key, const Checkpoint &done) {
  return writeFile(file, std::string_view(checkpointBytes(key, done)));
}

Result<Checkpoint> readCheckpoint(const std::filesystem::path &file, std::string_view key) {
  LANESCOPE_CHECK(checkPath(file));
  std::error_code problem;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, problem)))
    return Checkpoint{};
  const Bytes bytes = LANESCOPE_TRY(readFile(file, FileRole::Archive));
  return parseCheckpoint(viewOf(bytes.data(), bytes.size()), key, file.string());
}

} // namespace lanescope::core::emulator
