#include "repl/check/many/ProgramIdentity.h"

#include "core/data/Version.h"
#include "core/gpu/runtime/OwnFile.h"
#include "core/ir/ContentHash.h"
#include "layouts/support/Text.h"

namespace lanescope::repl {

const std::string &programIdentity() {
  static const std::string identity = [] {
    core::ContentHash hash;
    hash.addFile(core::ownFile());
    hash.addFile(core::compilerFile());
    return text(core::kVersion, " ", hash.hex().substr(0, 16));
  }();
  return identity;
}

} // namespace lanescope::repl
