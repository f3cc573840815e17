#include "repl/lsp/Commands.h"

#include "core/data/Files.h"
#include "repl/lsp/Watchdog.h"

#include <cstring>
#include <unistd.h>

namespace lanescope::repl::lsp {

namespace {

constexpr double kNoDeadline = 1e6; // seconds; the user ends the run

RunOutcome runText(const Document &document, KernelOptions kernels, std::function<bool()> ended) {
  RunOutcome out;
  SessionOptions options{.kernels = std::move(kernels),
                         .files = {.snippet = document.snippet->text->name(), .saved = defaultSavedRecord()}};
  options.output = [&](std::string_view words) { out.output += words; };
  Session session(std::move(options));
  Result<void> done;
  {
    Watchdog watchdog(session, kNoDeadline, std::move(ended));
    done = session.run(document.snippet->text);
  }
  out.ok = done.has_value();
  if (!done)
    out.output += render(done.error());
  return out;
}

} // namespace

Commands::Commands(std::string arch, std::string device, std::string worker)
    : arch_(std::move(arch)), device_(std::move(device)), worker_(std::move(worker)) {}

Commands::~Commands() {
  end_ = true;
  std::error_code ignored;
  if (!folder_.empty())
    std::filesystem::remove_all(folder_, ignored);
}

void Commands::run(std::shared_ptr<const Document> document, std::function<void(RunOutcome)> done) {
  thread_.post(text("run ", ++runs_), [this, document = std::move(document), done = std::move(done)] {
    RunOutcome outcome =
        runText(*document, {.arch = archOf(document->text(), arch_), .device = device_, .worker = worker_},
                [this] { return end_.load(); });
    if (!end_)
      done(std::move(outcome));
    return viz::Requests::Delivery();
  });
}

Result<std::filesystem::path> Commands::keep(const std::string &name, const std::string &words) {
  std::filesystem::path path;
  {
    std::lock_guard lock(mutex_);
    if (folder_.empty()) {
      std::error_code problem;
      std::string pattern = (std::filesystem::temp_directory_path(problem) / "lanescope-XXXXXX").string();
      if (problem || !mkdtemp(pattern.data()))
        return error("file", Message("no folder can be made in the system's folder for temporary files: {}",
                                     problem ? problem.message() : std::strerror(errno)));
      folder_ = pattern;
    }
    path = folder_ / name;
  }
  LANESCOPE_CHECK(core::writeFile(path.string(), words));
  return path;
}

} // namespace lanescope::repl::lsp
