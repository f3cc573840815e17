#include "repl/lsp/LspWorkspace.h"

namespace lanescope::repl::lsp {

Workspace::Workspace(WorkspaceOptions options, Publish publish)
    : options_(std::move(options)), publish_(std::move(publish)),
      nothing_(analyse(readSnippet(Source::make("", "")), {.arch = options_.arch})), thread_([this] { work(); }) {}

Workspace::~Workspace() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Workspace::open(const std::string &uri, int64_t version, std::string text) {
  put(uri, std::make_shared<Document>(uri, version, std::move(text), nothing_));
}

bool Workspace::change(const std::string &uri, int64_t version, const std::vector<TextChange> &changes) {
  std::shared_ptr<const Document> before = find(uri);
  if (!before)
    return false;
  std::string text = before->text().text();
  for (const TextChange &change : changes)
    text = applied(std::move(text), change);
  auto now = std::make_shared<Document>(uri, version, std::move(text), nothing_);
  {
    std::lock_guard lock(mutex_); // another thread may have finished an analysis in the meantime
    now->known = documents_.at(uri).document->known;
  }
  put(uri, std::move(now));
  return true;
}

void Workspace::put(const std::string &uri, std::shared_ptr<const Document> document) {
  {
    std::lock_guard lock(mutex_);
    documents_[uri] = {.document = document, .toCompile = true, .toCheck = {}, .compiled = {}};
  }
  changed_.notify_all();
  if (!document->snippet->problems.empty())
    publish_(*document, Stage::Syntax, document->snippet->problems);
}

void Workspace::close(const std::string &uri) {
  std::lock_guard lock(mutex_);
  documents_.erase(uri);
}

std::shared_ptr<const Document> Workspace::find(const std::string &uri) const {
  std::lock_guard lock(mutex_);
  auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second.document;
}

bool Workspace::outdated(const std::string &uri, const Document &document) const {
  std::lock_guard lock(mutex_);
  auto found = documents_.find(uri);
  return end_ || found == documents_.end() || found->second.document->snippet != document.snippet;
}

bool Workspace::anyToCompile() const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(documents_, [](const auto &each) { return each.second.toCompile; });
}

std::string Workspace::next(std::unique_lock<std::mutex> &lock, bool &check) {
  while (!end_) {
    std::optional<Clock::time_point> due;
    for (auto &[uri, open] : documents_)
      if (open.toCompile) {
        open.toCompile = check = false;
        return uri;
      }
    for (auto &[uri, open] : documents_) {
      if (open.toCheck && *open.toCheck <= Clock::now()) {
        open.toCheck.reset();
        check = true;
        return uri;
      }
      if (open.toCheck && (!due || *open.toCheck < *due))
        due = open.toCheck;
    }
    if (due)
      changed_.wait_until(lock, *due);
    else
      changed_.wait(lock);
  }
  return {};
}

void Workspace::work() {
  std::unique_lock lock(mutex_);
  bool check = false;
  for (std::string uri = next(lock, check); !end_; uri = next(lock, check)) {
    lock.unlock();
    if (check)
      this->check(uri);
    else
      compile(uri);
    lock.lock();
  }
}

void Workspace::compile(const std::string &uri) {
  std::shared_ptr<const Document> document = find(uri);
  if (!document)
    return;
  auto analysis = analyse(document->snippet, {.depth = Depth::Compile,
                                              .arch = options_.arch,
                                              .seconds = options_.compileSeconds,
                                              .cancelled = [&] { return outdated(uri, *document); },
                                              .before = document->known});
  auto known = std::make_shared<Document>(*document);
  known->known = analysis;
  {
    std::lock_guard lock(mutex_);
    auto found = documents_.find(uri);
    if (end_ || found == documents_.end() || found->second.document->snippet != document->snippet)
      return;
    found->second.document = known;
    found->second.compiled = analysis->diagnostics;
    // If compiling took too long, the check would too.
    if (options_.checkSeconds > 0 && analysis->complete)
      found->second.toCheck = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(options_.quietSeconds));
  }
  publish_(*known, Stage::Compiled, analysis->diagnostics);
}

void Workspace::check(const std::string &uri) {
  std::shared_ptr<const Document> document = find(uri);
  if (!document)
    return;
  publish_(*document, Stage::CheckBegins, {});
  auto cancelled = [&] { return outdated(uri, *document) || anyToCompile(); };
  auto analysis =
      analyse(document->snippet,
              {.depth = Depth::Check, .arch = options_.arch, .seconds = options_.checkSeconds, .cancelled = cancelled});
  std::optional<Diagnostics> all; // no value if the document has a newer version
  {
    std::lock_guard lock(mutex_);
    auto found = documents_.find(uri);
    if (found != documents_.end() && found->second.document->snippet == document->snippet) {
      all = found->second.compiled;
      addNew(*all, analysis->diagnostics);
      if (!analysis->complete && !analysis->late) // a change of another document cancelled the compilation
        found->second.toCheck = Clock::now();
    }
  }
  publish_(*document, all ? Stage::Checked : Stage::CheckLeft, all.value_or(Diagnostics()));
}

} // namespace lanescope::repl::lsp
