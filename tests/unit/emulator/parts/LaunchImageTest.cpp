// The parts of a launch description (docs/launch.md): module variables, pointers into and inside buffers, bytes,
// descriptors with wide swizzle atoms, and cooperative launches.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

Result<RunResult> launch(const std::string &json, const std::string &ptx, std::vector<Array> arrays) {
  auto parsed = parseLaunch(Source::make("launch.json", json));
  if (!parsed)
    return std::unexpected(parsed.error());
  auto again = parseLaunch(Source::make("again.json", toJson(*parsed))); // the written description reads back equal
  EXPECT_TRUE(again) << errorText(again ? Diagnostics{} : again.error());
  return emulate(Source::make("k.ptx", ".version 9.0\n.target sm_90a\n.address_size 64\n" + ptx), *again, arrays, {});
}

const char kCopyWord[] = R"(
.visible .entry k(.param .u64 from, .param .u64 to) {
.reg .b64 %a, %b; .reg .b32 %v;
ld.param.u64 %a, [from]; ld.param.u64 %b, [to];
ld.global.u32 %v, [%a]; st.global.u32 [%b], %v; ret; }
)";

TEST(LaunchImage, PointersIntoOtherParametersBuffers) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "params": [
    {"kind": "buffer", "dtype": "u32", "shape": [4]}, {"kind": "pointer", "buffer": 0, "at": 12}]})",
                       kCopyWord, {u32Array({7, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[3], 7u);
}

TEST(LaunchImage, ModuleVariablesAndPointersInBuffers) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1],
    "params": [{"kind": "buffer", "dtype": "u64", "shape": [2]}, {"kind": "buffer", "dtype": "u32", "shape": [2]}],
    "variables": [{"variable": "table", "dtype": "u32", "shape": [2], "data": "t.npy"},
                  {"variable": "count", "dtype": "u32", "shape": [1]}],
    "pointers": [{"in": 0, "offset": 8, "buffer": 1, "at": 4}]})",
                       R"(
.const .align 4 .u32 table[4];
.global .u32 count = 5;
.visible .entry k(.param .u64 pointers, .param .u64 out) {
.reg .b64 %a, %b; .reg .b32 %v, %w;
ld.param.u64 %a, [pointers]; ld.global.u64 %b, [%a+8];
ld.const.u32 %v, [table+4]; ld.global.u32 %w, [count];
add.u32 %v, %v, %w; st.global.u32 [%b], %v;
st.global.u32 [count], %v; ret; }
)",
                       {Array::zeros(Dtype::U64, {2}), u32Array({0, 0}), u32Array({1, 20}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{0, 25}));
  // A variable without data keeps its own data, which is read.
  EXPECT_EQ(words(result->outputs[3]), std::vector<uint32_t>{25});
}

TEST(LaunchImage, NumbersInThePtxAreAddressesOfBuffers) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "device": {"multiprocessors": 7},
    "params": [{"kind": "buffer", "dtype": "u32", "shape": [3]}, {"kind": "buffer", "dtype": "u32", "shape": [4]},
               {"kind": "scalar", "dtype": "u32", "value": 3, "name": "step"}],
    "addresses": [{"buffer": 1, "address": "0x7f0a00000000"}]})",
                       R"(
.visible .entry k(.param .u64 out, .param .u64 table, .param .u32 step) {
.reg .b64 %a, %b, %c; .reg .b32 %v, %w;
ld.param.u64 %a, [out]; mov.u64 %b, 139680926400520; ld.global.u32 %v, [%b+-4]; mov.u64 %c, 139680926400528;
mov.u32 %w, %nsmid; st.global.u32 [%a], %v; st.global.u32 [%a+4], %w;
ld.global.u32 %v, [%c+-4]; st.global.u32 [%a+8], %v; ret; }
)",
                       {
                           u32Array({0, 0, 0}),
                           u32Array({1, 2, 3, 4}),
                       });
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{2, 7, 4}));
}

TEST(LaunchImage, MemoryBelongsToNoParameter) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "params": [],
    "memory": [{"dtype": "u32", "shape": [2], "name": "named"}, {"dtype": "u32", "shape": [4]}],
    "variables": [{"variable": "to", "dtype": "u64", "shape": [1]}],
    "pointers": [{"in": 2, "offset": 0, "buffer": 1, "at": 8}],
    "addresses": [{"buffer": 0, "address": "0x7f0a00000000"}]})",
                       R"(
.visible .global .u64 to;
.visible .entry k() {
.reg .b64 %a, %b; .reg .b32 %v;
mov.u64 %a, 139680926400516; ld.global.u32 %v, [%a]; ld.global.u64 %b, [to]; st.global.u32 [%b+4], %v; ret; }
)",
                       {u32Array({5, 6}), u32Array({0, 0, 0, 0}), Array::zeros(Dtype::U64, {1})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{0, 0, 0, 6}));
}

