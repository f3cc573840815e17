// TMA and bulk copies: swizzled images against images read from a GPU, out-of-bounds tiles, groups, and the need to
// wait.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/machine/TensorMap.h"

#include <nlohmann/json.hpp>
#include <numeric>

namespace lanescope::core::test {
namespace {

const char *const kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n";

/// Copies a tile in through descriptor 0, its raw bytes out with plain stores, and the tile out through descriptor 1.
/// `told` is the byte count that the mbarrier expects, if it differs from `bytes`; then nothing leaves through TMA.
std::string copyKernel(int rank, uint32_t bytes, const std::string &coordinates = "", uint32_t told = 0) {
  std::string n = std::to_string(rank), size = std::to_string(bytes), at = coordinates;
  if (at.empty())
    for (int d = 0; d < rank; ++d)
      at += d ? ", 0" : "0";
  std::string barrier = "[smem+" + std::to_string(bytes) + "]";
  return std::string(kHeader) + R"(
.visible .entry k(.param .u64 p0, .param .align 64 .b8 maps[256])
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d0, [p0];
  mov.b64 %d1, maps;
  cvta.param.u64 %d1, %d1;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 mbarrier.init.shared::cta.b64 )" +
         barrier + R"(, 1;
  fence.mbarrier_init.release.cluster;
  bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, )" +
         barrier + ", " + (told ? std::to_string(told) : size) + R"(;
  @%p1 cp.async.bulk.tensor.)" +
         n + R"(d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%d1, {)" + at + "}], " + barrier +
         R"(;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, )" +
         barrier + R"(, 0;
  @!%p2 bra.uni WAIT;
)" +
         (told ? ""
               : "  @%p1 cp.async.bulk.tensor." + n + "d.global.shared::cta.tile.bulk_group [%d1+128, {" + at +
                     "}], [smem];") +
         R"(
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  mov.b64 %d3, smem;
  cvt.u64.u32 %d4, %r0;
  mov.u32 %r1, %r0;
COPY:
  setp.ge.u32 %p3, %r1, )" +
         size + R"(;
  @%p3 bra DONE;
  cvt.u64.u32 %d4, %r1;
  add.s64 %d5, %d3, %d4;
  ld.shared.u8 %r2, [%d5];
  add.s64 %d6, %d0, %d4;
  st.global.b8 [%d6], %r2;
  add.u32 %r1, %r1, 32;
  bra COPY;
DONE:
  ret;
}
)";
}

struct Tile {
  Shape sizes, stridesBytes, box;
  int swizzle = 0;
};

/// `outSizes` are the sizes of the destination array, if they differ from the source array's.
Result<RunResult> copyTile(const Array &input, const Tile &tile, const std::string &coordinates = "", bool back = true,
                           const Shape &outSizes = {}) {
  auto bytes = static_cast<uint32_t>(layouts::elementCount(tile.box) * layouts::hostBytes(input.dtype));
  Launch launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.dynamicSmem = bytes + 8;
  BufferSpec raw, array;
  raw.dtype = Dtype::U8;
  raw.shape = {bytes};
  array.dtype = input.dtype;
  array.shape = input.shape;
  BytesParam block;
  block.size = 256;
  block.buffers = {array, array};
  for (uint32_t n = 0; n < 2; ++n) {
    TensorMapSpec map;
    map.offset = 128 * n;
    map.buffer = n;
    map.dtype = input.dtype;
    map.shape = n == 1 && !outSizes.empty() ? outSizes : tile.sizes;
    map.stridesBytes = tile.stridesBytes;
    map.box = tile.box;
    map.swizzle = tile.swizzle;
    block.tensorMaps.push_back(map);
  }
  launch.params = {BufferParam{raw}, block};
  std::vector<Array> arrays{Array::zeros(Dtype::U8, raw.shape), input, Array::zeros(input.dtype, input.shape)};
  std::string ptx = copyKernel(static_cast<int>(tile.box.size()), bytes, coordinates, back ? 0 : bytes);
  return emulate(Source::make("k.ptx", ptx), launch, arrays, {});
}

