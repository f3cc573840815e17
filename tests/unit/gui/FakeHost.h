// A host that answers at once and records its requests. It replaces the REPL in tests of the window.
#pragma once

#include "layouts/support/Text.h"
#include "viz/host/Host.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lanescope::viz {

class FakeHost : public Host {
public:
  std::vector<std::string> evaluated, opened, made;
  struct Reopened {
    std::string path;
    std::optional<std::string> text;
  };
  std::vector<Reopened> reopened;
  std::map<std::string, std::optional<std::string>> parameters;
  std::vector<HostEvent> ready;
  std::vector<FileEntry> listed;
  std::vector<std::string> names = {"show", "shape", "WGMMA"}; // the names that complete() knows
  std::string running;
  int interrupts = 0;
  std::vector<ProgramAnswer> answers;
  std::vector<size_t> chosen;
  std::vector<std::string> asPrograms;

  void evaluate(std::string entry) override {
    evaluated.push_back(entry);
    ready.push_back(Output{text("= ", entry, "\n")});
    ready.push_back(Evaluated{});
  }
  void open(std::string path) override { opened.push_back(std::move(path)); }
  void reopen(std::string path, std::optional<std::string> text) override {
    reopened.push_back({std::move(path), std::move(text)});
  }
  void setParameter(const std::string &name, std::optional<std::string> value) override { parameters[name] = value; }
  /// The word "wrong" is an error.
  std::vector<TextProblem> problemsIn(const std::string &text) const override {
    auto at = text.find("wrong");
    if (at == std::string::npos)
      return {};
    auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n')) + 1;
    return {{line, 1, 5, "this is wrong"}};
  }
  void complete(uint64_t request, std::string entry, size_t cursor) override {
    size_t from = cursor;
    while (from > 0 && (std::isalnum(static_cast<unsigned char>(entry[from - 1])) || entry[from - 1] == '_'))
      --from;
    Completions answer{request, from, {}};
    for (const std::string &name : names)
      if (name.starts_with(entry.substr(from, cursor - from)))
        answer.candidates.push_back(name);
    ready.push_back(std::move(answer));
  }
  void makePage(std::string title) override { made.push_back(std::move(title)); }
  void answer(ProgramAnswer answer) override { answers.push_back(answer); }
  void chooseKernel(size_t index) override { chosen.push_back(index); }
  void openAsProgram(std::string path) override { asPrograms.push_back(std::move(path)); }
  void interrupt() override { ++interrupts; }
  bool needsMoreText(std::string_view entry) const override {
    return !entry.empty() && (entry.back() == ':' || entry.back() == '(');
  }
  std::vector<FileEntry> files() override { return listed; }
  std::vector<HostEvent> poll() override { return std::exchange(ready, {}); }
  std::string activity() const override { return running; }
  void onUpdate(std::function<void()>) override {}
};

} // namespace lanescope::viz
