#include "repl/program/ProgramProcess.h"

#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/program/ProgramKind.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lanescope::repl {

namespace {

using Clock = std::chrono::steady_clock;
using core::Json;
using core::JsonFields;
constexpr int kPollMilliseconds = 10;
constexpr double kLastWordsSeconds = 0.3; // wait for output from processes that the program has left running
constexpr double kEndSeconds = 2;         // wait for the end of the process after it reported the program's end
constexpr uint64_t kLargestBlob = uint64_t{1} << 30;
constexpr size_t kPiece = 1 << 16;
constexpr int kMostLine = 1 << 30;

core::Bytes runFrame(const ProgramRequest &request) {
  nlohmann::ordered_json json = {{"type", "run"},
                                 {"path", request.path},
                                 {"arguments", request.arguments},
                                 {"arch", request.arch},
                                 {"seed", request.emulation.seed},
                                 {"strict", request.emulation.strict},
                                 {"fast", request.emulation.fast},
                                 {"keep_going", request.emulation.keepGoing},
                                 {"strict_rules", joined(request.emulation.strictRules, ",")},
                                 {"timeout", request.timeLimit},
                                 {"mark_values", request.markValues}};
  return core::bytesOf(core::outgoingFrame(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                                           {std::as_bytes(std::span(request.text))}));
}

/// The place in a line of the file: the columns if they are known, otherwise from the first character that is no blank.
Span lineSpan(const SourceRef &source, int64_t line, int64_t column, int64_t endColumn) {
  auto number = static_cast<uint32_t>(std::max<int64_t>(line, 1));
  std::string_view content = source->lineText(number);
  uint32_t begin = source->lineStart(number);
  auto size = static_cast<int64_t>(content.size());
  if (column >= 1 && endColumn > column && endColumn <= size + 1)
    return {source, begin + static_cast<uint32_t>(column) - 1, begin + static_cast<uint32_t>(endColumn) - 1};
  size_t first = std::min(content.find_first_not_of(" \t"), content.size());
  return {source, begin + static_cast<uint32_t>(first), begin + static_cast<uint32_t>(size)};
}

} // namespace

std::vector<std::string> hostWords(const std::vector<std::string> &preload) {
  std::vector<std::string> out = {"host"};
  out.insert(out.end(), preload.begin(), preload.end());
  return out;
}

std::vector<std::string> preloadOf(const std::string &path, std::string_view text) {
  std::vector<std::string> out;
  if (text.find("environ") != text.npos || text.find("putenv") != text.npos)
    return out;
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(path, ignored).parent_path();
  for (std::string &name : importsOf(text)) {
    std::string root = name.substr(0, name.find('.'));
    if (!root.empty() && !std::filesystem::exists(folder / (root + ".py"), ignored) &&
        !std::filesystem::exists(folder / root, ignored) && std::ranges::find(out, name) == out.end())
      out.push_back(std::move(name));
  }
  return out;
}

/// One run: reads the process's messages until it has ended.
class ProgramProcess::Reading {
public:
  Reading(core::Process &process, const ProgramRequest &request, const ProgramEvents &events)
      : process_(process), source_(Source::make(request.path, request.text)), events_(events), out_(runFrame(request)) {
  }

