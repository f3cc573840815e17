#include "app/lanescope/HandOver.h"

#include "app/lanescope/Common.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

/// The paths of the modules that a line imports: `import a.b as c, d`, `from a.b import c`.
std::vector<std::string> importedBy(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  auto word = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text.substr(0, text.find_first_of(" \t\r\n,;#(")));
  };
  if (line.starts_with("from ") && line.find(" import ") != std::string_view::npos)
    return {word(line.substr(5))};
  std::vector<std::string> out;
  if (!line.starts_with("import "))
    return out;
  line.remove_prefix(7);
  line = line.substr(0, line.find_first_of(";#"));
  while (!line.empty()) {
    size_t comma = std::min(line.find(','), line.size());
    if (std::string name = word(line.substr(0, comma)); !name.empty())
      out.push_back(std::move(name));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return out;
}

std::vector<std::string> imports(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    for (std::string &path : importedBy(text.substr(0, end)))
      out.push_back(std::move(path));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The folder that holds the package `lanescope`: beside the program's own in a build, where Debian's Python looks in
/// an installation. Empty: there is none.
fs::path packageFolder() {
  for (const char *place : {"python", "lib/python3/dist-packages"}) {
    std::error_code ignored;
    fs::path folder = core::programFolder().parent_path() / place;
    if (fs::exists(folder / "lanescope" / "__main__.py", ignored))
      return folder;
  }
  return {};
}

std::string pythonOf(const RunArguments &arguments) {
  if (!arguments.python.empty())
    return arguments.python;
  const char *environment = std::getenv("VIRTUAL_ENV");
  return environment && *environment ? (fs::path(environment) / "bin" / "python3").string() : "python3";
}

bool isThere(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0;
  const char *found = std::getenv("PATH");
  std::string_view path = found ? found : "/usr/bin:/bin";
  while (!path.empty()) {
    size_t end = std::min(path.find(':'), path.size());
    if (::access((fs::path(path.substr(0, end)) / program).c_str(), X_OK) == 0)
      return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

/// `python3 -m lanescope run …` with what was said of devices and checks.
std::vector<std::string> commandOf(const RunArguments &arguments) {
  std::vector<std::string> out = {pythonOf(arguments), "-m", "lanescope", "run"};
  if (arguments.device == "gpu")
    out.insert(out.end(), {"--device", "gpu"});
  if (!arguments.worker.empty())
    out.insert(out.end(), {"--worker", arguments.worker});
  if (arguments.arch.starts_with("sm_10"))
    out.insert(out.end(), {"--gpu", "b200"});
  if (arguments.emulation.fast)
    out.push_back("--fast");
  if (arguments.emulation.strict)
    out.push_back("--strict");
  if (arguments.emulation.seed != 0)
    out.insert(out.end(), {"--seed", text(arguments.emulation.seed)});
  out.push_back(arguments.file);
  out.insert(out.end(), arguments.programArguments.begin(), arguments.programArguments.end());
  return out;
}

/// An option that means nothing to a program; empty where there is none.
std::string_view misplaced(const RunArguments &arguments) {
  return !arguments.trace.empty()        ? "--trace"
         : !arguments.dump.empty()       ? "--dump"
         : !arguments.parameters.empty() ? "--param"
         : !arguments.inputs.empty()     ? "--inputs"
                                         : std::string_view();
}

} // namespace

std::string foreignImport(const Source &source, const std::string &file, repl::Session &session) {
  const fs::path folder = fs::path(file).parent_path();
  for (const std::string &path : imports(source.text())) {
    std::string beside = path.substr(0, path.find('.'));
    std::error_code ignored;
    bool isFile = fs::exists(folder / (beside + ".py"), ignored) || fs::exists(folder / beside, ignored);
    if (!session.evaluator().builtin(path) && !isFile)
      return path;
  }
  return {};
}

bool isForPython(const RunArguments &arguments, const Source &source) {
  if (!arguments.python.empty())
    return true;
  return !arguments.programArguments.empty() && !imports(source.text()).empty();
}

int handOver(const RunArguments &arguments) {
  if (std::string_view option = misplaced(arguments); !option.empty()) {
    complain(text("lanescope run: `", option, "` is for snippets and dumps; ", shownName(arguments.file),
                  " is a program, which Python runs\n"));
    return kUsage;
  }
  const fs::path folder = packageFolder();
  const std::string python = pythonOf(arguments);
  if (folder.empty() || !isThere(python)) {
    complain(folder.empty() ? std::string("lanescope run: a program runs in Python with the package `lanescope`, which "
                                          "is not beside this program; `./dev build` makes it\n")
                            : text("lanescope run: there is no `", shownName(python),
                                   "` to run the program with; name one with `--python`\n"));
    return kMachineLacks;
  }
  std::string path = folder.string();
  if (const char *before = std::getenv("PYTHONPATH"); before && *before)
    path += std::string(":") + before;
  ::setenv("PYTHONPATH", path.c_str(), 1);
  std::vector<std::string> words = commandOf(arguments);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  complain(text("lanescope run: `", shownName(python), "` does not start: ", std::strerror(errno), "\n"));
  return kMachineLacks;
}

} // namespace lanescope::app
