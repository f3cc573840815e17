// Dumps of today's JAX use operation syntax that is newer than MLIR 22's. This rewrites those spellings, line by line,
// so that they parse; lines keep their numbers.
//
//   nvvm.fence.proxy <async.shared>, space = <cta>
//   -> nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
//   nvvm.cp.async.bulk.wait_group 1 read   ->   nvvm.cp.async.bulk.wait_group 1 {read}
#pragma once

#include <string>
#include <string_view>

namespace lanescope::core {

std::string withMlir22Syntax(std::string_view text);

} // namespace lanescope::core
