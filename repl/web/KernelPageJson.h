// A kernel's facts, its findings and the debugger's page as JSON.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "viz/gui/debugger/DebuggerModel.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace lanescope::repl {

/// A finding as `lanescope check --format json` has it. `allowed`: the reason of a comment that allows it, or empty.
nlohmann::json checkedJson(const Diagnostic &finding, const std::string &schedule, const std::string &kernel,
                           const std::string &allowed);
/// A line of words about each array that the run leaves: its range, and how many elements the kernel changed.
nlohmann::json outputsJson(const core::Launch &launch, const std::vector<core::Array> &before,
                           const std::vector<core::Array> &after);
/// "grid 4 × 1 × 1, 128 threads per block, 24 KiB of dynamic shared memory".
std::string launchWords(const core::Launch &launch);
/// The page of the model, which has one. Shared memory is shown from `sharedFrom` on, a part of it at a time.
nlohmann::json debugJson(const viz::DebuggerModel &model, uint32_t sharedFrom);

} // namespace lanescope::repl