TEST(TensorCopy, SharedMemoryImagesAreTheGpus) {
  auto compressed =
      core::readFile(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/layouts.json.gz", core::FileRole::Json);
  ASSERT_TRUE(compressed);
  std::string_view packed(reinterpret_cast<const char *>(compressed->data()), compressed->size());
  auto text = gunzip(packed, "layouts.json.gz", 1u << 30);
  ASSERT_TRUE(text);
  auto golden = nlohmann::json::parse(*text, nullptr, false);
  ASSERT_EQ(golden["smem"].size(), 20u);
  for (const auto &entry : golden["smem"]) {
    int64_t bytes = entry["bytes"], rows = entry["shape"][0], columns = entry["shape"][1];
    int64_t tileRows = entry["tiling"][0], tileColumns = entry["tiling"][1];
    Array input = Array::zeros(bytes == 1 ? Dtype::U8 : bytes == 2 ? Dtype::U16 : Dtype::U32, {rows, columns});
    for (int64_t i = 0; i < input.size(); ++i)
      input.setInteger(i, i);
    Tile tile;
    tile.box = tile.sizes = {rows / tileRows, columns / tileColumns, tileRows, tileColumns};
    tile.stridesBytes = {tileRows * columns * bytes, tileColumns * bytes, columns * bytes};
    if (entry["transpose"]) {
      std::swap(tile.sizes[0], tile.sizes[1]);
      std::swap(tile.stridesBytes[0], tile.stridesBytes[1]);
      tile.box = tile.sizes;
    }
    tile.swizzle = entry["swizzle"].is_null() ? 0 : entry["swizzle"].get<int>();
    auto result = copyTile(input, tile);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    Array image = input;
    image.bytes = result->outputs[0].bytes;
    for (int64_t k = 0; k < input.size(); ++k)
      ASSERT_EQ(image.integer(k), entry["image"][k].get<int64_t>() & ((int64_t(1) << (8 * bytes)) - 1))
          << entry["shape"] << entry["tiling"] << entry["swizzle"] << " offset " << k;
    EXPECT_EQ(result->outputs[2].bytes, input.bytes); // the tile went back unchanged
  }
}

TEST(TensorCopy, ALoadOfTf32RoundsToNearestEven) {
  // An H200's results, with and without a swizzle.
  const std::pair<uint32_t, uint32_t> kRounded[] = {
      {0x3F800000, 0x3F800000}, {0x3F800FFF, 0x3F800000}, {0x3F801000, 0x3F800000}, {0x3F801001, 0x3F802000},
      {0x3F803000, 0x3F804000}, {0xBF803000, 0xBF804000}, {0x3FFFF000, 0x40000000}, {0x7F7FEFFF, 0x7F7FE000},
      {0x7F7FF000, 0x7F800000}, {0xFF7FF001, 0xFF800000}, {0x7F800000, 0x7F800000}, {0x7F800001, 0x7FFFE000},
      {0xFFC00000, 0x7FFFE000}, {0x00001000, 0x00000000}, {0x80001001, 0x80002000}, {0x007FF000, 0x00800000}};
  Array input = Array::zeros(Dtype::TF32, {16, 32});
  std::vector<uint32_t> wanted(512);
  for (size_t n = 0; n < 512; ++n) {
    std::memcpy(input.bytes.data() + 4 * n, &kRounded[n % 16].first, 4);
    wanted[n] = kRounded[n % 16].second;
  }
  for (int swizzle : {0, 128}) {
    auto result = copyTile(input, {{16, 32}, {128}, {16, 32}, swizzle});
    ASSERT_TRUE(result) << render(result.error());
    std::vector<uint32_t> out(512);
    std::memcpy(out.data(), result->outputs[2].bytes.data(), 2048);
    EXPECT_EQ(out, wanted) << swizzle;
  }
}

TEST(TensorCopy, OutsideIsZeroAndIsNotWritten) {
  Array input = Array::zeros(Dtype::I32, {6, 12});
  for (int64_t i = 0; i < input.size(); ++i)
    input.setInteger(i, i + 1);
  Tile tile{{6, 12}, {48}, {4, 8}, 32};
  auto sum = [](const Array &bytes) {
    Array image = Array::zeros(Dtype::I32, {32});
    image.bytes = bytes.bytes;
    int64_t sum = 0;
    for (int64_t k = 0; k < 32; ++k)
      sum += image.integer(k);
    return sum;
  };
  auto behind = copyTile(input, tile, "8, 4"); // columns 8…15 of 12, rows 4…7 of 6
  ASSERT_TRUE(behind) << errorText(behind.error());
  ASSERT_TRUE(behind->diagnostics.empty()) << errorText(behind->diagnostics);
  for (int64_t r = 0; r < 6; ++r)
    for (int64_t c = 0; c < 12; ++c)
      EXPECT_EQ(behind->outputs[2].integer(r * 12 + c), r >= 4 && c >= 8 ? r * 12 + c + 1 : 0);
  EXPECT_EQ(sum(behind->outputs[0]), 57 + 58 + 59 + 60 + 69 + 70 + 71 + 72);
  auto before = copyTile(input, tile, "8, -2", false); // rows -2…1
  ASSERT_TRUE(before) << errorText(before.error());
  ASSERT_TRUE(before->diagnostics.empty()) << errorText(before->diagnostics);
  EXPECT_EQ(sum(before->outputs[0]), 9 + 10 + 11 + 12 + 21 + 22 + 23 + 24);
}

/// Read from an H200: for rows of 55 u16, 23 i32 or 119 u8 a store writes 56, 24 and 128 elements. It writes nothing
/// after a row that ends a buffer.
TEST(TensorCopy, StoresFillTheLast16BytesOfARow) {
  for (auto [dtype, inner, written] : {std::tuple(Dtype::U16, 55, 56), std::tuple(Dtype::I32, 23, 24),
                                       std::tuple(Dtype::U8, 119, 128), std::tuple(Dtype::U8, 112, 112)}) {
    int64_t bytes = layouts::hostBytes(dtype), width = 256 / bytes, box = 128 / bytes;
    Array input = Array::zeros(dtype, {12, width});
    for (int64_t i = 0; i < input.size(); ++i)
      input.setInteger(i, i % 250 + 1);
    auto result = copyTile(input, {{12, width}, {256}, {8, box}}, "0, 0", true, {12, inner});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_EQ(result->diagnostics.size(), inner == written ? 0u : 1u) << errorText(result->diagnostics);
    for (const Diagnostic &found : result->diagnostics) {
      EXPECT_EQ(found.kind, "row-end");
      EXPECT_EQ(found.severity, Severity::Note);
    }
    for (int64_t i = 0; i < input.size(); ++i)
      ASSERT_EQ(result->outputs[2].integer(i), i / width < 8 && i % width < written ? input.integer(i) : 0) << i;
  }
  Array exact = Array::zeros(Dtype::U16, {8 * 56 - 1}); // the last row has 55
  for (int64_t i = 0; i < exact.size(); ++i)
    exact.setInteger(i, i + 1);
  auto result = copyTile(exact, {{8, 55}, {112}, {8, 56}});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (int64_t i = 0; i < exact.size(); ++i)
    ASSERT_EQ(result->outputs[2].integer(i), i % 56 < 55 ? i + 1 : 0) << i;
}

/// An H200 raises "illegal instruction" with 1 to 5 dimensions, for any type and swizzle, for copies and for
/// reductions.
TEST(TensorCopy, ToGlobalMemoryItBeginsInTheArray) {
  Array input = Array::zeros(Dtype::I32, {6, 12});
  Tile tile{{6, 12}, {48}, {4, 8}, 32};
  for (const auto &[coordinates, problem] : {std::pair{"0, -1", "coordinate 1 of this copy to global memory is -1"},
                                             std::pair{"-4, 0", "coordinate 0 of this copy to global memory is -4"}}) {
    auto result = copyTile(input, tile, coordinates);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(mentions(result->diagnostics, problem)) << errorText(result->diagnostics);
  }
}

TEST(TensorCopy, OneToFiveDimensions) {
  for (size_t rank = 1; rank <= 5; ++rank) {
    Tile tile;
    for (size_t n = 0; n < rank; ++n) {
      tile.sizes.push_back(n + 1 == rank ? 8 : 3);
      tile.box.push_back(n + 1 == rank ? 4 : 2);
    }
    Array input = Array::zeros(Dtype::F32, tile.sizes);
    int64_t stride = 32;
    for (size_t n = rank - 1; n-- > 0;) {
      tile.stridesBytes.insert(tile.stridesBytes.begin(), stride);
      stride *= tile.sizes[n];
    }
    for (int64_t i = 0; i < input.size(); ++i)
      input.setNumber(i, static_cast<double>(i));
    auto result = copyTile(input, tile);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (int64_t i = 0; i < input.size(); ++i) {
      bool inside = i % 8 < 4;
      for (int64_t rest = i / 8, n = 1; n < static_cast<int64_t>(rank); ++n, rest /= 3)
        inside &= rest % 3 < 2;
      EXPECT_EQ(result->outputs[2].number(i), inside ? static_cast<double>(i) : 0.0) << rank << " " << i;
    }
  }
}

Kernel bulkKernel(const std::string &body) {
  Kernel kernel;
  kernel.threads = 32;
  kernel.dynamicSmem = 2048;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0;
    mul.wide.u32 %d0, %r0, 4;
    mov.b64 %d1, smem;
    add.s64 %d2, %d1, %d0;
    add.s64 %d3, %d51, %d0;
    @%p1 mbarrier.init.shared.b64 [smem+1024], 1;
    bar.sync 0;
  )" + body + "\nret;";
  return kernel;
}

