#include "core/gpu/emulator/parts/Checkpoint.h"

#include "core/data/Bytes.h"
#include "core/data/Files.h"
#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <zlib.h>

namespace lanescope::core::emulator {

namespace {

constexpr char kCheckpointKind[] = "checkpoint";
constexpr std::string_view kFormat = "lanescope checkpoint 2 ";
constexpr int64_t kMost = INT64_MAX;
constexpr size_t kPageBytes = 2 * sizeof(uint64_t) + sizeof(GlobalTouches::Page); // with its place
static_assert(std::endian::native == std::endian::little);

std::unexpected<Diagnostics> refuse(const std::string &name, std::string_view why) {
  return error(kCheckpointKind, Message("`{name}` {}; remove it, or name another file", name, why));
}

std::string_view viewOf(const void *data, size_t bytes) { return {static_cast<const char *>(data), bytes}; }

constexpr size_t kSumDigits = 8;
constexpr size_t kFormatLine = kFormat.size() + kSumDigits + 1;

using Piece = std::span<const std::byte>;

template <typename T> Piece pieceOf(const T &values) { return std::as_bytes(std::span(values.data(), values.size())); }

/// The format's line for the rest of a file, which comes in pieces: with the rest's CRC-32.
std::string formatLine(std::span<const Piece> rest) {
  auto sum = ::crc32_z(0, nullptr, 0);
  for (Piece piece : rest)
    if (!piece.empty()) // zlib would begin anew
      sum = ::crc32_z(sum, reinterpret_cast<const unsigned char *>(piece.data()), piece.size());
  char digits[kSumDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(sum));
  return text(kFormat, digits, "\n");
}

Bytes bytesOf(const GlobalTouches &touches) {
  Bytes out;
  out.reserve(touches.pages().size() * kPageBytes);
  auto add = [&](const auto &value) {
    auto *bytes = reinterpret_cast<const std::byte *>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
  };
  for (const auto &[place, page] : touches.pages()) {
    add(uint64_t{place.first});
    add(place.second);
    add(page);
  }
  return out;
}

} // namespace

uint64_t checkpointSize(const Checkpoint &done) {
  uint64_t bytes = done.touches.pages().size() * kPageBytes + done.printed.size();
  for (const auto &[number, changed] : done.memory.regions)
    bytes += changed.contents.size();
  return bytes;
}

/// Reads a region from the start of `memory`, and removes its bytes there. `described`: its number, its size and the
/// number of its pages. False if it is damaged.
static bool readRegion(const Json &described, std::string_view &memory, MemoryState &state) {
  if (described.items.size() != 3)
    return false;
  std::array<uint64_t, 3> numbers{};
  for (size_t n = 0; n < numbers.size(); ++n) {
    if (!described.items[n].is(Json::Kind::Integer) || described.items[n].integer < 0)
      return false;
    numbers[n] = static_cast<uint64_t>(described.items[n].integer);
  }
  auto [number, bytes, pages] = numbers;
  if (number > UINT32_MAX || pages > memory.size() / sizeof(uint32_t))
    return false;
  ChangedPages changed{.bytes = bytes, .pages = std::vector<uint32_t>(pages)};
  if (pages > 0) // memcpy takes no null pointer, also for no bytes
    std::memcpy(changed.pages.data(), memory.data(), pages * sizeof(uint32_t));
  memory.remove_prefix(pages * sizeof(uint32_t));
  const std::optional<uint64_t> size = changed.contentBytes();
  if (!size || *size > memory.size())
    return false;
  auto *begin = reinterpret_cast<const std::byte *>(memory.data());
  changed.contents.assign(begin, begin + *size);
  memory.remove_prefix(*size);
  return state.regions.emplace(static_cast<uint32_t>(number), std::move(changed)).second;
}

Result<Checkpoint> parseCheckpoint(std::string_view bytes, std::string_view key, const std::string &name) {
  if (!bytes.starts_with(kFormat))
    return refuse(name, "is not a checkpoint of this version of lanescope");
  std::string_view rest = bytes.substr(std::min(kFormatLine, bytes.size()));
  const size_t end = rest.find('\n');
  const Piece whole = pieceOf(rest);
  if (end == rest.npos || formatLine({&whole, 1}) != bytes.substr(0, kFormatLine))
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
  for (const Json &each : regions->items)
    if (!readRegion(each, memory, done.memory))
      return refuse(name, "is a damaged checkpoint");
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
  auto regions = nlohmann::ordered_json::array();
  for (const auto &[number, changed] : done.memory.regions)
    regions.push_back({number, changed.bytes, changed.pages.size()});
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
  const std::string line = state.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const Bytes touches = bytesOf(done.touches);
  std::vector<Piece> pieces{{}, pieceOf(line)}; // no copy of the memory, which may be large
  for (const auto &[number, changed] : done.memory.regions) {
    pieces.push_back(pieceOf(changed.pages));
    pieces.push_back(pieceOf(changed.contents));
  }
  pieces.push_back(pieceOf(touches));
  const std::string format = formatLine(std::span(pieces).subspan(1));
  pieces.front() = pieceOf(format);
  return writePieces(file, pieces);
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