TEST(LaunchImage, SharedVariablesOfOtherKernelsTakeNoMemory) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1],
    "params": [{"kind": "buffer", "dtype": "u32", "shape": [1]}]})",
                       R"(
.shared .align 4 .b8 own[1024]; .shared .align 16 .b8 of_others[300000];
.visible .entry other() { .reg .b32 %v; ld.shared.u32 %v, [of_others]; ret; }
.visible .entry k(.param .u64 out) {
.reg .b64 %a; .reg .b32 %v, %s;
ld.param.u64 %a, [out]; mov.u32 %s, own; mov.u32 %v, 7; st.shared.u32 [%s+1020], %v; ld.shared.u32 %v, [own+1020];
st.global.u32 [%a], %v; ret; }
)",
                       {u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[0], 7u);
}

TEST(LaunchImage, FirstGpusFuseProductsAndSums) {
  auto parsed = parseLaunch(Source::make("launch.json", R"({"entry": "k", "grid": [1], "block": [1],
    "params": [{"kind": "buffer", "dtype": "f32", "shape": [1]}]})"));
  ASSERT_TRUE(parsed);
  std::string ptx = ".version 1.4\n.target sm_10, map_f64_to_f32\n";
  ptx += R"(
.entry k(.param .u64 out) {
.reg .u64 %a; .reg .f32 %x;
ld.param.u64 %a, [out]; ld.global.f32 %x, [%a]; mad.f32 %x, %x, %x, 0fBF800000; st.global.f32 [%a], %x; ret; }
)";
  Array array = Array::zeros(Dtype::F32, {1});
  array.setNumber(0, 1 + 0x1p-12);
  auto result = emulate(Source::make("k.ptx", ptx), *parsed, std::vector{array}, {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(result->outputs[0].number(0), 0x1p-11 + 0x1p-24); // not rounded between product and sum
}

TEST(LaunchImage, AddressesAreHexadecimalAndOfBuffers) {
  for (const char *wrong : {R"({"buffer": 0, "address": "7f0a"})", R"({"buffer": 0, "address": "0x"})",
                            R"({"buffer": 0, "address": "0x12g"})", R"({"buffer": 2, "address": "0x7f0a00000000"})",
                            R"({"buffer": 0, "address": "0x7f00"}, {"buffer": 0, "address": "0x7f04"})",
                            R"({"buffer": 1, "address": "0x7f00"}], "variables": [{"variable": "v", "dtype": "u32",
                               "shape": [1]})"}) {
    auto parsed = parseLaunch(Source::make("launch.json", std::string(R"({"entry": "k", "grid": [1], "block": [1],
    "params": [{"kind": "buffer", "dtype": "u32", "shape": [2]}], "addresses": [)") +
                                                              wrong + "]}"));
    EXPECT_FALSE(parsed) << wrong;
  }
}

TEST(LaunchImage, BytesBeginAsTheLaunchSays) {
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "params": [
    {"kind": "bytes", "size": 24, "hex": "0500", "values": [{"offset": 4, "dtype": "f32", "value": 1.0}],
     "buffers": [{"dtype": "u32", "shape": [3]}], "pointers": [{"offset": 8, "buffer": 0, "at": 4}]}]})",
                       R"(
.visible .entry k(.param .align 8 .b8 p[24]) {
.reg .b64 %a; .reg .b32 %v, %w;
ld.param.u64 %a, [p+8]; ld.param.u32 %v, [p]; ld.param.u32 %w, [p+4];
st.global.v2.u32 [%a+4], {%v, %w}; ret; }
)",
                       {u32Array({0, 0, 0})});
  ASSERT_TRUE(result);
  // The pointer points at byte 4 of the buffer; a pair of words at byte 8 reaches beyond the buffer.
  EXPECT_TRUE(mentions(result->diagnostics, "12 bytes")) << errorText(result->diagnostics);
  result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "params": [
    {"kind": "bytes", "size": 16, "hex": "0500", "values": [{"offset": 4, "dtype": "f32", "value": 1.0}],
     "buffers": [{"dtype": "u32", "shape": [4]}], "pointers": [{"offset": 8, "buffer": 0, "at": 8}]}]})",
                  R"(
.visible .entry k(.param .align 8 .b8 p[16]) {
.reg .b64 %a; .reg .b32 %v, %w;
ld.param.u64 %a, [p+8]; ld.param.u32 %v, [p]; ld.param.u32 %w, [p+4];
st.global.v2.u32 [%a], {%v, %w}; ret; }
)",
                  {u32Array({0, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{0, 0, 5, 0x3F800000}));
}

