// core/data/ProcessMemory.h, MemoryReserve.h, Scratch.h and Threads.h for a module of WebAssembly. It has one thread,
// and a memory of at most 4 GiB. The browser limits the memory further; an allocation that fails ends the module, and
// the page starts it again.
#include "core/data/MemoryReserve.h"
#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"
#include "core/data/Threads.h"
#include "layouts/support/Text.h"

#include <cstdlib>

// The class has members that only an implementation with a reserve needs.
#pragma clang diagnostic ignored "-Wunused-private-field"

namespace lanescope::core {

uint64_t memoryLimit() { return uint64_t{4} << 30; }

Result<void> reserveMemory(uint64_t bytes, std::string_view what) {
  void *block = bytes < memoryLimit() ? std::malloc(static_cast<size_t>(bytes)) : nullptr;
  void *volatile kept = block; // keeps the compiler from removing the pair of calls
  std::free(kept);
  if (bytes > 0 && !block)
    return error(
        "out-of-memory",
        Message(
            "there is no memory for {}, {}: a page in a browser may hold less; the program itself has no such limit",
            what, memoryText(bytes)));
  return {};
}

Result<void> reserveMemory(uint64_t bytes, std::string_view what, uint64_t limit) {
  if (uint64_t used = *residentMemory(); bytes > limit || used > limit - bytes)
    return error("out-of-memory", Message("there is no memory for {}, {}: the page uses {} of the {} that it may", what,
                                          memoryText(bytes), memoryText(used), memoryText(limit)));
  return reserveMemory(bytes, what);
}

Result<void> reserveBytes(uint64_t bytes, std::string_view what) { return reserveMemory(bytes, what); }

Result<void> reserveBytes(uint64_t bytes, std::string_view what, uint64_t limit) {
  return reserveMemory(bytes, what, limit);
}

std::optional<uint64_t> residentMemory() { return __builtin_wasm_memory_size(0) * uint64_t{65536}; }

Result<void> reserveParsed(const SourceRef &source, uint64_t perByte) {
  auto room = reserveMemory(source->text().size() * perByte, text("what `", source->name(), "` is parsed to"));
  return room ? room : at({source, 0, 0}, std::move(room.error()));
}

std::string memoryText(uint64_t bytes) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  return bytes < 10 * kMiB ? text(bytes, " bytes") : text(bytes / kMiB, " MiB");
}

bool startThread(std::thread &, std::function<void()>) { return false; }

StopWithoutMemory::StopWithoutMemory(std::atomic<bool> &) : flag_(nullptr), begun_(0) {}
StopWithoutMemory::~StopWithoutMemory() = default;
bool StopWithoutMemory::happened() const { return false; }
std::unexpected<Diagnostics> StopWithoutMemory::error() {
  return lanescope::error("out-of-memory", "out of memory: an allocation failed, so the work was stopped");
}

} // namespace lanescope::core

/// The C++ ABI's request to destroy a thread's variables at its end. The module's thread has no end.
extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *) { return 0; }

// The stack protector of the compiler's run-time library, which wasi-libc lacks. The guard is no secret here: nothing
// outside of the module reads its memory.
extern "C" {
uintptr_t __stack_chk_guard = 0x5bd1e995;
[[noreturn]] void __stack_chk_fail() { std::abort(); }
}
