// tcgen05.ld and .st: the cells that registers are loaded from and stored to, packing, reductions; waiting allocations.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/machine/TmemMove.h"
#include "layouts/fragments/Atom.h"

namespace lanescope::core::test {
namespace {

using emulator::TensorAddress;
using emulator::TmemMove;
using emulator::TmemShape;

struct Shape {
  const char *name;
  TmemShape shape;
};
constexpr Shape kShapes[] = {{"32x32b", TmemShape::L32x32b},
                             {"16x64b", TmemShape::L16x64b},
                             {"16x128b", TmemShape::L16x128b},
                             {"16x256b", TmemShape::L16x256b},
                             {"16x32bx2", TmemShape::L16x32bx2}};

TmemMove moveOf(const Shape &shape, uint32_t repeat, bool packs) {
  TmemMove move;
  move.shape = shape.shape;
  move.registers = move.unit() * repeat;
  move.packs = packs;
  if (shape.shape == TmemShape::L16x32bx2)
    move.splitOffset = move.columns(); // as layouts/fragments draws the two parts of the access
  return move;
}

TEST(TensorMemory, CellsAreThoseThatLayoutsDraw) {
  for (const Shape &shape : kShapes)
    for (uint32_t repeat : {1u, 2u, 4u, 8u, 32u})
      for (bool packs : {false, true}) {
        std::string name =
            std::string("tcgen05.ld.") + shape.name + ".x" + std::to_string(repeat) + (packs ? ".pack::16b" : "");
        SCOPED_TRACE(name);
        auto atom = layouts::parseAtom(name);
        ASSERT_TRUE(atom);
        const layouts::Operand &operand = atom->operands.front();
        TmemMove move = moveOf(shape, repeat, packs);
        const layouts::Fragment &registers = operand.fragments[0], &cells = operand.fragments[1];
        ASSERT_EQ(registers.size(1), move.registers);
        std::vector<int32_t> held = registers.elements(operand.shape), lying = cells.elements(operand.shape);
        int64_t positions = registers.size(2), columns = cells.size(1);
        for (uint32_t thread = 0; thread < 128; ++thread)
          for (uint32_t reg = 0; reg < move.registers; ++reg)
            for (uint32_t position = 0; position < positions; ++position) {
              TensorAddress cell = move.cell(reg, thread % 32);
              size_t lane = thread / 32 * 32 + cell.lane, column = cell.column + position;
              ASSERT_EQ(held[(thread * move.registers + reg) * static_cast<size_t>(positions) + position],
                        lying[lane * static_cast<size_t>(columns) + column])
                  << "thread " << thread << ", register " << reg;
            }
      }
}

/// Writes lane << 8 | column to 32 columns of each warp's own cells, and stores to the output what `body` leaves in
/// %r40 and the following registers.
std::vector<uint32_t> loaded(const std::string &body, uint32_t registers, const std::string &target = "sm_100a") {
  Kernel kernel;
  kernel.target = target;
  kernel.threads = 128;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  std::string values;
  kernel.body = ".reg .b32 %v<32>;\n.reg .b32 %o<64>;\nmov.u32 %r0, %tid.x;\nsetp.lt.u32 %p3, %r0, 32;\n"
                "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], 32;\nbar.sync 0;\n"
                "ld.shared.b32 %r20, [smem];\nshl.b32 %r1, %r0, 8;\n";
  for (int n = 0; n < 32; ++n) {
    kernel.body += "add.u32 %v" + std::to_string(n) + ", %r1, " + std::to_string(n) + ";\n";
    values += (n ? ", %v" : "%v") + std::to_string(n);
  }
  kernel.body += "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r20], {" + values + "};\ntcgen05.wait::st.sync.aligned;\n" +
                 body + "tcgen05.wait::ld.sync.aligned;\nmul.lo.u32 %r3, %r0, " + std::to_string(registers * 4) +
                 ";\ncvt.u64.u32 %d2, %r3;\nadd.s64 %d3, %d51, %d2;\n";
  for (uint32_t n = 0; n < registers; ++n)
    kernel.body += "st.global.b32 [%d3+" + std::to_string(n * 4) + "], %o" + std::to_string(n) + ";\n";
  kernel.body += "bar.sync 0;\n@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 32;\nret;\n";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(4)), u32Array(std::vector<uint32_t>(128 * registers))});
  EXPECT_TRUE(result) << errorText(result.error());
  if (!result)
    return {};
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[1]);
}

std::string list(uint32_t registers) {
  std::string out;
  for (uint32_t n = 0; n < registers; ++n)
    out += (n ? ", %o" : "{%o") + std::to_string(n);
  return out + "}";
}

TEST(TensorMemory, LoadsOfEveryShape) {
  for (const Shape &shape : kShapes)
    for (uint32_t half : {0u, 16u})
      for (bool packs : {false, true}) {
        if (half && shape.shape == TmemShape::L32x32b)
          continue;
        TmemMove move = moveOf(shape, 2, packs);
        uint32_t first = move.columns() < 32 ? 3 : 0; // 32 columns exist
        std::string name =
            std::string("tcgen05.ld.sync.aligned.") + shape.name + ".x2" + (packs ? ".pack::16b" : "") + ".b32 ";
        SCOPED_TRACE(name);
        std::string split = move.splitOffset ? ", " + std::to_string(move.splitOffset) : "";
        auto got = loaded("add.u32 %r21, %r20, " + std::to_string(half << 16 | first) + ";\n" + name +
                              list(move.registers) + ", [%r21]" + split + ";\n",
                          move.registers);
        ASSERT_EQ(got.size(), 128u * move.registers);
        for (uint32_t thread = 0; thread < 128; ++thread)
          for (uint32_t reg = 0; reg < move.registers; ++reg) {
            TensorAddress cell = move.cell(reg, thread % 32);
            uint32_t value = (thread / 32 * 32 + half + cell.lane) << 8 | (cell.column + first);
            if (packs)
              value = (value & 0xFFFF) | (value + 1) << 16;
            ASSERT_EQ(got[thread * move.registers + reg], value) << "thread " << thread << ", register " << reg;
          }
      }
}

