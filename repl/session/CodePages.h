// What the window's code view shows of a compilation, a dump, a file: texts, the links between their lines, what these
// cost, and what they are about (viz/host/Host.h).
//
//   viz::CodeRequest code = codeOfStages("double.py", snippet, *launch.stages, &record);
//   code.pages[5].title     "ptx"
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "viz/host/Host.h"

namespace lanescope::repl {

/// The snippet, other files that the kernel's code comes from, and the kernel's stages as far as it came. `record`: of
/// the kernel's last run on the emulator; null, or of another text: costs are counted in the PTX alone. `more`: stages
/// made when they are asked for.
viz::CodeRequest codeOfStages(const std::string &title, const SourceRef &snippet, const core::KernelStages &stages,
                              const core::RunRecord *record, const std::vector<core::Stage> &more = {});
/// A dump's module, what we compile it to, and JAX's PTX.
viz::CodeRequest codeOfDump(const viz::DumpPage &page);
/// PTX from elsewhere, with the sources that its `.file` directives name, where they lie beside it or where it says.
viz::CodeRequest codeOfPtx(const std::string &title, const SourceRef &ptx, const std::string &path);
/// A text and a listing of it whose lines come from `lines` of the text (0: from none).
viz::CodeRequest codeOfListing(const std::string &title, const SourceRef &text, std::string listingTitle,
                               std::string listing, const std::vector<uint32_t> &lines);

} // namespace lanescope::repl
