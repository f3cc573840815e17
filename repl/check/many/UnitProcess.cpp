#include "repl/check/many/UnitProcess.h"

#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"
#include "core/gpu/runtime/Process.h"
#include "layouts/support/Text.h"
#include "repl/check/many/ProgramIdentity.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace lanescope::repl {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr int kTick = 100; // milliseconds between two looks at the time and at Ctrl-C
constexpr size_t kMostOutput = size_t{64} << 20;

struct ProcessEnd {
  bool interrupted = false, tooLate = false;
  std::string output, errors, how; // `how`: "exit status 1", "signal 9, Killed"
};

/// Reads what the process has written. Closes the stream at its end.
void drain(core::Process &process, bool errors, std::string &into) {
  std::array<char, 65536> piece;
  for (;;) {
    ssize_t got = ::read(errors ? process.errors() : process.output(), piece.data(), piece.size());
    if (got > 0 && into.size() < kMostOutput)
      into.append(piece.data(), static_cast<size_t>(got));
    else if (got < 0 && errno == EINTR)
      continue;
    else if (got == 0 || (got < 0 && errno != EAGAIN)) {
      errors ? process.closeErrors() : process.closeOutput();
      return;
    } else if (got < 0) {
      return;
    }
  }
}

ProcessEnd runToEnd(core::Process process, const UnitLimits &limits) {
  ProcessEnd end;
  process.closeInput();
  auto begin = SteadyClock::now();
  while (process.output() >= 0 || process.errors() >= 0) {
    std::array<pollfd, 2> polled = {{{process.output(), POLLIN, 0}, {process.errors(), POLLIN, 0}}};
    (void)::poll(polled.data(), polled.size(), kTick);
    if (polled[0].revents)
      drain(process, false, end.output);
    if (polled[1].revents)
      drain(process, true, end.errors);
    end.interrupted = limits.interrupted && *limits.interrupted;
    end.tooLate = std::chrono::duration<double>(SteadyClock::now() - begin).count() > limits.seconds;
    if (end.interrupted || end.tooLate) {
      process.kill();
      break;
    }
  }
  end.how = process.awaitEnd(5);
  if (end.how.empty()) // its streams are closed, and it runs on
    process.kill();
  return end;
}

Diagnostics problem(const CheckUnit &unit, const char *kind, std::string message) {
  return {{Severity::Error, kind, {Source::make(unit.name, ""), 0, 0}, std::move(message), {}}};
}

bool lacksMemory(const CheckRecord &record) {
  return std::ranges::any_of(record.findings, [](const FindingRecord &finding) {
    return finding.grade == "error" && finding.rule == "out-of-memory";
  });
}

/// True if the process ended because it had no more memory: by its own message (MemoryReserve.h), or by the system.
bool diedOfMemory(const ProcessEnd &end) {
  return end.errors.find("out of memory") != std::string::npos || end.how.starts_with("signal 9,");
}

/// A number of seconds without needless digits: "200", "0.5".
std::string secondsText(double seconds) { return nlohmann::json(seconds).dump(); }

CheckRecord recordOf(const CheckUnit &unit, const ProcessEnd &end, const UnitLimits &limits) {
  const bool whole = std::floor(limits.seconds) == limits.seconds;
  if (end.tooLate)
    return failedRecord(unit.name, Outcome::TimeLimit,
                        problem(unit, "unit-time-limit",
                                text("the check did not end within ",
                                     whole ? text(static_cast<uint64_t>(limits.seconds)) : secondsText(limits.seconds),
                                     " s; `--unit-time-limit SECONDS` gives it more")));
  auto record = readRecord(Source::make(unit.name, end.output));
  if (record && !lacksMemory(*record))
    return *std::move(record);
  if (record || diedOfMemory(end))
    return failedRecord(unit.name, Outcome::OutOfMemory,
                        problem(unit, "out-of-memory",
                                text("the check needs more memory than the ", core::memoryText(limits.givenMemory),
                                     " that it may hold; `--memory SIZE` gives it more")));
  return failedRecord(
      unit.name, Outcome::Crashed,
      problem(unit, "unit-crash",
              text("the process that checked it ended without a result (", end.how.empty() ? "it hung" : end.how,
                   "); `lanescope check ", unit.name, "` alone may say more")));
}

/// The options without those that no launch of the unit is made from.
std::vector<std::string> usedOptions(const std::vector<std::string> &options, const std::vector<std::string> &unused) {
  auto isUnused = [&](const std::string &option, const std::string &value) {
    std::string name = option == "--arg" ? text(option, " ", value.substr(0, value.find('='))) : option;
    return std::ranges::find(unused, name) != unused.end();
  };
  std::vector<std::string> out;
  for (size_t n = 0; n < options.size(); ++n)
    if (n + 1 < options.size() && isUnused(options[n], options[n + 1]))
      ++n; // its value
    else
      out.push_back(options[n]);
  return out;
}

} // namespace

Result<std::optional<CheckRecord>> checkUnit(const CheckUnit &unit, const std::vector<std::string> &options,
                                             const UnitLimits &limits) {
  std::vector<std::string> words = {limits.program,       "check",    "--format",         "record", "--threads",
                                    text(limits.threads), "--memory", text(limits.memory)};
  words.insert(words.end(), options.begin(), options.end());
  if (auto scratch = core::scratchFolder())
    words.insert(words.end(), {"--scratch", scratch->string()});
  if (!limits.python.empty() && unit.path.extension() == ".py")
    words.insert(words.end(), {"--python", limits.python});
  std::string file = unit.path.string();
  words.push_back(file.starts_with('-') ? "./" + file : file);
  auto begin = SteadyClock::now();
  ProcessEnd end = runToEnd(LANESCOPE_TRY(core::Process::start(words)), limits);
  if (end.interrupted || (limits.interrupted && *limits.interrupted)) // Ctrl-C also reaches the process
    return std::nullopt;
  CheckRecord record = recordOf(unit, end, limits);
  record.unit = unit.name;
  record.key = unit.key;
  record.options = usedOptions(options, std::exchange(record.unused, {}));
  record.seconds = std::round(std::chrono::duration<double>(SteadyClock::now() - begin).count() * 1000) / 1000;
  record.memory = limits.memory;
  record.finished =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0)
    record.host = host.data();
  record.program = programIdentity();
  return record;
}

} // namespace lanescope::repl
