// Which build of the program made a record.
#pragma once

#include <string>

namespace lanescope::repl {

/// A text that identifies this build of the program on every machine: the version, and a hash of the files with the
/// program and its compiler.
const std::string &programIdentity();

} // namespace lanescope::repl
