#include "repl/check/many/CheckMany.h"

#include "core/data/MemoryReserve.h"
#include "core/data/ProcessMemory.h"
#include "core/data/Threads.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "repl/check/many/ResultsFolder.h"
#include "repl/check/many/UnitProcess.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace lanescope::repl {

namespace {

// Beside what `--memory` counts, a process may map its reserve and as much again (core::enforceMemoryLimit).
constexpr uint64_t kBesideLimit = 2 * core::kReserveBytes;
constexpr uint64_t kLeastShare = uint64_t{256} << 20;

uint64_t childLimit(uint64_t share) {
  return std::max(core::kLeastMemory, share > kBesideLimit ? share - kBesideLimit : 0);
}

/// The earlier records by unit, the latest of each.
std::map<std::string, CheckRecord> formerRecords(const std::filesystem::path &folder) {
  std::map<std::string, CheckRecord> out;
  if (auto former = readResults(folder))
    for (CheckRecord &record : former->records)
      out.insert_or_assign(record.unit, std::move(record));
  return out;
}

/// True if the record is still right. A unit that lacked memory or time is tried again with more.
bool isCurrent(const CheckRecord &record, const CheckUnit &unit, uint64_t memory, double unitSeconds) {
  return !unit.always && record.key == unit.key &&
         !(record.outcome == Outcome::OutOfMemory && record.memory < childLimit(memory)) &&
         !(record.outcome == Outcome::TimeLimit && record.seconds < unitSeconds);
}

/// A unit and the time that its check will take, in seconds, as far as it is known.
struct ExpectedUnit {
  double seconds = 0;
  CheckUnit unit;
};

std::string durationText(double seconds) {
  auto whole = static_cast<uint64_t>(seconds) + 1;
  return whole < 90     ? text("about ", whole, " s left")
         : whole < 5400 ? text("about ", (whole + 30) / 60, " min left")
                        : text("about ", (whole + 1800) / 3600, " h left");
}

class ManyChecks {
public:
  ManyChecks(const ManyOptions &options, RecordWriter &writer, std::vector<ExpectedUnit> units, uint64_t memory)
      : options_(options), writer_(writer), memory_(memory), total_(units.size()), open_(std::move(units)) {
    std::ranges::stable_sort(open_, {}, &ExpectedUnit::seconds); // taken from the end: the slowest first
  }

  Result<void> run(uint32_t jobs, uint32_t cores) {
    jobs = static_cast<uint32_t>(std::clamp<uint64_t>(memory_ / kLeastShare, 1, jobs));
    core::ProgressStep step(options_.progress, "kernel", total_);
    step_ = &step;
    begin_ = std::chrono::steady_clock::now();
    limits_ = {.program = core::ownFile().string(),
               .seconds = options_.unitSeconds,
               .memory = childLimit(memory_ / jobs),
               .givenMemory = memory_,
               .python = options_.python,
               .threads = options_.threads ? options_.threads : std::max(1u, cores / jobs),
               .interrupted = options_.interrupted};
    std::vector<std::thread> threads(jobs - 1);
    for (std::thread &thread : threads)
      if (!core::startThread(thread, [this] { work(); }))
        break; // fewer at a time
    work();
    for (std::thread &thread : threads)
      if (thread.joinable())
        thread.join();
    limits_.memory = childLimit(memory_);
    limits_.threads = options_.threads ? options_.threads : cores;
    for (const CheckUnit &unit : hungry_)
      if (!stopped())
        check(unit, true);
    if (hasErrors(problems_))
      return std::unexpected(std::move(problems_));
    return {};
  }

  uint64_t done() const { return done_; }

private:
  bool stopped() const { return (options_.interrupted && *options_.interrupted) || hasErrors(problems_); }

  void work() {
    for (;;) {
      CheckUnit unit;
      {
        std::scoped_lock lock(mutex_);
        if (open_.empty() || stopped())
          return;
        unit = std::move(open_.back().unit);
        open_.pop_back();
      }
      check(unit, false);
    }
  }

