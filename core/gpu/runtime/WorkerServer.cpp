#include "core/gpu/runtime/WorkerServer.h"

#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/runtime/StdoutCapture.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
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
    FrameReader reader;
    std::vector<std::byte> piece(size_t{1} << 20);
    for (;;) {
      Result<std::optional<Frame>> frame = reader.next();
      if (!frame)
        return refuse(frame.error());
      if (*frame) {
        Result<Message> message = decodeMessage(std::move(**frame));
        if (!message)
          return refuse(message.error());
        if (std::holds_alternative<Hello>(*message))
          continue; // its version is checked by the frame's head
        auto *request = std::get_if<RunRequest>(&*message);
        if (!request)
          return refuse(error("worker-protocol", "a worker is asked to run kernels and nothing else").error());
        if (!run(*request))
          return 0;
        announced_ = false;
        continue;
      }
      announce(reader.begun());
      ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return reader.midFrame() ? 1 : 0;
      reader.feed(std::span(piece).first(static_cast<size_t>(got)));
    }
  }

private:
  int refuse(const Diagnostics &problems) {
    send(Failure{problems, true});
    return 1;
  }

  /// Lets what the next run wants be compiled while its arrays are still to come.
  void announce(const Frame *begun) {
    if (!begun || announced_)
      return;
    if (std::optional<Announcement> next = announcementOf(*begun)) {
      backend_.prepare(*next);
      announced_ = true;
    }
  }

  /// Whether the other side is still there.
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
      ::_exit(0); // no destructors: the driver's would wait for a kernel that never ends
    return alive;
  }

  bool send(const Message &message) {
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
  bool announced_ = false; // the frame that has begun
};

} // namespace

WorkerBackend gpuBackend(std::string program, const std::vector<int> &ordinals) {
  WorkerBackend backend;
  backend.hello.program = std::move(program);
  Result<std::unique_ptr<Gpu>> opened = Gpu::open(ordinals);
  if (!opened) {
    backend.hello.problem = opened.error()[0].message;
    Diagnostics problems = opened.error();
    backend.run = [problems](const RunRequest &, const Progress &) -> Result<RunReply> {
      return std::unexpected(problems);
    };
    return backend;
  }
  std::shared_ptr<Gpu> gpu = std::move(*opened);
  backend.hello.gpu = gpu->info();
  backend.prepare = [gpu](const Announcement &next) { gpu->prepare(next); };
  backend.run = [gpu](const RunRequest &request, const Progress &progress) { return gpu->run(request, progress); };
  return backend;
}

int serveWorker(const WorkerBackend &backend) {
  std::signal(SIGPIPE, SIG_IGN); // a client that is gone shows as a failed write
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is meant for the session, which ends us if it wants to
  return Server(backend).serve();
}

} // namespace lanescope::core