std::vector<uint32_t> counted() {
  std::vector<uint32_t> out(32);
  std::iota(out.begin(), out.end(), 100u);
  return out;
}

const char *const kStart = R"(
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+1024], 128;
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, [smem+1024];
)";
const char *const kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+1024], 0;\n@!%p2 bra.uni W;\n";
const char *const kOut = "ld.shared.b32 %r1, [%d2];\nst.global.b32 [%d3], %r1;\n";

TEST(BulkCopy, ArrivesOnlyAfterTheWait) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    auto good = run(bulkKernel(std::string(kStart) + kWait + kOut),
                    {u32Array(counted()), u32Array(std::vector<uint32_t>(32))}, options);
    ASSERT_TRUE(good) << errorText(good.error());
    EXPECT_TRUE(good->diagnostics.empty()) << errorText(good->diagnostics);
    EXPECT_EQ(words(good->outputs[1]), counted());
    auto hasty = run(bulkKernel(std::string(kStart) + kOut), {u32Array(counted()), u32Array(std::vector<uint32_t>(32))},
                     options);
    ASSERT_TRUE(hasty) << errorText(hasty.error());
    EXPECT_EQ(words(hasty->outputs[1]), std::vector<uint32_t>(32, 0));
  }
}

TEST(BulkCopy, StoresReadLateAndGroupsWait) {
  const std::string store =
      "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 128;\ncp.async.bulk.commit_group;\n";
  const std::string reuse = "st.shared.b32 [%d2], 7;\n";
  std::vector<uint32_t> expected(32);
  std::iota(expected.begin(), expected.end(), 0u);
  auto arrays = [] { return std::vector<Array>{u32Array(counted()), u32Array(std::vector<uint32_t>(32))}; };
  auto waited = run(bulkKernel(store + "cp.async.bulk.wait_group.read 0;\n" + reuse), arrays());
  ASSERT_TRUE(waited) << errorText(waited.error());
  EXPECT_TRUE(waited->diagnostics.empty()) << errorText(waited->diagnostics);
  EXPECT_EQ(words(waited->outputs[1]), expected);
  // Without the wait, the copy would read the buffer's next contents.
  auto early = run(bulkKernel(store + reuse), arrays());
  ASSERT_TRUE(early);
  ASSERT_EQ(early->diagnostics.size(), 1u);
  EXPECT_EQ(early->diagnostics[0].kind, "overwritten-in-flight");
  // The block ends before the copy.
  auto unfinished = run(bulkKernel(store), arrays());
  ASSERT_TRUE(unfinished);
  ASSERT_EQ(unfinished->diagnostics.size(), 1u);
  EXPECT_EQ(unfinished->diagnostics[0].kind, "unfinished-copy");
  // One group may stay in flight.
  std::string again = store.substr(store.find("@%p1"));
  again.replace(again.find("[%d51]"), 6, "[%d51+128]");
  auto two = run(bulkKernel(store + again + "cp.async.bulk.wait_group 1;\ncp.async.bulk.wait_group 0;\n"),
                 {u32Array(counted()), u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->diagnostics.empty()) << errorText(two->diagnostics);
}

TEST(BulkCopy, ReducesIntoGlobalMemory) {
  auto result = run(bulkKernel("st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                               "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d51], [smem], 128;\n"
                               "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"),
                    {u32Array(counted()), u32Array(std::vector<uint32_t>(32, 1000))});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[1])[31], 1031u);
}

