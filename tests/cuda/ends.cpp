// A program that behaves in an unusual way after its first launch. Argument: crash, exit, fork, unload, many, exec.
#include "tests/cuda/Program.h"

#include <cstring>
#include <string>
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
  std::printf("done\n");
  return 0;
}