  ProgramEnd run(const std::atomic<bool> &stop) {
    std::optional<Clock::time_point> interruptedAt, overAt;
    while (process_.output() >= 0 || process_.errors() >= 0) {
      pump();
      if (stop && !interruptedAt && !said_) {
        interruptedAt = Clock::now();
        end_.interrupted = true;
        process_.interrupt();
      }
      if (broken_ || (interruptedAt && secondsSince(*interruptedAt) > kStopSeconds) ||
          (said_ && secondsSince(*said_) > kEndSeconds))
        process_.kill();
      // Do not wait for the pipes to close: processes that the program has started may hold them open.
      if (!overAt && !process_.awaitEnd(0).empty())
        overAt = Clock::now();
      if (overAt && secondsSince(*overAt) > kLastWordsSeconds)
        break;
    }
    finish(process_.awaitEnd(kEndSeconds));
    return std::move(end_);
  }

private:
  static double secondsSince(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  void pump() {
    pollfd polled[] = {{process_.output(), POLLIN, 0},
                       {process_.errors(), POLLIN, 0},
                       {sent_ < out_.size() ? process_.input() : -1, POLLOUT, 0}};
    if (::poll(polled, 3, kPollMilliseconds) <= 0)
      return;
    if (polled[2].revents) {
      ssize_t sent = ::send(process_.input(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
      if (sent > 0)
        sent_ += static_cast<size_t>(sent);
      else if (errno != EAGAIN && errno != EINTR)
        sent_ = out_.size(); // the process has ended; its earlier messages are still to be read
    }
    if (polled[1].revents)
      takeOutput();
    if (polled[0].revents)
      takeFrames();
  }

  void takeOutput() {
    char piece[kPiece];
    ssize_t got = ::read(process_.errors(), piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      process_.closeErrors();
    if (got <= 0)
      return;
    size_t room = kMostOutput - std::min(outputBytes_, kMostOutput), size = static_cast<size_t>(got);
    outputBytes_ += size;
    if (room > 0 && events_.output)
      events_.output(std::string(piece, std::min(room, size)));
    if (room > 0 && size >= room && events_.output)
      events_.output(text("\n… what it writes from here on is left out: ", kMostOutput >> 20, " MiB are kept\n"));
  }

  void takeFrames() {
    core::Bytes piece(kPiece * 4);
    ssize_t got = ::read(process_.output(), piece.data(), piece.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      process_.closeOutput();
    if (got <= 0 || broken_)
      return;
    reader_.feed(std::span(piece).first(static_cast<size_t>(got)));
    for (;;) {
      Result<std::optional<core::Frame>> frame = reader_.next();
      if (!frame)
        return broken(frame.error());
      if (!*frame)
        return;
      if (Result<void> taken = take(**frame); !taken)
        return broken(taken.error());
    }
  }

  void broken(const Diagnostics &why) {
    broken_ = true;
    end_.problems = {{Severity::Error,
                      kProgramKind,
                      {source_, 0, 0},
                      "the program's process sent what the package `lanescope` does not send, and was ended",
                      {{{}, why.front().message}}}};
  }

  Result<void> take(const core::Frame &frame) {
    SourceRef content = Source::make("<message>", frame.json);
    auto json = core::parseJson(content);
    if (!json || !json->is(Json::Kind::Object))
      return error(kProgramKind, "its message is no JSON object");
    JsonFields fields(content, *json, "a message", kProgramKind);
    std::string type = fields.string("type");
    if (fields.failed())
      return fields.failure();
    if (type == "call")
      return takeCall(frame);
    if (type == "ended")
      return takeEnd(content, fields, *json);
    return error(kProgramKind, Message("there is no message `{path}`", shownName(type)));
  }

  Result<void> takeCall(const core::Frame &frame) {
    if (taken_ == kMostCalls || frame.blob.size() > kMostTakenBytes - takenBytes_)
      return {};
    ++taken_;
    takenBytes_ += frame.blob.size();
    auto launch = decodeCall(frame);
    if (!launch)
      return std::unexpected(std::move(launch.error()));
    if (events_.call)
      events_.call(*std::move(launch));
    return {};
  }

  Result<void> takeEnd(const SourceRef &content, JsonFields &fields, const Json &json) {
    constexpr int64_t kMany = int64_t{1} << 53;
    end_.status = static_cast<int>(fields.integer("status", 0, 255));
    end_.calls = static_cast<uint64_t>(fields.integer("calls", 0, kMany));
    end_.faults = static_cast<uint64_t>(fields.integer("faults", 0, kMany));
    if (const Json *exception = json.find("exception")) {
      JsonFields inner(content, *exception, "an exception", kProgramKind);
      std::string message = inner.string("message");
      int64_t line = inner.integer("line", 0, kMostLine), column = inner.integer("column", 0, kMostLine),
              endColumn = inner.integer("end_column", 0, kMostLine);
      end_.faulted = inner.integer("fault", 0, 1) != 0;
      if (inner.failed())
        return inner.failure();
      end_.problems.push_back({Severity::Error,
                               kProgramKind,
                               line > 0 ? lineSpan(source_, line, column, endColumn) : Span{source_, 0, 0},
                               std::move(message),
                               {}});
    }
    if (fields.failed())
      return fields.failure();
    said_ = Clock::now();
    return {};
  }

  void finish(const std::string &how) {
    end_.leftOut = end_.calls - std::min<uint64_t>(end_.calls, taken_);
    if (end_.interrupted) {
      end_.status = 1;
      end_.problems = {{Severity::Error, "interrupted", {source_, 0, 0}, "the program was stopped", {}}};
    } else if (broken_) {
      end_.status = 1;
    } else if (!said_) {
      end_.status = 1;
      std::string half = reader_.midFrame() ? text("; of a message there came ", reader_.begunText()) : std::string();
      end_.problems = {{Severity::Error,
                        kProgramKind,
                        {source_, 0, 0},
                        how.empty() ? std::string("the program closed its output and did not end; it was stopped")
                                    : text("the program's process ended by itself: ", how, half),
                        {}}};
    }
  }

  core::Process &process_;
  const SourceRef source_;
  const ProgramEvents &events_;
  const core::Bytes out_;
  size_t sent_ = 0, outputBytes_ = 0, taken_ = 0;
  uint64_t takenBytes_ = 0;
  core::FrameReader reader_{kLargestBlob};
  bool broken_ = false;
  std::optional<Clock::time_point> said_; // time when the process reported the program's end
  ProgramEnd end_;
};

Result<ProgramProcess> ProgramProcess::start(const std::vector<std::string> &command) {
  auto process = core::Process::start(command);
  if (!process)
    return std::unexpected(std::move(process.error()));
  return ProgramProcess(*std::move(process));
}

ProgramEnd ProgramProcess::run(const ProgramRequest &request, const ProgramEvents &events,
                               const std::atomic<bool> &stop) {
  return Reading(process_, request, events).run(stop);
}

} // namespace lanescope::repl