/// Triton's kernels reduce twice to one place; the second reduction comes after a wait for the source of the first.
TEST(BulkCopy, OfOneThreadFollowOneAnotherBehindAWaitForTheSource) {
  const std::string reduce = "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.",
                    tail = ".u32 [%d51], [smem], 128;\n"
                           "cp.async.bulk.commit_group;\n";
  for (uint64_t seed = 0; seed < 16; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(bulkKernel("st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" + reduce +
                                 "add" + tail + "cp.async.bulk.wait_group.read 0;\n" + reduce + "max" + tail +
                                 "cp.async.bulk.wait_group 0;\n"),
                      {u32Array(counted()), u32Array(std::vector<uint32_t>(32, 10))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    for (uint32_t n = 0; n < 32; ++n)
      ASSERT_EQ(words(result->outputs[1])[n], n + 10) << seed;
  }
}

/// As in epilogues of CUTLASS and ThunderKittens: each lane issues the store of the warp's tile.
TEST(BulkCopy, EachLaneMayIssueTheStore) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(bulkKernel("st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                                 "cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 128;\n"
                                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"),
                      {u32Array(counted()), u32Array(std::vector<uint32_t>(32))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (uint32_t n = 0; n < 32; ++n)
      ASSERT_EQ(words(result->outputs[1])[n], n);
  }
}

TEST(CpAsync, GroupsAndMbarrier) {
  const std::string copy = "add.s64 %d5, %d50, %d0;\ncp.async.ca.shared.global [%d2], [%d5], 4;\n";
  auto arrays = [] { return std::vector<Array>{u32Array(counted()), u32Array(std::vector<uint32_t>(32))}; };
  auto grouped = run(bulkKernel(copy + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + kOut), arrays());
  ASSERT_TRUE(grouped) << errorText(grouped.error());
  EXPECT_EQ(words(grouped->outputs[1]), counted());
  auto all = run(bulkKernel(copy + "cp.async.wait_all;\n" + kOut), arrays());
  ASSERT_TRUE(all) << errorText(all.error());
  EXPECT_EQ(words(all->outputs[1]), counted());
  auto signalled =
      run(bulkKernel(copy +
                     "@%p1 mbarrier.inval.shared.b64 [smem+1024];\n@%p1 mbarrier.init.shared.b64 [smem+1024], 32;\n"
                     "bar.sync 0;\ncp.async.mbarrier.arrive.noinc.shared.b64 [smem+1024];\n" +
                     kWait + kOut),
          arrays());
  ASSERT_TRUE(signalled) << errorText(signalled.error());
  EXPECT_TRUE(signalled->diagnostics.empty()) << errorText(signalled->diagnostics);
  EXPECT_EQ(words(signalled->outputs[1]), counted());
}

TEST(BulkCopy, MistakesAreReported) {
  struct Case {
    std::string body;
    const char *kind;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 100, [smem+1024];",
            "bulk-copy"},
           {"@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem+8], [%d50], 64, [smem+1024];",
            "misaligned-access"},
           {"@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 256, [smem+1024];",
            "global-out-of-bounds"},
           {"@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, [smem+1032];",
            "mbarrier"},
           {"@%p1 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50, {0}], "
            "[smem+1024];",
            "tensor-map"},
       }) {
    auto result = run(bulkKernel(c.body), {u32Array(counted()), u32Array(counted())});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty()) << c.body;
    EXPECT_EQ(result->diagnostics[0].kind, c.kind) << errorText(result->diagnostics);
  }
}

