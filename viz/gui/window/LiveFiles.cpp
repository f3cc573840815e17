#include "viz/gui/window/LiveFiles.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lanescope::viz {

namespace {

std::string absolute(const std::string &path) {
  std::error_code problem;
  auto out = std::filesystem::absolute(path, problem).lexically_normal();
  return problem ? path : out.string();
}

std::string nameOf(const std::string &path) { return std::filesystem::path(path).filename().string(); }

constexpr std::string_view kNewSnippet =
    R"(# A kernel to begin with: what it computes, and how its region took its time.
factor = param("factor", 2, range(1, 9))

@kernel
def scale(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):
  with region("scale"):
    out[...] = x[...] * factor

x = random((64, 64), f32, seed=0)
result = run(scale, x, profile=True)
assert allclose(result.outputs[0], x * factor)
show(WGMMA, (64, 64))
)";

} // namespace

LiveFiles::LiveFiles(Host &host, Requests &requests, EditorModel &editor)
    : host_(host), requests_(requests), editor_(editor) {}

void LiveFiles::remember(const std::string &path) {
  std::string whole = absolute(path);
  std::erase(recent, whole);
  recent.insert(recent.begin(), whole);
  recent.resize(std::min(recent.size(), kMostRecent));
}

void LiveFiles::opened(const Opened &event) {
  if (!event.again) {
    current_ = event.path;
    remember(event.path);
    watch_.follow(event.path);
    if (event.snippet || event.launch)
      program_ = event.path;
    if (event.snippet)
      edit(event.path);
  }
  if (event.path != program_)
    return;
  if (event.snippet)
    ofPython_ = event.program;
  launch_ = event.launch;
  if (event.ok || !event.again || !event.parameters.empty()) // a run that failed early has not found all parameters
    parameters_ = event.parameters;
  bool late = editor_.path() == event.path && typed_; // the user has edited the text since the run began
  if (editor_.path() == event.path && !late)
    editor_.problems = event.problems;
  old_.clear();
  if (!event.ok && event.again) {
    old_ = nameOf(event.path);
    if (!event.problems.empty()) {
      const TextProblem &problem = event.problems.front();
      old_ += problem.line > 0 ? text(", line ", problem.line, ": ", problem.message) : text(": ", problem.message);
    } else if (auto refused = std::ranges::find_if(parameters_,
                                                   [](const ParameterControl &each) { return !each.problem.empty(); });
               refused != parameters_.end()) {
      old_ += text(": ", refused->problem);
    }
  }
}

void LiveFiles::edit(const std::string &path) {
  if (editor_.path() != path && !editor_.empty() && editor_.modified())
    aside_[editor_.path()] = editor_;
  bool same = editor_.path() == path;
  requests_.post("edit " + path, [this, path, same] {
    auto read = core::readSource(path, core::FileRole::Snippet);
    std::string now = read ? (*read)->text() : std::string();
    return [this, path, same, now = std::move(now), there = read.has_value()] {
      if (!there || path != program_)
        return;
      // The problems of a run that may have finished before this call.
      std::vector<TextProblem> problems = std::exchange(editor_.problems, {});
      if (auto aside = aside_.find(path); aside != aside_.end()) {
        editor_ = std::move(aside->second);
        aside_.erase(aside);
        editor_.fileChanged(now);
      } else if (same) {
        editor_.fileChanged(now);
      } else if (!editor_.open(path, now)) {
        return;
      }
      if (auto kept = kept_.find(path); kept != kept_.end()) {
        editor_.selectAll();
        editor_.paste(kept->second);
        editor_.moveTo({});
        kept_.erase(kept);
      }
      editor_.problems = std::move(problems);
      seen_ = editor_.version();
    };
  });
}

void LiveFiles::fileChanged(const std::string &path) {
  bool edited = path == editor_.path() && editor_.modified();
  if (!edited && (path == current_ || path == program_))
    runAgain(path, false);
  if (path != editor_.path())
    return;
  requests_.post("changed " + path, [this, path] {
    auto read = core::readSource(path, core::FileRole::Snippet);
    if (!read)
      return Requests::Delivery();
    return Requests::Delivery([this, path, now = (*read)->text()] {
      if (path == editor_.path() && editor_.fileChanged(now) == EditorReload::Taken)
        seen_ = editor_.version();
    });
  });
}

