// The command line's option tables as JSON, for what is made from them: man pages and the shells' completions
// (app/package/manual.py).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lanescope::app {

/// {"name", "description", "footer", "options": [{"names": ["-o", "--output"], "argument": "FILE", "choices": […],
/// "default", "description", "required"}], "commands": […]}. `names` is empty for what stands on its own, as a file
/// does; `argument` is empty for a flag.
std::string optionTable(const CLI::App &root);

} // namespace lanescope::app
