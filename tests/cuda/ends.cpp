// A program that behaves in an unusual way after its first launch. The argument says how.
#include "tests/cuda/CudaProgram.h"

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace program;

static const char kAdd[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 to)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [to]; add.s64 %rd3, %rd2, %rd1;
  ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;
  ret;
}
)";

/// The same kernel with another constant.
static std::string adding(int by) {
  std::string out = kAdd;
  return out.replace(out.find("%r2, 1;"), 7, "%r2, " + std::to_string(by) + ";");
}

static void unload(DevicePointer data) {
  for (int by = 1; by <= 3; ++by) {
    Module *module = nullptr;
    Function *kernel = nullptr;
    CALL(cuModuleLoadData(&module, adding(by).c_str()));
    CALL(cuModuleGetFunction(&kernel, module, "add"));
    CALL(launch(kernel, 1, 32, nullptr, data));
    CALL(cuModuleUnload(module)); // the next module may get the same handle
  }
  EXPECT(read<unsigned>(data, 1)[0] == 1 + 1 + 2 + 3);
}

static void many(Function *add) {
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < 8; ++n)
    threads.emplace_back([=] {
      begin();
      Stream *stream = nullptr;
      CALL(cuStreamCreate(&stream, 1));
      DevicePointer own = reserve(4096);
      for (int turn = 0; turn < 10; ++turn)
        CALL(launch(add, 1, n + 1, stream, own));
      CALL(cuStreamSynchronize(stream));
      EXPECT(read<unsigned>(own, 1)[0] == 10);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// The kernel under another name.
static std::string named(const std::string &name) {
  std::string out = kAdd;
  return out.replace(out.find("add("), 3, name);
}

/// Kernels whose names make odd names of files.
static void names(DevicePointer data) {
  for (const std::string &name :
       {std::string(4000, 'k'), std::string("_$$_"), std::string("lspkg"), std::string("$part")})
    CALL(launch(load(named(name).c_str(), name.c_str()), 1, 32, nullptr, data));
}

/// A launch by each form of the function that the driver gives for odd versions.
static void versions(Function *add, DevicePointer data) {
  using Launch = decltype(&cuLaunchKernel);
  void *parameters[] = {&data, nullptr};
  for (int version : {INT_MIN, -1, 0, 1, 4000, 11000, 12000, 12999, 13000, 99999, INT_MAX})
    for (uint64_t flags : {0, 1, 2, 3}) {
      void *found = nullptr;
      int how = -1;
      if (cuGetProcAddress_v2("cuLaunchKernel", &found, version, flags, &how) == kSuccess && found)
        CALL(reinterpret_cast<Launch>(found)(add, 1, 1, 1, 8, 1, 1, 0, nullptr, parameters, nullptr));
    }
  void *nothing = nullptr;
  EXPECT(cuGetProcAddress_v2("cuNoSuchFunction", &nothing, 12000, 0, nullptr) != kSuccess || !nothing);
  EXPECT(cuGetProcAddress_v2(nullptr, &nothing, 12000, 0, nullptr) != kSuccess);
}

/// A module from memory that is gone when its kernel is launched, as that of a library that was closed.
static void closed(DevicePointer data) {
  constexpr size_t kPage = 4096;
  void *place = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::strcpy(static_cast<char *>(place), named("of_library").c_str());
  Function *kernel = load(static_cast<const char *>(place), "of_library");
  ::munmap(place, kPage);
  CALL(launch(kernel, 1, 32, nullptr, data));
}

/// A signal that arrives all the time while launches are recorded.
static void signals(Function *add, DevicePointer data) {
  static std::atomic<int> count{0};
  std::signal(SIGALRM, [](int) { ++count; });
  itimerval often{{0, 500}, {0, 500}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  for (unsigned n = 1; n <= 20; ++n)
    CALL(launch(add, 1, n, nullptr, data));
  often = {};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  EXPECT(count > 0);
}

/// The program ends while other threads launch.
static void leave(Function *add) {
  std::atomic<int> ready{0};
  for (unsigned n = 0; n < 3; ++n)
    std::thread([add, n, &ready] {
      begin();
      DevicePointer own = reserve(4096);
      CALL(launch(add, 1, n + 1, nullptr, own));
      ++ready;
      for (unsigned threads = 1;; threads = threads % 200 + 1)
        launch(add, 1, threads, nullptr, own);
    }).detach();
  while (ready < 3)
    ::usleep(1000);
}

/// Launches in destructors, of a thread's variable and of the program's.
struct AtEnd {
  Function *add = nullptr;
  DevicePointer data = 0;
  unsigned threads = 0;
  ~AtEnd() {
    if (add)
      launch(add, 1, threads, nullptr, data);
  }
};
static AtEnd ofProgram;
static thread_local AtEnd ofThread;

int main(int, char **arguments) {
  const char *how = arguments[1];
  if (std::strcmp(how, "fork") == 0) {
    pid_t child = ::fork(); // before the first call: a child may use the driver, too
    begin();
    Function *add = load(kAdd, "add");
    DevicePointer data = reserve(128);
    CALL(launch(add, 1, child ? 32 : 16, nullptr, data));
    if (!child) {
      std::printf("the child runs\n");
      return 3;
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    std::printf("the child ends with %d\n", WEXITSTATUS(status));
    return 0;
  }
  begin();
  Function *add = load(kAdd, "add");
  DevicePointer data = reserve(128);
  CALL(launch(add, 1, 32, nullptr, data));
  std::printf("launched\n");
  std::fflush(stdout);
  if (std::strcmp(how, "crash") == 0)
    std::abort();
  if (std::strcmp(how, "exit") == 0)
    ::_exit(7);
  if (std::strcmp(how, "exec") == 0) {
    ::execl("/bin/sh", "sh", "-c", "echo another program; exit 5", nullptr);
    return 1;
  }
  if (std::strcmp(how, "unload") == 0)
    unload(data);
  if (std::strcmp(how, "many") == 0)
    many(add);
  if (std::strcmp(how, "names") == 0)
    names(data);
  if (std::strcmp(how, "versions") == 0)
    versions(add, data);
  if (std::strcmp(how, "closed") == 0)
    closed(data);
  if (std::strcmp(how, "signals") == 0)
    signals(add, data);
  if (std::strcmp(how, "repeat") == 0)
    for (int n = 0; n < 10000; ++n)
      CALL(launch(add, 1, 32, nullptr, data));
  if (std::strcmp(how, "destructors") == 0) {
    ofProgram = {add, data, 3};
    std::thread([=] {
      begin();
      ofThread = {add, data, 5};
    }).join();
  }
  if (std::strcmp(how, "forks-later") == 0) { // a child that does not use the driver
    if (::fork() == 0)
      std::exit(4);
    int status = 0;
    ::wait(&status);
    std::printf("the child ends with %d\n", WEXITSTATUS(status));
  }
  if (std::strcmp(how, "leave") == 0)
    leave(add);
  if (std::strcmp(how, "segfault") == 0)
    *static_cast<volatile int *>(nullptr) = 1;
  if (std::strcmp(how, "killed") == 0) {
    leave(add);
    ::kill(::getpid(), SIGKILL);
  }
  std::printf("done\n");
  return 0;
}