bool LiveFiles::update() {
  std::vector<std::string> changed = watch_.changed();
  for (const std::string &path : changed)
    fileChanged(path);
  auto now = std::chrono::steady_clock::now();
  if (editor_.version() != seen_) {
    seen_ = editor_.version();
    typed_ = true;
    typedAt_ = now;
  }
  if (typed_ && now - typedAt_ >= kPause)
    look();
  return !changed.empty();
}

void LiveFiles::look() {
  typed_ = false;
  if (ofPython_ && editor_.path() == program_)
    return;
  requests_.post("check", [this, version = editor_.version(), written = editor_.text()] {
    std::vector<TextProblem> problems = host_.problemsIn(written);
    return [this, version, problems = std::move(problems)] {
      if (version != editor_.version())
        return;
      editor_.problems = problems;
      if (problems.empty() && whileTyping && editor_.path() == program_)
        runAgain(program_, true);
    };
  });
}

void LiveFiles::runAgain(const std::string &path, bool edited) {
  host_.reopen(path, edited ? std::optional(editor_.text()) : std::nullopt);
}

void LiveFiles::run() {
  if (current_.empty())
    return;
  typed_ = false;
  runAgain(current_, editor_.path() == current_ && editor_.modified());
}

void LiveFiles::setParameter(size_t index, std::string value) {
  if (index >= parameters_.size() || parameters_[index].value == value)
    return;
  parameters_[index].value = value;
  host_.setParameter(parameters_[index].name, std::move(value));
  runAgain(program_, editor_.path() == program_ && editor_.modified());
}

void LiveFiles::resetParameters() {
  for (ParameterControl &each : parameters_) {
    each.value = each.initial;
    host_.setParameter(each.name, std::nullopt);
  }
  runAgain(program_, editor_.path() == program_ && editor_.modified());
}

void LiveFiles::save() {
  if (editor_.empty())
    return;
  typed_ = false;
  editor_.said.clear();
  struct Written {
    std::optional<std::string> theirs; // the file's text, if the editor has not seen it yet
    std::string problem;
  };
  requests_.post("save", [this, path = editor_.path(), written = editor_.text(), base = editor_.base()] {
    Written out;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
      auto now = core::readSource(path, core::FileRole::Snippet);
      if (now && (*now)->text() != base && (*now)->text() != written)
        out.theirs = (*now)->text();
    }
    if (!out.theirs)
      if (auto done = core::writeFile(path, written); !done)
        out.problem = done.error().front().message;
    return [this, path, written, out] {
      if (path != editor_.path())
        return;
      if (out.theirs) {
        editor_.fileChanged(*out.theirs);
        return;
      }
      if (!out.problem.empty()) {
        editor_.said = "not saved: " + out.problem;
        return;
      }
      editor_.saved(written);
      watch_.follow(path); // so that the editor's own write is not reported as a change
      remember(path);
      if (path == program_)
        runAgain(path, false);
    };
  });
}

void LiveFiles::takeTheirs() {
  editor_.takeTheirs();
  seen_ = editor_.version();
  if (editor_.path() == program_)
    runAgain(program_, false);
}

void LiveFiles::keepMine() { editor_.keepMine(); }

void LiveFiles::newSnippet() {
  std::error_code problem;
  std::filesystem::path folder = std::filesystem::current_path(problem), path;
  for (int number = 1; path.empty() || std::filesystem::exists(path, problem); ++number)
    path = folder / text("snippet", number > 1 ? std::to_string(number) : "", ".py");
  if (!editor_.empty() && editor_.modified())
    aside_[editor_.path()] = editor_;
  editor_.open(path.string(), "");
  editor_.paste(kNewSnippet);
  editor_.moveTo({});
  current_ = program_ = path.string();
  ofPython_ = false;
  parameters_.clear();
  launch_ = false;
  old_.clear();
  seen_ = editor_.version();
  runAgain(program_, true);
}

std::map<std::string, std::string> LiveFiles::unsaved() const {
  std::map<std::string, std::string> out = kept_;
  for (const auto &[path, model] : aside_)
    out[path] = model.text();
  if (!editor_.empty() && editor_.modified())
    out[editor_.path()] = editor_.text();
  return out;
}

} // namespace lanescope::viz
