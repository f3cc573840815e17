// `load` and `save`, which read and write arrays in files.
#pragma once

#include "repl/lang/files/SnippetFiles.h"
#include "repl/lang/values/Builtin.h"

#include <span>

namespace lanescope::repl {

/// `load` and `save` with the rules for a session's files. Null: the rules for code outside of a session, with the
/// working directory.
Builtins fileBuiltins(std::shared_ptr<SnippetFiles> files);

/// The value of `load` for a file's bytes: an array, or a dict of arrays where the name ends in `.npz`.
Result<Value> arraysIn(std::span<const std::byte> bytes, const std::string &name, std::optional<core::Dtype> dtype);

} // namespace lanescope::repl
