#include "repl/lang/evaluate/Coroutine.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LANESCOPE_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LANESCOPE_ADDRESS_SANITIZER
#endif
#ifdef LANESCOPE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace lanescope::repl {
namespace {

constexpr size_t kStackBytes =
    8 << 20; // as the main thread has: kernels may be compiled on it; untouched pages are none
constexpr size_t kGuardBytes = 1 << 16; // below it, so that what overruns it faults and overwrites nothing

thread_local Coroutine *starting = nullptr; // makecontext hands on ints alone

} // namespace

struct Coroutine::Stacks {
  char *memory = nullptr;
  ucontext_t inside, outside;
  // The sanitizer is told of each change of stacks.
  void *fakeInside = nullptr, *fakeOutside = nullptr;
  const void *outsideBottom = nullptr;
  size_t outsideBytes = 0;

  void enter() {
#ifdef LANESCOPE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fakeOutside, memory + kGuardBytes, kStackBytes - kGuardBytes);
#endif
    swapcontext(&outside, &inside);
#ifdef LANESCOPE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fakeOutside, nullptr, nullptr);
#endif
  }
  void arrive() {
#ifdef LANESCOPE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fakeInside, &outsideBottom, &outsideBytes);
#endif
  }
  void leave(bool forever) {
#ifdef LANESCOPE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(forever ? nullptr : &fakeInside, outsideBottom, outsideBytes);
#endif
    if (forever)
      setcontext(&outside);
    swapcontext(&inside, &outside);
    arrive();
  }
};

Coroutine::Coroutine(std::function<void(Coroutine &)> body)
    : body_(std::move(body)), stacks_(std::make_unique<Stacks>()) {
  void *memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  stacks_->memory = memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
  if (stacks_->memory)
    mprotect(stacks_->memory, kGuardBytes, PROT_NONE);
}

Coroutine::~Coroutine() {
  if (stacks_->memory)
    munmap(stacks_->memory, kStackBytes);
}

const char *Coroutine::stackTop() const { return stacks_->memory ? stacks_->memory + kStackBytes : nullptr; }

void Coroutine::run() {
  Coroutine &self = *std::exchange(starting, nullptr);
  self.stacks_->arrive();
  self.body_(self);
  self.finished_ = true;
  self.stacks_->leave(true);
}

void Coroutine::resume() {
  if (!std::exchange(started_, true)) {
    getcontext(&stacks_->inside);
    stacks_->inside.uc_stack.ss_sp = stacks_->memory + kGuardBytes;
    stacks_->inside.uc_stack.ss_size = kStackBytes - kGuardBytes;
    stacks_->inside.uc_link = nullptr;
    makecontext(&stacks_->inside, &Coroutine::run, 0);
    starting = this;
  }
  stacks_->enter();
}

void Coroutine::suspend() { stacks_->leave(false); }

} // namespace lanescope::repl
