#include "core/gpu/runtime/WorkerClient.h"

#include "core/data/ProcessMemory.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kKeptErrors = 4096, kReceivedAtOnce = 1 << 20;
constexpr int kPollMilliseconds = 20; // delay until Ctrl-C is noticed
constexpr double kEndSeconds = 2;
constexpr auto kLastWords = std::chrono::milliseconds(300); // time to read the worker's last standard error
constexpr std::string_view kRunning = "running the kernel";

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// The time of day `secondsAgo` seconds ago: "14:02:11".
std::string clockText(double secondsAgo) {
  std::time_t then = std::time(nullptr) - static_cast<std::time_t>(secondsAgo);
  std::tm parts{};
  char out[16];
  return ::localtime_r(&then, &parts) && std::strftime(out, sizeof out, "%T", &parts) ? out : "an unknown time";
}

} // namespace

class WorkerClient::Silence {
public:
  explicit Silence(const WorkerClient &client) : client_(client), next_(client.timeouts_.notice) {}

  void end() {
    last_ = Clock::now();
    next_ = client_.timeouts_.notice;
  }
  double seconds() const { return secondsSince(last_); }
  void notice() {
    if (!client_.waiting_ || seconds() < next_)
      return;
    client_.waiting_(text("the worker `", client_.commandText(), "` has said nothing for ",
                          static_cast<int64_t>(seconds()), " s, since ", clockText(seconds()), ", while ",
                          client_.stage_, "; Ctrl-C ends it"));
    next_ = std::max(2 * next_, seconds());
  }

private:
  const WorkerClient &client_;
  Clock::time_point last_ = Clock::now();
  double next_;
};

WorkerClient::WorkerClient(std::vector<std::string> arguments, WorkerTimeouts timeouts, WaitingNotice waiting)
    : arguments_(std::move(arguments)), timeouts_(timeouts), waiting_(std::move(waiting)) {}

std::vector<std::string> workerArguments(const std::string &command) {
  if (!command.empty())
    return {"/bin/sh", "-c", command};
  std::vector<std::string> arguments = {(programFolder() / "lanescope-worker").string(), "serve"};
  if (auto bytes = givenMemoryLimit())
    arguments.insert(arguments.end(), {"--memory", std::to_string(*bytes)});
  return arguments;
}

std::string WorkerClient::commandText() const {
  return arguments_.size() == 3 && arguments_[1] == "-c" ? arguments_[2] : arguments_[0];
}

std::vector<Note> WorkerClient::notes() const {
  std::string said = errors_;
  while (said.ends_with('\n'))
    said.pop_back();
  if (said.empty())
    return {};
  return {{{}, text("the worker wrote: ", said)}};
}

/// Returns the error, and gives up the process, which cannot be used any more.
std::unexpected<Diagnostics> WorkerClient::lost(std::string kind, std::string message) {
  auto problem = error(std::move(kind), {}, std::move(message), notes());
  if (process_)
    process_->kill();
  process_.reset();
  hello_.reset();
  return problem;
}

Result<Hello> WorkerClient::hello(const std::atomic<bool> *interrupted) {
  if (process_ && !process_->awaitEnd(0).empty()) {
    process_.reset(); // the worker ended between two runs
    hello_.reset();
  }
  if (hello_ && process_)
    return *hello_;
  reader_ = FrameReader();
  errors_.clear();
  spoke_ = false;
  Result<Process> process = Process::start(arguments_);
  if (!process)
    return error(
        "process", {}, process.error()[0].message,
        {{{}, "the program `lanescope-worker` belongs beside `lanescope`; build both, or name one with `--worker`"}});
  process_ = std::make_unique<Process>(std::move(*process));
  stage_ = "starting";
  Result<WorkerMessage> answer =
      exchange(outgoing(Hello{.program = text("lanescope, protocol ", kProtocolVersion), .endsWithInput = true}),
               timeouts_.start, interrupted);
  if (!answer)
    return std::unexpected(answer.error());
  if (auto *failure = std::get_if<Failure>(&*answer)) {
    Diagnostics problems = std::move(failure->diagnostics);
    (void)lost("worker-protocol", "");
    return std::unexpected(std::move(problems));
  }
  auto *said = std::get_if<Hello>(&*answer);
  if (!said)
    return lost("worker-protocol", text("the worker `", commandText(), "` does not begin with a greeting"));
  hello_ = std::move(*said);
  return *hello_;
}

