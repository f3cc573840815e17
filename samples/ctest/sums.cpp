// A test of a CUDA kernel: 64 threads add 64 numbers to 1 in shared memory. Run by samples/ctest/CMakeLists.txt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

static const char kPtx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 numbers, .param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;
  .shared .align 4 .b8 total[4];
  ld.param.u64 %d1, [numbers];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.shared.u32 [total], 1;
  bar.sync 0;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  red.shared.add.u32 [total], %r2;
  bar.sync 0;
  @%p1 ret;
  ld.param.u64 %d4, [out];
  ld.shared.u32 %r3, [total];
  st.global.u32 [%d4], %r3;
  ret;
}
)";

// The part of <cuda.h> that the test uses.
template <typename Function> static Function *driver(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found) {
    std::printf("there is no CUDA driver with %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function *>(found);
}

static void call(int status, const char *what) {
  if (status != 0) {
    std::printf("%s failed with status %d\n", what, status);
    std::exit(1);
  }
}
#define CALL(function, type, ...) call(driver<type>(#function)(__VA_ARGS__), #function)

int main() {
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  uint64_t numbers = 0, out = 0;
  uint32_t values[64], sum = 0, wanted = 1; // the kernel begins with 1
  for (uint32_t n = 0; n < 64; ++n)
    wanted += values[n] = n * n;
  CALL(cuInit, int(unsigned), 0);
  CALL(cuDevicePrimaryCtxRetain, int(void **, int), &context, 0);
  CALL(cuCtxSetCurrent, int(void *), context);
  CALL(cuModuleLoadData, int(void **, const void *), &module, kPtx);
  CALL(cuModuleGetFunction, int(void **, void *, const char *), &kernel, module, "sums");
  CALL(cuMemAlloc_v2, int(uint64_t *, size_t), &numbers, sizeof values);
  CALL(cuMemAlloc_v2, int(uint64_t *, size_t), &out, sizeof sum);
  CALL(cuMemcpyHtoD_v2, int(uint64_t, const void *, size_t), numbers, values, sizeof values);
  void *arguments[] = {&numbers, &out};
  using Launch =
      int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  CALL(cuLaunchKernel, Launch, kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  CALL(cuMemcpyDtoH_v2, int(void *, uint64_t, size_t), &sum, out, sizeof sum);
  std::printf("the sum is %u\n", sum);
  return sum == wanted ? 0 : 1;
}
