// One launch of one warp with one access to shared memory. conflicts.py has ncu count it.
//
//   conflicts accesses.txt      each line: an instruction and 32 byte addresses, -1 for a lane that is switched off
//
// Addresses come from global memory, and nothing else accesses shared memory, so the launch's counters are those of the
// access. The contents do not matter.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

extern __shared__ __align__(1024) unsigned char memory[];

__device__ unsigned addressOf(int offset) { return static_cast<unsigned>(__cvta_generic_to_shared(memory)) + offset; }

// `x` keeps the loaded value in use; stores write the lane's number.
#define ACCESS(NAME, CODE)                                                                                             \
  __global__ void NAME(const int *offsets, unsigned *out) {                                                            \
    int offset = offsets[threadIdx.x];                                                                                 \
    unsigned x[4] = {threadIdx.x, threadIdx.x, threadIdx.x, threadIdx.x}, a = addressOf(offset);                       \
    if (offset >= 0) {                                                                                                 \
      CODE;                                                                                                            \
    }                                                                                                                  \
    out[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3];                                                                      \
  }
// All lanes take part in a matrix access, including those without a row.
#define MATRICES(NAME, CODE)                                                                                           \
  __global__ void NAME(const int *offsets, unsigned *out) {                                                            \
    unsigned x[4] = {threadIdx.x, threadIdx.x, threadIdx.x, threadIdx.x};                                              \
    unsigned a = addressOf(offsets[threadIdx.x] < 0 ? 0 : offsets[threadIdx.x]);                                       \
    CODE;                                                                                                              \
    out[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3];                                                                      \
  }
#define OUT1 "=r"(x[0])
#define OUT2 OUT1, "=r"(x[1])
#define OUT4 OUT2, "=r"(x[2]), "=r"(x[3])
#define IN1 "r"(x[0])
#define IN2 IN1, "r"(x[1])
#define IN4 IN2, "r"(x[2]), "r"(x[3])
#define LOAD1(PTX) asm volatile(PTX " %0, [%1];" : OUT1 : "r"(a) : "memory")
#define STORE1(PTX) asm volatile(PTX " [%0], %1;" ::"r"(a), IN1 : "memory")

ACCESS(ld8, LOAD1("ld.shared.u8"))
ACCESS(ld16, unsigned short h; asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(a) : "memory"); x[0] = h)
ACCESS(ld32, LOAD1("ld.shared.b32"))
ACCESS(ld64, asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : OUT2 : "r"(a) : "memory"))
ACCESS(ld128, asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : OUT4 : "r"(a) : "memory"))
ACCESS(st8, STORE1("st.shared.u8"))
ACCESS(st16, asm volatile("st.shared.u16 [%0], %1;" ::"r"(a), "h"((unsigned short)x[0]) : "memory"))
ACCESS(st32, STORE1("st.shared.b32"))
ACCESS(st64, asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(a), IN2 : "memory"))
ACCESS(st128, asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(a), IN4 : "memory"))

#define LDM(N, T) "ldmatrix.sync.aligned.m8n8." N T ".shared.b16"
#define STM(N, T) "stmatrix.sync.aligned.m8n8." N T ".shared.b16"
#define MATRIX_SET(SUFFIX, T)                                                                                          \
  MATRICES(ldm1##SUFFIX, asm volatile(LDM("x1", T) " {%0}, [%1];" : OUT1 : "r"(a) : "memory"))                         \
  MATRICES(ldm2##SUFFIX, asm volatile(LDM("x2", T) " {%0, %1}, [%2];" : OUT2 : "r"(a) : "memory"))                     \
  MATRICES(ldm4##SUFFIX, asm volatile(LDM("x4", T) " {%0, %1, %2, %3}, [%4];" : OUT4 : "r"(a) : "memory"))             \
  MATRICES(stm1##SUFFIX, asm volatile(STM("x1", T) " [%0], {%1};" ::"r"(a), IN1 : "memory"))                           \
  MATRICES(stm2##SUFFIX, asm volatile(STM("x2", T) " [%0], {%1, %2};" ::"r"(a), IN2 : "memory"))                       \
  MATRICES(stm4##SUFFIX, asm volatile(STM("x4", T) " [%0], {%1, %2, %3, %4};" ::"r"(a), IN4 : "memory"))
MATRIX_SET(, "")
MATRIX_SET(t, ".trans")

using Kernel = void (*)(const int *, unsigned *);

static const std::map<std::string, Kernel> kKernels = {
    {"ld.shared.b8", ld8},          {"ld.shared.b16", ld16},        {"ld.shared.b32", ld32},
    {"ld.shared.b64", ld64},        {"ld.shared.b128", ld128},      {"st.shared.b8", st8},
    {"st.shared.b16", st16},        {"st.shared.b32", st32},        {"st.shared.b64", st64},
    {"st.shared.b128", st128},      {"ldmatrix.x1", ldm1},          {"ldmatrix.x2", ldm2},
    {"ldmatrix.x4", ldm4},          {"stmatrix.x1", stm1},          {"stmatrix.x2", stm2},
    {"stmatrix.x4", stm4},          {"ldmatrix.x1.trans", ldm1t},   {"ldmatrix.x2.trans", ldm2t},
    {"ldmatrix.x4.trans", ldm4t},   {"stmatrix.x1.trans", stm1t},   {"stmatrix.x2.trans", stm2t},
    {"stmatrix.x4.trans", stm4t},
};

static void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: conflicts accesses.txt\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  int *offsets;
  unsigned *out;
  check(cudaMalloc(&offsets, 32 * sizeof(int)), "cudaMalloc");
  check(cudaMalloc(&out, 32 * sizeof(unsigned)), "cudaMalloc");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string op;
    int host[32], most = 0;
    words >> op;
    for (int &offset : host) {
      words >> offset;
      most = offset > most ? offset : most;
    }
    auto kernel = kKernels.find(op);
    if (!words || kernel == kKernels.end()) {
      std::fprintf(stderr, "cannot read: %s\n", line.c_str());
      return 1;
    }
    int bytes = most / 1024 * 1024 + 1024;
    check(cudaFuncSetAttribute(kernel->second, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), op.c_str());
    check(cudaMemcpy(offsets, host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");
    kernel->second<<<1, 32, bytes>>>(offsets, out);
    check(cudaGetLastError(), op.c_str());
    check(cudaDeviceSynchronize(), op.c_str());
  }
  return 0;
}
