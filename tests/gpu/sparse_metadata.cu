// Measures where mma.sp reads its metadata. This is the source of `MetadataIsWhereAnH200ReadsIt` in
// tests/unit/layouts/FragmentTest.cpp, because the PTX ISA shows these layouts only in pictures.
//
//   nvcc -std=c++17 -arch=sm_90 -o sparse_metadata tests/gpu/sparse_metadata.cu && ./sparse_metadata
//
// A is all ones, and every index is 0b0100 (the first two of a chunk). B holds numbers that name a chunk in the columns
// that 0b1110 would choose instead. After the four bits of one lane's register are changed to 0b1110, the row of D that
// changes and the added value show to which row's chunk the bits belong. Prints a line for each instruction. The exit
// status is 1 if an instruction differs from the formula in layouts/fragments/Operands.cpp, which is repeated here.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

enum Kind { F16K16, F16K32, Tf32K8, Tf32K16, S8K32, S8K64, S4K64, S4K128, E4m3K64 };
struct Traits {
  const char *name;
  int bits, k, chunk; // bits of an element; K; elements of a chunk
  bool integer;
};
__host__ __device__ constexpr Traits traitsOf(Kind kind) {
  constexpr Traits all[] = {
      {"m16n8k16 f16", 16, 16, 4, false},  {"m16n8k32 f16", 16, 32, 4, false}, {"m16n8k8 tf32", 32, 8, 2, false},
      {"m16n8k16 tf32", 32, 16, 2, false}, {"m16n8k32 s8", 8, 32, 4, true},    {"m16n8k64 s8", 8, 64, 4, true},
      {"m16n8k64 s4", 4, 64, 8, true},     {"m16n8k128 s4", 4, 128, 8, true},  {"m16n8k64 e4m3", 8, 64, 4, false}};
  return all[kind];
}

template <Kind kind, int selector>
__device__ void multiply(const uint32_t *a, const uint32_t *b, uint32_t *d, uint32_t e);
#define SHORT "{%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,"
#define LONG "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,"
#define D_INTEGERS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D_FLOATS "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define IN_SHORT "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e)
#define IN_LONG "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e)
#define INSTRUCTION(KIND, SELECTOR, TYPES, OPERANDS, OUT, IN)                                                          \
  template <>                                                                                                          \
  __device__ void multiply<KIND, SELECTOR>(const uint32_t *a, const uint32_t *b, uint32_t *d, uint32_t e) {            \
    float f[4] = {0, 0, 0, 0};                                                                                         \
    asm volatile("mma.sp::ordered_metadata.sync.aligned." TYPES " " OPERANDS #SELECTOR ";" : OUT : IN);                \
    for (int i = 0; i < 4; ++i)                                                                                        \
      d[i] += uint32_t(f[i]);                                                                                          \
  }
INSTRUCTION(F16K16, 0, "m16n8k16.row.col.f32.f16.f16.f32", SHORT, D_FLOATS, IN_SHORT)
INSTRUCTION(F16K16, 3, "m16n8k16.row.col.f32.f16.f16.f32", SHORT, D_FLOATS, IN_SHORT)
INSTRUCTION(F16K32, 0, "m16n8k32.row.col.f32.f16.f16.f32", LONG, D_FLOATS, IN_LONG)
INSTRUCTION(F16K32, 1, "m16n8k32.row.col.f32.f16.f16.f32", LONG, D_FLOATS, IN_LONG)
INSTRUCTION(Tf32K8, 0, "m16n8k8.row.col.f32.tf32.tf32.f32", SHORT, D_FLOATS, IN_SHORT)
INSTRUCTION(Tf32K8, 2, "m16n8k8.row.col.f32.tf32.tf32.f32", SHORT, D_FLOATS, IN_SHORT)
INSTRUCTION(Tf32K16, 0, "m16n8k16.row.col.f32.tf32.tf32.f32", LONG, D_FLOATS, IN_LONG)
INSTRUCTION(Tf32K16, 1, "m16n8k16.row.col.f32.tf32.tf32.f32", LONG, D_FLOATS, IN_LONG)
INSTRUCTION(S8K32, 0, "m16n8k32.row.col.s32.s8.s8.s32", SHORT, D_INTEGERS, IN_SHORT)
INSTRUCTION(S8K32, 1, "m16n8k32.row.col.s32.s8.s8.s32", SHORT, D_INTEGERS, IN_SHORT)
INSTRUCTION(S8K64, 0, "m16n8k64.row.col.s32.s8.s8.s32", LONG, D_INTEGERS, IN_LONG)
INSTRUCTION(S4K64, 0, "m16n8k64.row.col.s32.s4.s4.s32", SHORT, D_INTEGERS, IN_SHORT)
INSTRUCTION(S4K64, 1, "m16n8k64.row.col.s32.s4.s4.s32", SHORT, D_INTEGERS, IN_SHORT)
INSTRUCTION(S4K128, 0, "m16n8k128.row.col.s32.s4.s4.s32", LONG, D_INTEGERS, IN_LONG)
INSTRUCTION(E4m3K64, 0, "m16n8k64.row.col.f32.e4m3.e4m3.f32", LONG, D_FLOATS, IN_LONG)

/// The numbers 0 … 4 as bits of the kind's type.
__device__ uint32_t encoded(Kind kind, int value) {
  constexpr uint32_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48};
  if (kind == E4m3K64)
    return e4m3[value];
  if (traitsOf(kind).integer)
    return value;
  return traitsOf(kind).bits == 16 ? __half_as_ushort(__float2half(value)) : __float_as_uint(value);
}

