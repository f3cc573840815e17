// The rules by which the checker finds faults, hazards and notes (docs/checks.md): the kinds of its diagnostics.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::core {

inline constexpr auto kCheckerRules = std::to_array<std::string_view>({
    "race",
    "racing-read",
    "racing-value",
    "dead-read",
    "unread-copy",
    "copy-not-awaited",
    "overwritten-in-flight",
    "unawaited-store",
    "unfinished-copy",
    "row-end",
    "word-end",
    "missing-proxy-fence",
    "unfenced-overwrite",
    "unfenced-cp-async",
    "unfenced-alias",
    "warpgroup-order",
    "partial-barrier",
    "tmem-allocation-order",
    "wgmma-in-flight",
    "copied-in-flight",
    "replaced-in-flight",
    "early-end",
    "missing-wgmma-fence",
    "unfenced-constant",
    "mbarrier-initialised-twice",
    "mbarrier-parity",
    "uninitialised-shared",
    "mma-not-awaited",
    "tmem-load-in-flight",
    "tmem-store-in-flight",
    "tmem-overwritten-in-flight",
    "tmem-freed-in-flight",
    "tmem-race",
    "missing-tcgen05-fence",
    "uninitialised-tmem",
});

/// Error "no-rule": one of these is no rule's name; it says which may be meant.
Result<void> checkRuleNames(std::span<const std::string> names);

} // namespace lanescope::core
