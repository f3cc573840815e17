#include "core/data/ProcessMemory.h"

#include "core/data/MemoryReserve.h"
#include "core/data/Scratch.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

std::atomic<uint64_t> limit{0}; // 0 if not known yet
std::optional<uint64_t> given;

/// The number in a file of the system; nothing if there is none ("max").
std::optional<uint64_t> numberIn(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? parseInteger<uint64_t>(word) : std::nullopt;
}

/// The folder of this process's control group, as /proc names it. Version 2 has one line, "0::/the/path".
std::string controlGroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/"))
      return line.substr(3);
  return "/";
}

/// The bytes that the container allows: the smallest limit of its control group and of the groups around it. Version 1
/// of control groups has one file.
std::optional<uint64_t> containerLimit() {
  std::optional<uint64_t> least = numberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  for (std::string group = controlGroup();;) {
    if (auto bytes = numberIn(text("/sys/fs/cgroup", group == "/" ? "" : group, "/memory.max")))
      least = std::min(least.value_or(*bytes), *bytes);
    if (group == "/" || group.empty())
      return least;
    group.resize(group.rfind('/'));
    if (group.empty())
      group = "/";
  }
}

uint64_t machineMemory() {
  uint64_t total = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  if (auto container = containerLimit())
    total = std::min(total, *container);
  return total;
}

/// The bytes of private writable memory of this process, touched or not.
uint64_t mappedData() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  file >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// True if the allocator can provide that much now. Allocates a block and frees it at once; a block of that size is its
/// own mapping, which costs microseconds.
bool allocatorHas(uint64_t bytes) {
  void *block = std::malloc(bytes);
  void *volatile kept = block; // keeps the compiler from removing the pair of calls
  std::free(kept);
  return block != nullptr;
}

} // namespace

uint64_t memoryLimit() {
  uint64_t known = limit.load(std::memory_order_relaxed);
  if (known == 0) {
    known = std::max(machineMemory() / 2, kLeastMemory);
    limit.store(known, std::memory_order_relaxed);
  }
  return known;
}

std::optional<uint64_t> givenMemoryLimit() { return given; }

void setMemoryBudget(uint64_t bytes) {
  limit = std::max(bytes, kLeastMemory);
  given = limit;
}

void setMemoryLimit(uint64_t bytes) {
  setMemoryBudget(bytes);
  enforceMemoryLimit();
}

void enforceMemoryLimit() {
  // The system counts private writable memory, touched or not, including the reserve and the threads' stacks.
  uint64_t most = memoryLimit() + kReserveBytes + (uint64_t{64} << 20);
  if (mappedData() > most / 2)
    return; // a sanitizer maps terabytes that it does not touch
  struct rlimit now;
  if (::getrlimit(RLIMIT_DATA, &now) != 0 || (now.rlim_cur != RLIM_INFINITY && now.rlim_cur <= most))
    return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min<rlim_t>(most, now.rlim_max);
  ::setrlimit(RLIMIT_DATA, &now);
}

void liftMemoryLimit() {
  struct rlimit now;
  if (::getrlimit(RLIMIT_DATA, &now) != 0)
    return;
  now.rlim_cur = now.rlim_max;
  ::setrlimit(RLIMIT_DATA, &now);
}

std::optional<uint64_t> residentMemory() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  if (!(file >> pages >> resident))
    return std::nullopt;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<void> reserveMemory(uint64_t bytes, std::string_view what) { return reserveMemory(bytes, what, memoryLimit()); }

Result<void> reserveMemory(uint64_t bytes, std::string_view what, uint64_t most) {
  auto over = [&](uint64_t held) { return held > most || bytes > most - held; };
  std::optional<uint64_t> held = residentMemory();
  if (held && over(*held)) {
    ::malloc_trim(0); // freed memory may still count as held
    releasePages();   // and so may pages of scratch files
    held = residentMemory();
  }
  if (held && over(*held))
    return error("out-of-memory", Message("there is no memory for {}, {}: this process holds {} of the {} that it may "
                                          "hold; `--memory SIZE` sets the limit",
                                          what, memoryText(bytes), memoryText(*held), memoryText(most)));
  constexpr uint64_t kAsked = uint64_t{1} << 20;
  if (bytes >= kAsked && !allocatorHas(bytes))
    return error(
        "out-of-memory",
        Message("there is no memory for {}, {}: the system refuses it (`ulimit -v` and `ulimit -d` show its limits)",
                what, memoryText(bytes)));
  return {};
}

Result<void> reserveParsed(const SourceRef &source, uint64_t perByte) {
  constexpr uint64_t kSmall = uint64_t{1} << 20;
  if (source->text().size() < kSmall)
    return {};
  auto room = reserveMemory(source->text().size() * perByte, text("what `", source->name(), "` is parsed to"));
  return room ? room : at({source, 0, 0}, std::move(room.error()));
}

std::optional<uint64_t> parseMemorySize(std::string_view text) {
  double number = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (problem != std::errc() || !(number >= 0))
    return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (constexpr std::string_view kUnits = "KMGT"; !unit.empty() && kUnits.find(unit[0] & ~0x20) != kUnits.npos) {
    number = std::ldexp(number, 10 * (static_cast<int>(kUnits.find(unit[0] & ~0x20)) + 1));
    unit.remove_prefix(1);
    if (unit.starts_with('i'))
      unit.remove_prefix(1);
  }
  if (!(unit.empty() || unit == "B") || number >= 0x1p62)
    return std::nullopt;
  return static_cast<uint64_t>(number);
}

std::string memoryText(uint64_t bytes) {
  constexpr uint64_t kMiB = uint64_t{1} << 20, kGiB = uint64_t{1} << 30;
  if (bytes < 10 * kMiB)
    return text(bytes, " bytes");
  if (bytes < 10 * kGiB && bytes % kGiB != 0)
    return text(bytes / kMiB, " MiB");
  return text(bytes / kGiB, " GiB");
}

} // namespace lanescope::core
