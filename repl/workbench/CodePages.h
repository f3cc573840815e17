// The content of the window's code view for a compilation, a dump or a file. It has texts, the links between their
// lines, the costs of lines, and the arrays and memories that lines use (viz/host/Host.h).
//
//   viz::CodeRequest code = codeOfStages("double.py", snippet, *launch.stages, &record);
//   code.pages[5].title     "ptx"
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "viz/host/Host.h"

namespace lanescope::repl {

/// The snippet, the other source files of the kernel, and those of the kernel's stages that the compilation reached.
/// `record`: the kernel's last run on the emulator; if it is null or of another text, costs are counted from the PTX
/// alone. `more`: stages that are made on request.
viz::CodeRequest codeOfStages(const std::string &title, const SourceRef &snippet, const core::KernelStages &stages,
                              const core::RunRecord *record, const std::vector<core::Stage> &more = {});
/// A dump's module, the stages to which our compiler compiles it, and JAX's PTX.
viz::CodeRequest codeOfDump(const viz::DumpPage &page);
/// PTX of another compiler, with the sources that its `.file` directives name. They are searched for beside the PTX and
/// at the named path. Beside a recorded launch's PTX, the program's call stack, too. `record`: its last run; if it is
/// null, costs are counted from the text alone.
viz::CodeRequest codeOfPtx(const std::string &title, const SourceRef &ptx, const std::string &path,
                           const core::RunRecord *record = nullptr);
/// A text and a listing of it. Line i of the listing comes from line `lines[i]` of the text, or from none if that is 0.
viz::CodeRequest codeOfListing(const std::string &title, const SourceRef &text, std::string listingTitle,
                               std::string listing, const std::vector<uint32_t> &lines);

} // namespace lanescope::repl