  void check(const CheckUnit &unit, bool alone) {
    auto record = checkUnit(unit, options_.options, limits_);
    std::scoped_lock lock(mutex_);
    if (!record) {
      problems_ = std::move(record.error());
      return;
    }
    if (!*record)
      return;
    if (!alone && (*record)->outcome == Outcome::OutOfMemory && limits_.memory < childLimit(memory_)) {
      hungry_.push_back(unit);
      return;
    }
    if (Result<void> written = writer_.append(**record); !written) {
      problems_ = std::move(written.error());
      return;
    }
    ++done_;
    step_->advance();
    double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    double all = spent / static_cast<double>(done_) * static_cast<double>(total_ - done_);
    step_->name(durationText(all));
  }

  const ManyOptions &options_;
  RecordWriter &writer_;
  const uint64_t memory_;
  const size_t total_;
  UnitLimits limits_; // changes only while no thread works
  std::chrono::steady_clock::time_point begin_;
  core::ProgressStep *step_ = nullptr;
  std::mutex mutex_; // guards all below
  std::vector<ExpectedUnit> open_;
  std::vector<CheckUnit> hungry_; // ran out of their share of the memory
  Diagnostics problems_;
  uint64_t done_ = 0;
};

} // namespace

std::vector<std::string> findingOptions(const CheckOptions &options) {
  std::vector<std::string> out = {"--keep-going"};
  auto add = [&](const char *option, std::string value) {
    out.emplace_back(option);
    out.push_back(std::move(value));
  };
  if (options.timeLimit != CheckOptions{}.timeLimit)
    add("--time-limit", nlohmann::json(options.timeLimit).dump());
  if (options.seeds)
    add("--seeds", text(*options.seeds));
  if (options.schedule)
    add("--seed", core::scheduleText(*options.schedule));
  if (options.adversaries)
    out.emplace_back("--adversarial");
  if (!options.rules.empty())
    add("--checks", joined(options.rules, ","));
  if (!options.strictRules.empty())
    add("--strict-rule", joined(options.strictRules, ","));
  if (!options.blocks.isAll())
    add("--blocks", blocksText(options.blocks));
  if (options.sketch.grid)
    add("--grid", joined(*options.sketch.grid, ","));
  for (const auto &[name, value] : options.sketch.arguments)
    add("--arg", text(name, "=", value));
  for (const std::filesystem::path &folder : options.reads)
    add("--read", folder.string());
  if (!options.arch.empty())
    add("--arch", options.arch);
  return out;
}

Result<ManyReport> checkMany(const std::vector<std::filesystem::path> &paths, const ManyOptions &options) {
  std::vector<CheckUnit> units = LANESCOPE_TRY(checkUnits(paths, options.options, options.shard));
  const uint64_t memory = options.memory ? options.memory : core::memoryLimit();
  std::map<std::string, CheckRecord> former = formerRecords(options.results);
  double seconds = 0, bytes = 0; // sums over the units that an earlier run checked
  for (const CheckUnit &unit : units)
    if (auto known = former.find(unit.name); known != former.end()) {
      seconds += known->second.seconds;
      bytes += static_cast<double>(unit.bytes);
    }
  const double perByte = bytes > 0 ? seconds / bytes : 1e-6; // a guess only for the order
  ManyReport report{.units = units.size()};
  std::vector<ExpectedUnit> open;
  for (const CheckUnit &unit : units) {
    auto known = former.find(unit.name);
    if (known != former.end() && isCurrent(known->second, unit, memory, options.unitSeconds))
      ++report.reused;
    else
      open.push_back({known != former.end() ? known->second.seconds : static_cast<double>(unit.bytes) * perByte, unit});
  }
  RecordWriter writer = LANESCOPE_TRY(RecordWriter::open(options.results, options.shard, units));
  const uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  ManyChecks checks(options, writer, std::move(open), memory);
  LANESCOPE_CHECK(checks.run(options.jobs ? options.jobs : cores, cores));
  report.left = report.units - report.reused - checks.done();
  return report;
}

} // namespace lanescope::repl
