// How much memory this process may hold. Ask before something large is made.
//
//   LANESCOPE_CHECK(reserveMemory(rows * columns * 4, "the table"));
//   std::vector<uint32_t> table(rows * columns);
//
// The limit counts the whole process: what it holds now, and what is asked for. It is what `--memory` says, or half of
// what the machine, its container or `ulimit -v` allow. Small allocations are not asked for one by one: what happens
// where one of those fails is MemoryReserve.h's.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The least that `--memory` takes: less does not hold the program itself.
inline constexpr uint64_t kLeastMemory = uint64_t{64} << 20;

/// Bytes that this process may hold; half of what the machine has, as long as it was not set.
uint64_t memoryLimit();
/// Sets the limit that is asked by reserveMemory(). To be called before threads start.
void setMemoryBudget(uint64_t bytes);
/// The same, and lets the system refuse more: an allocation beyond it fails.
void setMemoryLimit(uint64_t bytes);
/// The limit that was set, to be passed to processes that this one starts; nothing where none was set.
std::optional<uint64_t> givenMemoryLimit();
/// Lets the system refuse allocations beyond memoryLimit(). Programs that start no process with needs of its own call
/// it.
void enforceMemoryLimit();
/// Takes back what enforceMemoryLimit() has set in the program of ours that has started this one.
void liftMemoryLimit();
/// Bytes that this process holds in memory now; nothing where the system does not say it.
std::optional<uint64_t> residentMemory();

/// Error "out-of-memory" where `bytes` more would exceed the limit, or where the system has no room for them. `what` is
/// for the message: "the array". It reads one line from the system, so it is not for small things in a loop.
Result<void> reserveMemory(uint64_t bytes, std::string_view what);
/// The same against a limit of the caller's.
Result<void> reserveMemory(uint64_t bytes, std::string_view what, uint64_t limit);

/// The same for what a text is parsed to, which takes about `perByte` bytes for each of its own; error at the text's
/// start. Texts below 1 MiB are not worth the question.
Result<void> reserveParsed(const SourceRef &text, uint64_t perByte);

/// "512M", "1.5G", "2GiB", "800000000": bytes; K, M, G and T are powers of 1024. Nothing where it is no size.
std::optional<uint64_t> parseMemorySize(std::string_view text);
/// "1.5 GiB", "200 MiB", "12 bytes".
std::string memoryText(uint64_t bytes);

} // namespace lanescope::core