/// Elements of 4 and 6 bits come in groups of sixteen. They leave gaps in shared memory that the copy does not write,
/// and are swizzled like other elements. The mbarrier counts the copied bytes without the gaps (PTX ISA, "Sub-byte
/// types").
TEST(TensorCopy, NarrowElementsLeaveGaps) {
  struct Case {
    TmaFormat format;
    uint32_t rowBytes, sixteen; // bytes in global memory
    int swizzle;
  };
  constexpr uint32_t kRows = 16, kWidth = 128;
  for (auto [format, rowBytes, sixteen, swizzle] :
       {Case{TmaFormat::B4x16P64, 64, 8, 128}, {TmaFormat::B4x16P64, 64, 8, 0}, {TmaFormat::B6x16P32, 96, 12, 128}}) {
    SCOPED_TRACE(std::string(name(format)));
    Array input = Array::zeros(Dtype::U8, {kRows, 2 * rowBytes});
    for (size_t n = 0; n < input.bytes.size(); ++n)
      input.bytes[n] = static_cast<std::byte>(n * 37 % 251 + 1);
    Launch launch;
    launch.entry = "k";
    launch.block = {32, 1, 1};
    uint32_t bytes = kRows * kWidth;
    launch.dynamicSmem = bytes + 8;
    BufferSpec raw, array;
    raw.dtype = array.dtype = Dtype::U8;
    raw.shape = {bytes};
    array.shape = input.shape;
    BytesParam block;
    block.size = 256;
    block.buffers = {array};
    block.tensorMaps.push_back({.dtype = Dtype::U8,
                                .shape = {kRows, 2 * kWidth},
                                .stridesBytes = {2 * rowBytes},
                                .box = {kRows, kWidth},
                                .swizzle = swizzle,
                                .format = format});
    launch.params = {BufferParam{raw}, block};
    std::vector<Array> arrays{Array::zeros(Dtype::U8, raw.shape), input};
    auto result = emulate(Source::make("k.ptx", copyKernel(2, bytes, "128, 0", kRows * rowBytes)), launch, arrays, {});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::span<const std::byte> got = result->outputs[0].bytes;
    for (uint32_t row = 0; row < kRows; ++row)
      for (uint32_t chunk = 0; chunk < kWidth / 16; ++chunk)
        for (uint32_t byte = 0; byte < 16; ++byte) {
          uint32_t at = row * kWidth + (swizzle ? (chunk ^ row % 8) : chunk) * 16 + byte;
          std::byte want =
              byte < sixteen ? input.bytes[row * 2 * rowBytes + rowBytes + chunk * sixteen + byte] : std::byte{0};
          ASSERT_EQ(got[at], want) << row << " " << chunk << " " << byte;
        }
    auto odd = emulate(Source::make("k.ptx", copyKernel(2, bytes, "64, 0", kRows * rowBytes)), launch, arrays, {});
    ASSERT_TRUE(odd);
    EXPECT_EQ(odd->diagnostics.at(0).kind, "misaligned-access");
  }
}

} // namespace
} // namespace lanescope::core::test
