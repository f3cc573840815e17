// A link to the web page that shows the pictures of a view.
//
//   viewLink(R"(view("WGMMA", shape=(64, 8)))", core::kDefaultPage)   ->  "http://localhost:8000/app/#1=q1Yqy0wtV7JS…"
#pragma once

#include "viz/host/LinkedFiles.h"

#include <span>
#include <string>
#include <string_view>

namespace lanescope::viz {

/// `views` is the text of ViewText.h, `page` the address of the page.
std::string viewLink(std::string_view views, std::string_view page);
/// A link to the traces' page with the whole of a trace, whose name is `name` and whose expanded text is `traceText`.
std::string traceLink(std::string_view name, std::string_view traceText, std::string_view page);
/// A link to the kernels' page with the files of a kernel, which is called `name`. `debug`: the place of its run in the
/// debugger (DebuggerPlace.h); null: the page runs the kernel and opens no debugger.
std::string kernelLink(std::string_view name, std::span<const LinkedFile> files, std::string_view page,
                       const nlohmann::json &debug);

} // namespace lanescope::viz