TEST(LaunchImage, SwizzlesOf32ByteAtoms) {
  std::vector<uint32_t> values(8 * 32);
  for (uint32_t n = 0; n < values.size(); ++n)
    values[n] = n;
  auto result = launch(R"({"entry": "k", "grid": [1,1,1], "block": [32,1,1], "dynamic_smem": 2048, "params": [
    {"kind": "bytes", "size": 128, "buffers": [{"dtype": "u32", "shape": [8, 32]}],
     "tensor_maps": [{"offset": 0, "buffer": 0, "dtype": "u32", "shape": [8, 32], "strides_bytes": [128], "box": [8, 32],
                      "swizzle": 128, "atom": 32}]},
    {"kind": "buffer", "dtype": "u32", "shape": [256]}]})",
                       R"(
.extern .shared .align 1024 .b8 sh[];
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
.reg .b64 %m, %o, %s; .reg .b32 %a, %t, %v, %n, %b; .reg .pred %p, %q;
ld.param.u64 %o, [out];
mov.b64 %m, map; cvta.param.u64 %m, %m;
mov.u32 %a, sh; add.u32 %b, %a, 1024;
mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
@%p mbarrier.init.shared.b64 [%b], 1;
bar.sync 0;
@%p mbarrier.arrive.expect_tx.shared.b64 _, [%b], 1024;
@%p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%a], [%m, {0, 0}], [%b];
W: mbarrier.try_wait.parity.shared.b64 %q, [%b], 0; @!%q bra W;
mov.u32 %n, 0;
L: mad.lo.u32 %v, %n, 32, %t; mul.wide.u32 %s, %v, 4; add.u64 %s, %s, %o;
mad.lo.u32 %v, %v, 4, %a; ld.shared.u32 %v, [%v]; st.global.u32 [%s], %v;
add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 8; @%q bra L; ret; }
)",
                       {u32Array(values), u32Array(std::vector<uint32_t>(256))});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  auto out = words(result->outputs[1]);
  for (uint32_t n = 0; n < 256 && !out.empty(); ++n) // atoms of eight words in row r change places with r % 4
    ASSERT_EQ(out[n], n ^ (n / 32 % 4) << 3) << n;
}

TEST(LaunchImage, NumbersThatDoNotFitAreErrors) {
  std::string begin = R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], )";
  for (auto [rest, word] :
       {std::pair(R"("params": [{"kind": "pointer", "buffer": 3}]})", "buffer 3"),
        std::pair(R"("params": [{"kind": "bytes", "size": 4, "hex": "0x"}]})", "hexadecimal"),
        std::pair(R"("params": [{"kind": "bytes", "size": 4, "values": [{"offset": 2, "dtype": "f32", "value": 1}]}]})",
                  "beyond"),
        std::pair(R"("params": [], "pointers": [{"in": 0, "offset": 3, "buffer": 0}]})", "multiple of 8"),
        std::pair(R"("params": [], "cooperative": 3})", "true or false"),
        std::pair(R"("params": [], "variables": [{"dtype": "u32", "shape": [1]}]})", "variable")}) {
    auto result = parseLaunch(Source::make("launch.json", begin + rest));
    ASSERT_FALSE(result) << rest;
    EXPECT_TRUE(mentions(result.error(), word)) << errorText(result.error());
  }
  auto missing = launch(begin + R"("params": [], "variables": [{"variable": "x", "dtype": "u32", "shape": [1]}]})",
                        ".visible .entry k() { ret; }\n", {u32Array({1})});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(mentions(missing.error(), "no `.global` or `.const` variable `x`"));
}

// Like the grid.sync() of cooperative groups: a counter in the workspace.
TEST(LaunchImage, BlocksOfACooperativeLaunchMeet) {
  auto result = launch(R"({"entry": "k", "grid": [4,1,1], "block": [1,1,1], "cooperative": true,
    "params": [{"kind": "buffer", "dtype": "u32", "shape": [4]}]})",
                       R"(
.visible .entry k(.param .u64 out) {
.reg .b64 %o, %w, %h, %s; .reg .b32 %a, %b, %v; .reg .pred %p;
ld.param.u64 %o, [out];
mov.u32 %a, %envreg1; mov.u32 %b, %envreg2;
cvt.u64.u32 %h, %a; cvt.u64.u32 %w, %b; bfi.b64 %w, %h, %w, 32, 32;
atom.global.add.u32 %v, [%w+4], 1;
W: ld.global.acquire.gpu.u32 %v, [%w+4]; setp.lt.u32 %p, %v, 4; @%p bra W;
mov.u32 %a, %ctaid.x; mul.wide.u32 %s, %a, 4; add.u64 %s, %s, %o; st.global.u32 [%s], %v; ret; }
)",
                       {u32Array({0, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{4, 4, 4, 4}));
}

} // namespace
} // namespace lanescope::core::test
