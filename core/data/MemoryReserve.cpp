// This file is compiled with exceptions, because it throws and inspects them. Only `operator new` lets an exception
// out, namely `std::bad_alloc`; its `std::nothrow` form catches that exception.
#include "core/data/MemoryReserve.h"

#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <malloc.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace lanescope::core {

namespace {

// The handler uses these variables. It runs on any thread and must not allocate.
const char *program = "lanescope";
bool installed = false;
std::atomic<void *> reserve{nullptr};
std::atomic<uint32_t> failures{0}; // how often the reserve was freed
thread_local uint32_t seen = 0;    // the last failure that this thread has seen
constexpr size_t kMostFlags = 64;  // the most sessions, runs and requests that can be registered at a time
std::array<std::atomic<bool> *, kMostFlags> flags{};
std::atomic<uint32_t> waiting{0};              // flags in use
std::atomic_flag flagsLock = ATOMIC_FLAG_INIT; // guards the list, so that no flag is raised after its removal

/// A lock for a few instructions, usable where nothing can be allocated.
class FlagsLock {
public:
  FlagsLock() {
    while (flagsLock.test_and_set(std::memory_order_acquire))
      ;
  }
  ~FlagsLock() { flagsLock.clear(std::memory_order_release); }
};

void setReserveAside() {
  // Writable, so that it counts for each of the system's limits; the block is never touched.
  void *block =
      ::mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void *none = nullptr;
  if (block != MAP_FAILED && !reserve.compare_exchange_strong(none, block))
    ::munmap(block, kReserveBytes);
}

bool giveReserveBack() {
  void *block = reserve.exchange(nullptr);
  if (!block)
    return false;
  ::munmap(block, kReserveBytes);
  return true;
}

/// The handler of `operator new`: it returns if the allocation may succeed now.
void onFailedAllocation() {
  if (waiting.load() == 0)
    throw std::bad_alloc();
  if (giveReserveBack()) {
    seen = failures.fetch_add(1) + 1;
  } else if (uint32_t now = failures.load(); seen != now) {
    seen = now; // another thread has freed the reserve since this thread's last attempt, or is about to free it
  } else {
    throw std::bad_alloc();
  }
  FlagsLock lock;
  for (std::atomic<bool> *flag : flags)
    if (flag)
      flag->store(true, std::memory_order_relaxed);
}

[[noreturn]] void endWith(std::string_view problem) {
  std::array<char, 512> message;
  size_t length = std::min<size_t>(std::strlen(program), 32);
  problem = problem.substr(0, message.size() - length);
  std::memcpy(message.data(), program, length);
  std::memcpy(message.data() + length, problem.data(), problem.size());
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, message.data(), length + problem.size());
  ::_exit(1);
}

/// Called for an uncaught exception, which must come from the standard library, since we throw none.
void onTerminate() {
  if (!std::current_exception())
    std::abort();
  try {
    throw;
  } catch (const std::bad_alloc &) {
    endWithoutMemory();
  } catch (const std::length_error &) {
    endWithoutMemory();
  } catch (const std::system_error &) {
    endWith(": error: the system has no thread left for this process; `ulimit -u` and `ulimit -v` show its limits\n");
  } catch (...) {
    std::abort();
  }
}

} // namespace

void installMemoryReserve(const char *name) {
  program = name;
  installed = true;
  setReserveAside();
  std::set_new_handler(onFailedAllocation);
  std::set_terminate(onTerminate);
}

StopWithoutMemory::StopWithoutMemory(std::atomic<bool> &flag) : flag_(nullptr), begun_(failures.load()) {
  FlagsLock lock;
  if (auto slot = std::ranges::find(flags, nullptr); slot != flags.end()) {
    *slot = flag_ = &flag;
    ++waiting;
  }
}

StopWithoutMemory::~StopWithoutMemory() {
  if (!flag_)
    return;
  {
    FlagsLock lock;
    *std::ranges::find(flags, flag_) = nullptr;
  }
  if (--waiting == 0 && installed && happened()) {
    ::malloc_trim(0);
    setReserveAside();
  }
}

bool StopWithoutMemory::happened() const { return failures.load() != begun_; }

std::unexpected<Diagnostics> StopWithoutMemory::error() {
  return lanescope::error("out-of-memory",
                          Message("out of memory: an allocation failed, so the work was stopped; the limit is {}, or "
                                  "less where `ulimit` says so; `--memory SIZE` sets it{}",
                                  memoryText(memoryLimit()), scratchProblem()));
}

void endWithoutMemory() {
  endWith(": error: out of memory: an allocation failed, and what was held in reserve did not suffice; `--memory SIZE` "
          "sets the limit, `ulimit -v` shows the system's\n");
}

} // namespace lanescope::core
