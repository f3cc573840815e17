// Limits the memory of this process. Ask before a large allocation.
//
//   LANESCOPE_CHECK(reserveMemory(rows * columns * 4, "the table"));
//   std::vector<uint32_t> table(rows * columns);
//
// The limit applies to the whole process: its present memory plus the requested bytes. It is the value of `--memory`,
// or half of what the machine, its container or `ulimit -v` allows. Small allocations do not ask one by one;
// MemoryReserve.h handles those that fail.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The smallest value of `--memory`: less does not hold the program itself.
inline constexpr uint64_t kLeastMemory = uint64_t{64} << 20;

/// The bytes that this process may hold. Before a limit is set, half of the memory that the machine or its container
/// has.
uint64_t memoryLimit();
/// Sets the limit that reserveMemory() checks. Call it before threads start.
void setMemoryBudget(uint64_t bytes);
/// Sets the limit, and makes the system refuse allocations beyond it.
void setMemoryLimit(uint64_t bytes);
/// The limit that was set, to be passed to child processes; nothing if none was set.
std::optional<uint64_t> givenMemoryLimit();
/// Makes the system refuse allocations beyond memoryLimit(). For programs that start no child processes with large
/// needs of their own.
void enforceMemoryLimit();
/// Undoes enforceMemoryLimit(), which this process inherited from the Lanescope program that started it.
void liftMemoryLimit();
/// The bytes that this process holds in memory now; nothing if the system does not report it.
std::optional<uint64_t> residentMemory();

/// Error "out-of-memory" if `bytes` more would exceed the limit, or if the system has no room for them. `what` is for
/// the message: "the array". The function reads one line from the system, so do not call it for small objects in a
/// loop.
Result<void> reserveMemory(uint64_t bytes, std::string_view what);
/// Like the function above, but with a limit that the caller gives.
Result<void> reserveMemory(uint64_t bytes, std::string_view what, uint64_t limit);

/// Reserves memory for the parsed form of a text, which takes about `perByte` bytes for each byte of the text. The
/// error points at the text's start. Texts below 1 MiB are not checked.
Result<void> reserveParsed(const SourceRef &text, uint64_t perByte);

/// Parses "512M", "1.5G", "2GiB", "800000000" to bytes; K, M, G and T are powers of 1024. Nothing for other texts.
std::optional<uint64_t> parseMemorySize(std::string_view text);
/// A number of bytes in words: "1.5 GiB", "200 MiB", "12 bytes".
std::string memoryText(uint64_t bytes);

} // namespace lanescope::core