/// out[lane][nibble][row][column 0 or 1]
template <Kind kind, int selector> __global__ void probe(uint32_t *out) {
  constexpr Traits traits = traitsOf(kind);
  constexpr int perRegister = 32 / traits.bits;
  int lane = threadIdx.x, thread = lane % 4, group = lane / 4;
  uint32_t a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
  for (int r = 0; r < 4; ++r)
    for (int p = 0; p < perRegister; ++p) {
      a[r] |= encoded(kind, 1) << (p * traits.bits);
      int k = thread * perRegister + p + 4 * perRegister * r, chunk = k / traits.chunk;
      // Column 0 names the chunk's number modulo four, column 1 the rest.
      if (k < traits.k && k % traits.chunk >= traits.chunk / 2 && group < 2)
        b[r] |= encoded(kind, group == 0 ? chunk % 4 + 1 : chunk / 4 + 1) << (p * traits.bits);
    }
  for (int changed = 0; changed < 32; ++changed)
    for (int nibble = 0; nibble < 8; ++nibble) {
      uint32_t d[4] = {0, 0, 0, 0}, e = 0x44444444u;
      if (lane == changed)
        e |= 0xEu << (4 * nibble);
      multiply<kind, selector>(a, b, d, e);
      for (int i = 0; i < 4; ++i)
        if (thread == 0)
          out[((changed * 8 + nibble) * 16 + group + 8 * (i / 2)) * 2 + i % 2] = d[i];
    }
}

struct Place {
  int row = -1, chunk = -1; // -1: the bits have no effect
};

Place expected(Kind kind, int selector, int lane, int nibble) {
  int group = lane / 4, thread = lane % 4;
  Traits traits = traitsOf(kind);
  bool oneLane = kind == F16K16 || kind == Tf32K8, halves = kind == F16K32 || kind == Tf32K16;
  bool pair = traits.k / traits.chunk == 8 && !halves;
  if (oneLane)
    return thread == selector ? Place{group + nibble / 4 * 8, nibble % 4} : Place{};
  if (halves)
    return thread / 2 == selector ? Place{group + nibble / 4 * 8, thread % 2 * 4 + nibble % 4} : Place{};
  if (pair)
    return thread / 2 == selector ? Place{group + thread % 2 * 8, nibble} : Place{};
  return {group + thread % 2 * 8, thread / 2 * 8 + nibble};
}

template <Kind kind, int selector> bool check() {
  constexpr Traits traits = traitsOf(kind);
  static uint32_t found[32 * 8 * 32];
  uint32_t *out = nullptr;
  cudaMalloc(&out, sizeof found);
  probe<kind, selector><<<1, 32>>>(out);
  cudaError_t problem = cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  cudaFree(out);
  int wrong = problem != cudaSuccess, perChunk = traits.chunk / 2;
  for (int lane = 0; lane < 32 && !problem; ++lane)
    for (int nibble = 0; nibble < 8; ++nibble) {
      Place place = expected(kind, selector, lane, nibble);
      for (int row = 0; row < 16; ++row) {
        const uint32_t *d = found + ((lane * 8 + nibble) * 16 + row) * 2;
        bool changes = row == place.row;
        wrong += d[0] != (changes ? uint32_t(perChunk * (place.chunk % 4 + 1)) : 0) ||
                 d[1] != (changes ? uint32_t(perChunk * (place.chunk / 4 + 1)) : 0);
      }
    }
  std::printf("%s selector %d: %s\n", traits.name, selector,
              problem ? cudaGetErrorString(problem)
              : wrong ? "differs"
                      : "as expected");
  return wrong == 0;
}

int main() {
  bool good = check<F16K16, 0>() & check<F16K16, 3>() & check<F16K32, 0>() & check<F16K32, 1>() & check<Tf32K8, 0>() &
              check<Tf32K8, 2>() & check<Tf32K16, 0>() & check<Tf32K16, 1>() & check<S8K32, 0>() & check<S8K32, 1>() &
              check<S8K64, 0>() & check<S4K64, 0>() & check<S4K64, 1>() & check<S4K128, 0>() & check<E4m3K64, 0>();
  return good ? 0 : 1;
}
