// Operations that reach all devices at once, on the emulator: signals, stores, copies, atomics, and loads that combine.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

void onLines(const std::string &text, std::initializer_list<int> counts = {1, 2, 4, 8}) {
  for (int devices : counts)
    expectRuns(lanescope::text("devices = ", devices, "\nline = {\"x\": devices}\n", text));
}

TEST(Multimem, Signals) {
  onLines(R"(@kernel(mesh=line, scratch=[Semaphore(count=2)])
def k(out: Out((128,), i32, sharding="x"), s):
  semaphore_signal_multicast(s.at[1], 2, collective_axes="x")
  semaphore_wait(s.at[1], 2 * devices)
  out[...] = 1
assert max_error(k(), full((128 * devices,), 1, i32)) == 0
)");
}

// inventory: MD multimem_store_registers
TEST(Multimem, StoresFromRegisters) {
  for (const char *value : {"layout_cast(x[...], WGMMA)", "x[...]", "full((128, 128), 7, dtype)"})
    for (const char *dtype : {"i32", "f16"})
      onLines(text("dtype = ", dtype, R"(
@kernel(mesh=line, scratch=[Semaphore()])
def k(x: GMEM((128, 128), dtype), out: Out((128, 128), dtype, sharding="x"), s):
  if axis_index("x") == devices - 1:
    multimem_store()",
                   value, R"(, out, "x")
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, devices)
x = (arange(128 * 128).reshape((128, 128)) % 2000).astype(dtype)
wanted = full((128, 128), 7, dtype) if ")",
                   value[0] == 'f' ? "full" : "", R"(" == "full" else x
out = k(x)
for d in range(devices):
  assert max_error(out[128 * d:128 * d + 128], wanted) == 0
)"),
              {1, 2, 4});
}

// inventory: MD multimem_store_tma
TEST(Multimem, StoresByTma) {
  onLines(
      R"(@kernel(mesh=line, scratch=[SMEM((128, 128), i32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128))), Semaphore()])
def k(out: Out((128, 128), i32, sharding="x"), tile, s):
  if axis_index("x") == 0:
    tile[...] = layout_cast(broadcasted_iota(i32, (128, 128), 1), WGMMA)
    commit_smem()
    copy_smem_to_gmem(tile, multicast_ref(out, "x"))
    wait_smem_to_gmem(0)
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, devices)
out = k()
for d in range(devices):
  assert max_error(out[128 * d:128 * d + 128], iota((128, 128), i32) % 128) == 0
)");
}

// inventory: MD multimem_basic, multimem_load_reduce (no types of 8 bits)
TEST(Multimem, LoadsCombine) {
  for (auto [dtype, vector, op, host] :
       {std::tuple("i32", 1, "add", "a + b"), std::tuple("i32", 1, "min", "minimum(a, b)"),
        std::tuple("i32", 1, "max", "maximum(a, b)"), std::tuple("i32", 1, "and", "a & b"),
        std::tuple("i32", 1, "or", "a | b"), std::tuple("i32", 1, "xor", "a ^ b"),
        std::tuple("u32", 2, "max", "maximum(a, b)"), std::tuple("i64", 1, "min", "minimum(a, b)"),
        std::tuple("f32", 1, "add", "a + b"), std::tuple("f32", 2, "add", "a + b"),
        std::tuple("f32", 4, "add", "a + b"), std::tuple("f16", 2, "add", "a + b"),
        std::tuple("f16", 2, "min", "minimum(a, b)"), std::tuple("f16", 4, "max", "maximum(a, b)"),
        std::tuple("f16", 8, "add", "a + b"), std::tuple("bf16", 2, "max", "maximum(a, b)"),
        std::tuple("bf16", 8, "add", "a + b")})
    onLines(text("dtype = ", dtype, R"(
@kernel(mesh=line, scratch=[Semaphore()])
def k(x: GMEM((96, 32), dtype, sharding="x"), out: Out((64, 32), dtype, sharding="x"), s):
  out[...] = layout_cast(multimem_load_reduce(x.at[16:-16], "x", ")",
                 op, R"("), WGStridedFragLayout((64, 32), )", vector, R"())
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, devices)
x = (arange(96 * 32 * devices) * 7919 % 61).reshape((96 * devices, 32)).astype(i32)
x = (x - 30 if dtype != u32 else x).astype(dtype)
out = k(x)
a = x[16:80]
for d in range(1, devices):
  b = x[96 * d + 16:96 * d + 80]
  a = )",
                 host, R"(
for d in range(devices):
  assert max_error(out[64 * d:64 * d + 64], a) == 0
)"),
            {1, 2, 4});
}

// inventory: MD multimem_load_reduce
TEST(Multimem, LoadsCombineEightBits) {
  for (auto [dtype, vector, op] : {std::tuple("f8e5m2", 4, "add"), std::tuple("f8e5m2", 8, "min"),
                                   std::tuple("f8e4m3fn", 4, "min"), std::tuple("f8e4m3fn", 16, "add")}) {
    Snippet done(text("dtype = ", dtype, R"(
@kernel(mesh={"x": 2}, scratch=[Semaphore()])
def k(x: GMEM((64, 32), dtype, sharding="x"), out: Out((64, 32), dtype, sharding="x"), s):
  out[...] = layout_cast(multimem_load_reduce(x, "x", ")",
                      op, R"("), WGStridedFragLayout((64, 32), )", vector, R"())
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, 2)
x = (arange(128 * 32).reshape((128, 32)) * 7 % 9 - 4).astype(f32)
out = k(x.astype(dtype)).astype(f32)
a, b = x[:64], x[64:]
wanted = a + b if ")",
                      op, R"(" == "add" else minimum(a, b)
assert max_error(out[:64], wanted) == 0 and max_error(out[64:], wanted) == 0
)"),
                 {.arch = "sm_100a", .device = "emulator"});
    EXPECT_TRUE(done.ok) << dtype << op << done.errors;
  }
}

// inventory: MD multimem_red
TEST(Multimem, Atomics) {
  for (auto [dtype, vector, op, host] :
       {std::tuple("i32", 1, "add", "a + b"), std::tuple("i32", 1, "min", "minimum(a, b)"),
        std::tuple("i32", 1, "max", "maximum(a, b)"), std::tuple("i32", 1, "and", "a & b"),
        std::tuple("i32", 1, "or", "a | b"), std::tuple("i32", 1, "xor", "a ^ b"), std::tuple("f32", 1, "add", "a + b"),
        std::tuple("f32", 4, "add", "a + b"), std::tuple("f16", 2, "add", "a + b"),
        std::tuple("bf16", 2, "add", "a + b")})
    onLines(text("dtype = ", dtype, R"(
@kernel(mesh=line, scratch=[Semaphore()])
def k(x: GMEM((64, 32), dtype, sharding="x"), out: InOut((64, 32), dtype, sharding="x"), s):
  atomic_)",
                 op, R"((multicast_ref(out, "x"), layout_cast(x[...], WGStridedFragLayout((64, 32), )", vector, R"()))
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, devices)
x = (arange(64 * 32 * devices).reshape((64 * devices, 32)) * 7 % 31).astype(dtype)
y = (arange(64 * 32).reshape((64, 32)) % 13).astype(dtype)
out = k(x, concatenate([y for _ in range(devices)]))
a = y
for d in range(devices):
  b = x[64 * d:64 * d + 64]
  a = )",
                 host, R"(
for d in range(devices):
  assert max_error(out[64 * d:64 * d + 64], a) == 0
)"),
            {1, 2, 4});
}

} // namespace
} // namespace lanescope::repl
