// repl/lang/files/SnippetFiles.h for a module of WebAssembly: a page has no files. Arrays that a snippet saves stay in
// memory, where it can load them again.
#include "repl/lang/files/SnippetFiles.h"

namespace lanescope::repl {

SnippetFiles::SnippetFiles(FileRules rules) : rules_(std::move(rules)) {}

Result<core::Bytes> SnippetFiles::read(const std::string &name, core::FileRole) const {
  if (auto found = inMemory_.find(name); found != inMemory_.end())
    return found->second;
  return error("unreadable-file",
               Message("`{name}` is not there: a page reads no files; the program itself does (`lanescope`)", name));
}

Result<void> SnippetFiles::save(const std::string &name, core::Bytes bytes) {
  inMemory_.insert_or_assign(name, std::move(bytes));
  return {};
}

} // namespace lanescope::repl
