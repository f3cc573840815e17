#include "core/gpu/runtime/WorkerServer.h"

#include "core/data/Threads.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/runtime/SessionWatch.h"
#include "core/gpu/runtime/StdoutCapture.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace lanescope::core {

namespace {

class Server {
public:
  explicit Server(const WorkerBackend &backend) : backend_(backend) {}

  int serve() {
    if (capture_.real() < 0)
      return 1;
    if (!send(backend_.hello))
      return 0;
    for (;;) {
      Result<std::optional<Frame>> frame = reader_.next();
      if (!frame) { // the place where the next frame begins is unknown
        send(Failure{frame.error(), true});
        return 1;
      }
      if (!*frame) {
        std::optional<Announcement> next = announcement();
        if (!(next ? prepare(*next) : read()))
          return reader_.midFrame() ? 1 : 0;
        continue;
      }
      prepared_ = false;
      if (!answer(decodeMessage(std::move(**frame))))
        return 0;
    }
  }

private:
  /// Answers a message; returns false if the other side has gone. An error inside of a complete frame does not prevent
  /// the next frame from being read.
  bool answer(const Result<WorkerMessage> &message) {
    if (!message)
      return send(Failure{message.error(), false});
    if (auto *greeting = std::get_if<Hello>(&*message)) { // the frame's head has the version, which is already checked
      if (greeting->endsWithInput)
        watch_.begin();
      return true;
    }
    if (auto *request = std::get_if<RunRequest>(&*message))
      return run(*request);
    return send(Failure{error("worker-protocol", "a worker is asked to run kernels and nothing else").error(), false});
  }

  /// Takes received bytes, or waits for some. Returns false at the end of the input.
  bool read() {
    ssize_t got;
    do
      got = ::read(STDIN_FILENO, piece_.data(), piece_.size());
    while (got < 0 && errno == EINTR);
    if (got > 0)
      reader_.feed(std::span(piece_).first(static_cast<size_t>(got)));
    return got > 0;
  }

  /// The announcement of a run whose arrays have not arrived yet. It is returned once per run.
  std::optional<Announcement> announcement() const {
    return reader_.missing() > 0 && !prepared_ ? announcementOf(*reader_.begun()) : std::nullopt;
  }

  /// Compiles the code that a run needs. Meanwhile another thread reads the arrays. This thread compiles, because its
  /// caches are warm. Returns false at the end of the input.
  bool prepare(const Announcement &next) {
    prepared_ = true;
    bool whole = true;
    auto readRest = [&] {
      while (whole && reader_.missing() > 0)
        whole = read();
    };
    std::thread rest;
    bool beside = startThread(rest, readRest);
    backend_.prepare(next);
    if (beside)
      rest.join();
    else
      readRest(); // the system has no thread left, so this thread reads
    return whole;
  }

  /// Returns false if the other side has gone.
  bool run(const RunRequest &request) {
    bool alive = true;
    Result<RunReply> reply =
        backend_.run(request, [&](const char *stage) { alive = send(ProgressNote{stage}) && alive; });
    std::string printed = capture_.take();
    if (reply) {
      reply->printed += printed;
      return send(std::move(*reply)) && alive;
    }
    Diagnostics problems = reply.error();
    if (!printed.empty())
      problems[0].notes.push_back({{}, "until then the kernel printed: " + printed});
    bool lost = isKernelFault(problems);
    alive = send(Failure{std::move(problems), lost}) && alive;
    if (lost)
      ::_exit(0); // _exit runs no destructors; those of the driver would wait for an endless kernel
    return alive;
  }

  bool send(const WorkerMessage &message) {
    OutgoingFrame frame = outgoing(message);
    return send(frame.head) && std::ranges::all_of(frame.parts, [&](auto part) { return send(part); });
  }
  bool send(std::span<const std::byte> bytes) {
    for (size_t done = 0; done < bytes.size();) {
      ssize_t wrote = ::write(capture_.real(), bytes.data() + done, bytes.size() - done);
      if (wrote < 0 && errno == EINTR)
        continue;
      if (wrote <= 0)
        return false;
      done += static_cast<size_t>(wrote);
    }
    return true;
  }

  const WorkerBackend &backend_;
  StdoutCapture capture_;
  SessionWatch watch_;
  FrameReader reader_;
  Bytes piece_ = Bytes(size_t{1} << 20);
  bool prepared_ = false; // true if prepare() was called for the frame that has begun
};

} // namespace

WorkerBackend gpuBackend(std::string program, const std::vector<int> &ordinals) {
  WorkerBackend backend;
  backend.hello.program = std::move(program);
  Result<std::unique_ptr<Gpu>> opened = Gpu::open(ordinals);
  if (!opened) {
    backend.hello.problem = opened.error()[0].message;
    backend.run = [problems = opened.error()](const RunRequest &, const StageReport &) -> Result<RunReply> {
      return std::unexpected(problems);
    };
    return backend;
  }
  std::shared_ptr<Gpu> gpu = std::move(*opened);
  backend.hello.gpu = gpu->info();
  backend.prepare = [gpu](const Announcement &next) { gpu->prepare(next); };
  backend.run = [gpu](const RunRequest &request, const StageReport &progress) { return gpu->run(request, progress); };
  return backend;
}

int serveWorker(const WorkerBackend &backend) {
  std::signal(SIGPIPE, SIG_IGN); // a client that has gone shows as a failed write
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the session, which decides if the worker ends
  return Server(backend).serve();
}

} // namespace lanescope::core
