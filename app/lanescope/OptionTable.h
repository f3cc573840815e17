// The command line's option tables as JSON. app/package/manual.py makes man pages and shell completions from them.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lanescope::app {

/// {"name", "description", "footer", "options": [{"names": ["-o", "--output"], "argument": "FILE", "choices": […],
/// "default", "description", "required"}], "commands": […]}. `names` is empty for a positional argument, such as a
/// file; `argument` is empty for a flag.
std::string optionTable(const CLI::App &root);

} // namespace lanescope::app