TEST(TensorMemory, StoresOfEveryShapeAreWhatLoadsRead) {
  for (const Shape &shape : kShapes)
    for (bool packs : {false, true}) {
      TmemMove move = moveOf(shape, 2, packs);
      std::string head = std::string(shape.name) + ".x2",
                  split = move.splitOffset ? std::to_string(move.splitOffset) : "";
      SCOPED_TRACE(head);
      std::string body;
      for (uint32_t n = 0; n < move.registers; ++n)
        body += "mad.lo.u32 %v" + std::to_string(n) + ", %r0, 65537, " + std::to_string(n * 7) + ";\n";
      std::string values = list(move.registers);
      for (size_t at = 0; (at = values.find("%o", at)) != std::string::npos;)
        values[at + 1] = 'v';
      body += "tcgen05.st.sync.aligned." + head + (packs ? ".unpack::16b" : "") + ".b32 [%r20]" +
              (split.empty() ? "" : ", " + split) + ", " + values + ";\ntcgen05.wait::st.sync.aligned;\n";
      body += "tcgen05.ld.sync.aligned." + head + (packs ? ".pack::16b" : "") + ".b32 " + list(move.registers) +
              ", [%r20]" + (split.empty() ? "" : ", " + split) + ";\n";
      auto got = loaded(body, move.registers);
      ASSERT_EQ(got.size(), 128u * move.registers);
      for (uint32_t thread = 0; thread < 128; ++thread)
        for (uint32_t reg = 0; reg < move.registers; ++reg)
          ASSERT_EQ(got[thread * move.registers + reg], thread * 65537 + reg * 7);
    }
}

TEST(TensorMemory, LoadsThatReduce) {
  // Columns 0 to 3 hold lane * 256 + 0 … 3; the other values are derived from them.
  auto reduced = [](const std::string &op) {
    return loaded(
        "mov.b32 %v0, 0x80000000;\nmov.b32 %v1, 0x3F800000;\nmov.b32 %v2, 0xC0000000;\nmov.b32 %v3, 0x7FC00001;\n"
        "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r20], {%v0, %v1, %v2, %v3};\ntcgen05.wait::st.sync.aligned;\n"
        "tcgen05.ld.red.sync.aligned.32x32b.x4." +
            op + " {%o1, %o2, %o3, %o4}, %o0, [%r20];\n",
        5, "sm_103a");
  };
  struct Case {
    const char *op;
    uint32_t value;
  };
  // -0, 1, -2, NaN
  for (const Case &c : {Case{"max.f32", 0x3F800000},
                        {"min.f32", 0xC0000000},
                        {"max.abs.f32", 0x40000000},
                        {"min.abs.f32", 0},
                        {"max.NaN.f32", 0x7FFFFFFF},
                        {"max.s32", 0x7FC00001},
                        {"min.s32", 0x80000000},
                        {"u32.max", 0xC0000000},
                        {"min.u32", 0x3F800000}}) {
    auto got = reduced(c.op);
    ASSERT_EQ(got.size(), 640u);
    for (uint32_t thread = 0; thread < 128; ++thread) {
      ASSERT_EQ(got[thread * 5], c.value) << c.op;
      ASSERT_EQ(got[thread * 5 + 3], 0xC0000000) << c.op;
    }
  }
}

TEST(TensorMemory, AllocationWaitsForWhatIsGivenBack) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.threads = 64;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  // Warp 0 allocates all columns and frees them after a while; then warp 1's allocation succeeds.
  kernel.body = R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p3, %r0, 32;
  @!%p3 bra SECOND;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], 512;
  ld.shared.b32 %r20, [smem];
  bar.sync 0;
  nanosleep.u32 3000;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 512;
  ret;
SECOND:
  bar.sync 0;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+4], 256;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+8], 64;
  ld.shared.b32 %r20, [smem+4];
  ld.shared.b32 %r21, [smem+8];
  st.global.b32 [%d51], %r20;
  st.global.b32 [%d51+4], %r21;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r21, 64;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 256;
  ret;
)";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(4)), u32Array(std::vector<uint32_t>(2))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{0, 256}));
}

/// Kernels for pairs clear bit 24 of their own addresses to name the even block's memory, as CUTLASS does.
TEST(TensorMemory, OnesOwnAddressWithABitClearedIsTheEvenBlocks) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.blocks = 2;
  kernel.cluster = {2, 1, 1};
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = R"(
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  mov.u32 %r2, %cluster_ctarank;
  setp.eq.u32 %p2, %r2, 0;
  mov.u32 %r1, smem;
  and.b32 %r3, %r1, 0xFEFFFFFF;
  @%p1 mbarrier.init.shared.b64 [%r1], 2;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
  mul.lo.u32 %r4, %r0, 4;
  @!%p2 bra OWN;
W: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
  @!%p3 bra.uni W;
OWN:
  @%p1 st.shared.b32 [%r1+16], %r2;
  @%p1 ld.shared.b32 %r5, [smem+16];
  cvt.u64.u32 %d1, %r2;
  shl.b64 %d1, %d1, 2;
  add.s64 %d2, %d51, %d1;
  @%p1 st.global.b32 [%d2], %r5;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
  ret;
)";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(4)), u32Array(std::vector<uint32_t>(2, 9))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{0, 1}));
}

} // namespace
} // namespace lanescope::core::test
