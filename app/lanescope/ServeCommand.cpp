// `lanescope serve`: the web page from this program, on this machine.
#include "app/lanescope/Common.h"
#include "core/data/StandardOutput.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "viz/web/PageServer.h"

#include <filesystem>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

/// The folder with the page: the one that the user names, the installed one, or the one of the build tree. Empty if
/// there is none.
fs::path pageFolder(const std::string &named) {
  fs::path installed = core::dataFolder(); // empty in a build tree
  fs::path place = !named.empty()      ? fs::path(named)
                   : installed.empty() ? core::programFolder() / "../../wasm/page"
                                       : installed / "page";
  std::error_code ignored;
  bool whole =
      fs::is_regular_file(place / "index.html", ignored) && fs::is_regular_file(place / "lanescope.wasm", ignored);
  return whole ? place : fs::path();
}

} // namespace

int runServe(const ServeArguments &arguments) {
  fs::path folder = pageFolder(arguments.page);
  if (folder.empty()) {
    complain(text("lanescope serve: ",
                  arguments.page.empty() ? "this program was installed without the page"
                                         : text("`", shownName(arguments.page), "` is not a folder with the page"),
                  ". `./dev site` in Lanescope's sources builds it; then give `--page build/site/app`.\n"));
    return kMachineLacks;
  }
  std::vector<fs::path> files;
  for (const std::string &file : arguments.files) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      return report(error("unreadable-file", Message("`{}` is no file that can be read", file)).error());
    files.emplace_back(file);
  }
  std::vector<std::string> hosts = arguments.hosts;
  hosts.push_back(arguments.address);
  auto server = viz::PageServer::listenOn(arguments.address, arguments.port,
                                          viz::ServedPage(std::move(folder), std::move(files), std::move(hosts)));
  if (!server) {
    complain(text("lanescope serve: ", server.error(), "\n"));
    return kMachineLacks;
  }
  put(text((*server)->address(), "\n"));
  if (auto written = core::finishStandardOutput(); !written)
    return report(written.error());
  complain("Open this address in a browser. Ctrl+C ends the server.\n");
  (*server)->run();
  return kDone;
}

} // namespace lanescope::app