Result<RunReply> WorkerClient::run(const RunRequest &request, const std::atomic<bool> *interrupted) {
  Result<Hello> greeting = hello(interrupted);
  if (!greeting)
    return std::unexpected(greeting.error());
  if (!greeting->gpu)
    return error("no-gpu", {}, greeting->problem, notes());
  stage_ = "taking the request";
  Result<WorkerMessage> answer = exchange(outgoing(request), request.timeoutSeconds, interrupted);
  if (!answer)
    return std::unexpected(answer.error());
  if (auto *reply = std::get_if<RunReply>(&*answer))
    return std::move(*reply);
  if (auto *failure = std::get_if<Failure>(&*answer)) {
    Diagnostics problems = std::move(failure->diagnostics);
    if (failure->fatal)
      (void)lost("worker-gone", "");
    return std::unexpected(std::move(problems));
  }
  if (std::holds_alternative<Hello>(*answer))
    return lost(
        "worker-protocol",
        text("more than one worker greets from `", commandText(),
             "`: kernels run on the GPUs of one machine, so let the command start one worker (`srun --ntasks=1`)"));
  return lost("worker-protocol", text("the worker `", commandText(), "` does not answer what it was asked"));
}

/// Sends more of the request and receives more of the answer. If neither is possible now, waits for a moment.
void WorkerClient::pump(ToSend &toSend) {
  pollfd polled[] = {{process_->output(), POLLIN, 0},
                     {process_->errors(), POLLIN, 0},
                     {toSend.empty() ? -1 : process_->input(), POLLOUT, 0}};
  if (::poll(polled, 3, kPollMilliseconds) < 0)
    return; // interrupted by a signal; the caller checks why
  if (polled[1].revents) {
    char piece[4096];
    ssize_t got = ::read(process_->errors(), piece, sizeof piece);
    if (got > 0) {
      errors_.append(piece, static_cast<size_t>(got));
      if (errors_.size() > kKeptErrors)
        errors_.erase(0, errors_.size() - kKeptErrors);
    } else if (got == 0) {
      process_->closeErrors();
    }
  }
  if (polled[2].revents) {
    ssize_t sent = ::send(process_->input(), toSend.front().data(), toSend.front().size(), MSG_NOSIGNAL);
    if (sent > 0) {
      toSend.front() = toSend.front().subspan(static_cast<size_t>(sent));
      if (toSend.front().empty())
        toSend.pop_front();
      active_ = true;
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      toSend.clear(); // the worker has closed its input; its earlier output can still be read
    }
  }
  if (polled[0].revents) {
    received_.resize(kReceivedAtOnce);
    ssize_t got = ::read(process_->output(), received_.data(), received_.size());
    if (got > 0) {
      reader_.feed(std::span(received_).first(static_cast<size_t>(got)));
      active_ = spoke_ = true;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      process_->closeOutput();
    }
  }
}

/// The error for a worker that closed its output during a request.
std::unexpected<Diagnostics> WorkerClient::ended(ToSend &toSend) {
  std::string how = process_->awaitEnd(kEndSeconds);
  Clock::time_point end = Clock::now() + kLastWords;
  while (process_->errors() >= 0 && Clock::now() < end)
    pump(toSend);
  std::string came = reader_.midFrame() ? text(", in the middle of an answer: it sent ", reader_.begunText())
                     : spoke_           ? ""
                     : errors_.empty()  ? ", and wrote nothing at all"
                                        : ", and wrote only to standard error";
  return lost("worker-gone",
              text("the worker `", commandText(), "` ended (", how.empty() ? "it closed its output" : how, ") while ",
                   stage_, came, "; the next run starts it again"));
}

Result<WorkerMessage> WorkerClient::exchange(const OutgoingFrame &request, double timeoutSeconds,
                                             const std::atomic<bool> *interrupted) {
  ToSend toSend{request.head};
  for (std::span<const std::byte> part : request.parts)
    if (!part.empty())
      toSend.push_back(part);
  Silence silence(*this);
  for (;;) {
    // If an answer arrives before the whole frame was sent, the rest of the frame is still sent.
    bool sending = !toSend.empty() && process_->output() >= 0;
    Result<std::optional<Frame>> frame = sending ? std::nullopt : reader_.next();
    if (!frame)
      return lost("worker-protocol", frame.error()[0].message);
    if (*frame) {
      Result<WorkerMessage> message = decodeMessage(std::move(**frame));
      if (!message)
        return lost("worker-protocol", message.error()[0].message);
      if (auto *note = std::get_if<ProgressNote>(&*message)) {
        stage_ = note->stage;
        silence.end();
        continue;
      }
      return message;
    }
    if (process_->output() < 0) // the output has ended without a complete frame
      return ended(toSend);
    active_ = false;
    pump(toSend);
    if (active_)
      silence.end();
    if (interrupted && *interrupted)
      return lost("interrupted", text("interrupted while ", stage_));
    silence.notice();
    double allowed = stage_ == "starting" ? timeoutSeconds
                     : stage_ == kRunning ? timeoutSeconds + timeouts_.grace
                                          : timeouts_.silence;
    if (silence.seconds() > allowed)
      return lost("worker-timeout", text("the worker `", commandText(), "` gave no sign of life for ",
                                         static_cast<int64_t>(silence.seconds()), " s while ", stage_,
                                         "; it was ended, and the next run starts it again"));
  }
}

} // namespace lanescope::core
