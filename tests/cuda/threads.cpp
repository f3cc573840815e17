// Many threads launch at once, each in the primary context. A forked child continues with the existing state.
#include "tests/cuda/CudaProgram.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 at)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at]; red.global.add.u32 [%rd1], 1;
  ret;
}
)";

int main() {
  begin();
  Function *count = load(kPtx, "count");
  DevicePointer total = reserve(4);
  std::vector<std::thread> all;
  for (int n = 0; n < 4; ++n)
    all.emplace_back([&] {
      EXPECT(launch(count, 1, 32, nullptr, total) == kInvalidContext); // a new thread has no context
      Context *context = nullptr;
      CALL(cuDevicePrimaryCtxRetain(&context, 0));
      CALL(cuCtxPushCurrent_v2(context));
      Stream *stream = nullptr;
      CALL(cuStreamCreate(&stream, 1));
      DevicePointer own = reserve(4);
      for (int round = 0; round < 5; ++round) {
        CALL(launch(count, 2, 32, stream, own));
        CALL(launch(count, 1, 32, stream, total));
      }
      CALL(cuStreamSynchronize(stream));
      EXPECT(read<unsigned>(own, 1)[0] == 320);
      CALL(cuCtxPopCurrent_v2(nullptr));
    });
  for (std::thread &one : all)
    one.join();
  EXPECT(read<unsigned>(total, 1)[0] == 640);
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    CALL(launch(count, 1, 1, nullptr, total));
    _exit(read<unsigned>(total, 1)[0] == 641 ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  EXPECT(read<unsigned>(total, 1)[0] == 640); // the child's memory is its own
  std::printf("threads take turns\n");
}
