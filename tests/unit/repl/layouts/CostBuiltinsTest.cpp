// conflicts, smem_wavefronts, relayout and coalescing in snippets: their results, printed forms and errors.
#include "tests/unit/repl/Snippets.h"

#include "repl/lang/values/ValueJson.h"
#include "repl/layouts/CostObjects.h"

namespace lanescope::repl {
namespace {

const std::string kSmem = "m = smem_map((64, 32), f32, tiling=(8, 32), swizzle=None)\n";

std::string jsonOf(const std::string &expression) {
  Snippets session;
  std::string out;
  auto done = session.evaluator.run(Source::make("test.py", expression), [&](const Value &value, const Span &) {
    auto json = toJson(value);
    out = json ? *json : render(json.error());
    return Result<void>();
  });
  return done ? out : places(done.error());
}

TEST(CostBuiltins, WavefrontsOfPlainAddresses) {
  EXPECT_EQ(jsonOf("smem_wavefronts('ld.shared.b32', [128 * i for i in range(32)])"),
            R"({"wavefronts":32,"conflicts":31})");
  EXPECT_EQ(run("smem_wavefronts('ld.shared.v2.f32', tuple(8 * (i // 2) for i in range(32)))"),
            "{'wavefronts': 1, 'conflicts': 0}");
  EXPECT_EQ(run("smem_wavefronts('ldmatrix.x1', [128 * i for i in range(32)])"), "{'wavefronts': 8, 'conflicts': 7}");
  EXPECT_EQ(run("smem_wavefronts('st.shared.b32', [None] * 16 + [4 * i for i in range(16)])"),
            "{'wavefronts': 1, 'conflicts': 0}");
}

/// Cycles of AMD's LDS, as `conflicts` counts them: 64 lanes, by the phases of the width.
TEST(CostBuiltins, CyclesOfAmdsLds) {
  auto counted = [](const std::string &op, const std::string &addresses) {
    return run("r = smem_wavefronts('" + op + "', " + addresses + ")\nr['cycles'], r['ideal'], r['conflicts']");
  };
  EXPECT_EQ(counted("ds_read_b64", "[8*l for l in range(64)]"), "(4, 4, 0)");
  EXPECT_EQ(counted("ds_read_b64", "[256*l for l in range(64)]"), "(64, 4, 60)");
  EXPECT_EQ(counted("ds_read_b32", "[4*l for l in range(64)]"), "(2, 2, 0)");
  EXPECT_EQ(counted("ds_read_b32", "[128*l for l in range(64)]"), "(64, 2, 62)");
  EXPECT_EQ(counted("ds_read_b32", "[0]*64"), "(2, 2, 0)");
  EXPECT_EQ(counted("ds_read_b128", "[16*l for l in range(64)]"), "(8, 8, 0)");
  EXPECT_EQ(counted("ds_write_b128", "[16*l for l in range(64)]"), "(8, 8, 0)");
  EXPECT_EQ(counted("ds_write_b32", "[4*l for l in range(32)] + [None]*32"), "(1, 1, 0)");
  EXPECT_EQ(counted("ds_read_u16", "[2*l for l in range(64)]"), "(2, 2, 0)");
  EXPECT_EQ(counted("ds_write_b64", "[8*l for l in range(64)]"), "(4, 4, 0)");
  // The count is that of `conflicts` for the same addresses.
  EXPECT_EQ(
      run("c = conflicts('ds_read_b64', '#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = "
          "[1, 1], instrShape = [16, 16, 16], isTransposed = false}>, kWidth = 4}>', '#ttg.swizzled_shared<{vec = "
          "4, perPhase = 1, maxPhase = 8, order = [1, 0]}>', f16, (16,128))\n"
          "c.per_instruction['cycles'][0], c.per_instruction['ideal'][0]"),
      "(8, 4)");
  EXPECT_EQ(run("smem_wavefronts('ds_read_b64', [0] * 32)"),
            "1:32: `addresses` of `smem_wavefronts`: a wavefront of AMD's has 64 lanes, got 32 addresses");
  EXPECT_EQ(Snippets().kind("smem_wavefronts('ds_read_b64', [4] * 64)"), "smem-alignment");
  EXPECT_EQ(Snippets().kind("smem_wavefronts('ds_read_b65', [4] * 64)"), "lds-op");
}

TEST(CostBuiltins, AddressesThatAreRefused) {
  EXPECT_EQ(run("smem_wavefronts('ld.shared.b32', [0] * 31)"),
            "1:34: `addresses` of `smem_wavefronts`: a warp has 32 lanes, got 31 addresses");
  EXPECT_EQ(run("smem_wavefronts('ld.shared.b32', [0] * 31 + [-4])"),
            "1:34: `addresses` of `smem_wavefronts`: address -4 of lane 31 is not one of shared memory");
  EXPECT_EQ(run("smem_wavefronts('ld.shared.b32', [0] * 31 + [1.5])"),
            "1:34: `addresses` of `smem_wavefronts`: lane 31 must have an int (or None, when it is switched off), not "
            "float");
  EXPECT_EQ(run("smem_wavefronts('ld.shared.b32', [2] * 32)"),
            "1:34: address 2 of lane 0 is not a multiple of the 4 bytes that `ld.shared.b32` needs");
  EXPECT_EQ(Snippets().kind("smem_wavefronts('ld.global.b32', [0] * 32)"), "smem-op");
  EXPECT_EQ(Snippets().kind("smem_wavefronts('ld.shared.b32', 'x')"), "type");
}

TEST(CostBuiltins, Conflicts) {
  Snippets session;
  session.run(kSmem + "r = conflicts('ld.shared.b64', WGMMA, m, f32)");
  EXPECT_EQ(session.run("(r['wavefronts'], r['ideal'], r.conflicts, r.instructions, r.warps)"), "(256, 64, 192, 8, 4)");
  EXPECT_EQ(session.run("r.shown"), "{'instruction': 0, 'warp': 0, 'wavefronts': 8, 'conflicts': 6}");
  EXPECT_EQ(session.run("r.addresses[:6]"), "[0, 8, 16, 24, 128, 136]");
  EXPECT_EQ(session.run("r.registers[1]"), "[2, 3]");
  EXPECT_EQ(session.run("(r.collisions['bank'][:5], r.collisions['lanes'][:5], r.collisions['word'][:5])"),
            "([0, 0, 0, 0, 1], ['0', '4', '8', '12', '0'], [0, 32, 64, 96, 1])");
  EXPECT_EQ(session.run("(len(r), 'plan' in [name for name in r])"), "(14, True)");
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', WGMMA, m, instruction=3, warp=2).addresses[0]"), "5152");
  EXPECT_EQ(
      session.run("r"),
      R"(verdict       4 times as many wavefronts as without bank conflicts: 256 where 64 would do; a 128-byte swizzle leaves 128
access        ld.shared.b64
instructions  8
warps         4
wavefronts    256
ideal         64
conflicts     192
shown         instruction 0, warp 0, wavefronts 8, conflicts 6
per_instruction:
  instruction  wavefronts  ideal  conflicts  worst_warp
  0-7          32          8      24         0
collisions:
  phase  bank  word  lanes
  0      0     0     0
  0      0     32    4
  0      0     64    8
  0      0     96    12
  0      1     1     0
  0      1     33    4
  0      1     65    8
  0      1     97    12
  0      2     2     1
  0      2     34    5
  0      2     66    9
  0      2     98    13
  0      3     3     1
  0      3     35    5
  0      3     67    9
  0      3     99    13
  … 48 more)");
}

TEST(CostBuiltins, PlannedTransfers) {
  Snippets session;
  session.run("w = smem_map((128, 128), f32, tiling=(8, 32), swizzle=128)");
  EXPECT_EQ(session.run("r = conflicts('load', WGMMA, w, f32); (r.plan, r.op, r.conflicts)"),
            "('staggered: +2 of 4 along grid dimension 2, lanes in groups of 2', 'ld.shared.b64', 0)");
  EXPECT_EQ(session.run("conflicts('store', WGMMA, smem_map((64, 64), f16), f16).plan"), "'trivial'");
  EXPECT_EQ(session.run("conflicts('load', WGMMA_TRANSPOSED, smem_map((64, 64), f16), transposed=True).plan"),
            "'trivial'");
  EXPECT_EQ(session.kind("conflicts('load', WGMMA, smem_map((128, 128), f32, tiling=(8, 4), swizzle=None))"),
            "no-transfer-plan");
  EXPECT_EQ(session.kind("conflicts('load', WGStridedFragLayout((64, 64), 4), smem_map((64, 64), f16))"), "type");
}

/// The same swizzled tile in CuTe's notation, as a layout and as its map.
TEST(CostBuiltins, SharedMemoryOfOtherLanguages) {
  Snippets session;
  session.run("cute = layout('Sw<3,3,3> o 0 o (64,64):(64,1)')");
  EXPECT_EQ(session.run("[conflicts('ldmatrix.x4', WGMMA, m, f16).conflicts for m in "
                        "(cute, element_map(cute, (64, 64), f16, memory='shared'), layout('(64,64):(64,1)'))]"),
            "[0, 0, 448]");
  EXPECT_EQ(session.run("conflicts('ld.shared.b32', WGMMA, cute, f16).addresses == "
                        "conflicts('ld.shared.b32', WGMMA, smem_map((64, 64), f16)).addresses"),
            "True");
  EXPECT_EQ(session.kind("conflicts('ldmatrix.x4', WGMMA, cute)"), "arguments");
}

TEST(CostBuiltins, ConflictsThatAreRefused) {
  Snippets session;
  session.run(kSmem);
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', WGMMA, m, f16)"),
            "1:38: `dtype` of `conflicts`: elements of 16 bits, but the shared memory is of f32, 32 bits");
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', WGMMA, m, shape=(64, 64))"),
            "1:44: `shape` of `conflicts`: the memory is of shape (64, 32)");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b128', WGMMA, m)"), "access-width");
  EXPECT_EQ(session.kind("conflicts('ldmatrix.x4.trans', WGMMA, m)"), "matrix-fragment");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', m, m)"), "layout-memory");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', 5, m)"), "type");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', WGMMA, 5)"), "type");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', WGMMA, WGMMA, f32, shape=(64, 32))"), "layout-memory");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', WGMMA, m, instruction=8)"), "value");
  EXPECT_EQ(session.kind("conflicts('ld.shared.b64', WGMMA, m)['nothing']"), "key");
}

/// A text in any notation may stand for a layout, and the text of a smem_map for shared memory.
TEST(CostBuiltins, TextsAreLayouts) {
  Snippets session;
  session.run(kSmem);
  const std::string text = "str(notation(WGMMA, 'mlir'))";
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', " + text + ", m).wavefronts"), "256");
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', 'WGMMA', 'smem_map((64, 32), f32, tiling=(8, 32), "
                        "swizzle=None)').wavefronts"),
            "256");
  EXPECT_EQ(session.run("conflicts('ld.shared.b64', 'WGMMA', '(64,32):(32,1)', f32, shape=(64, 32)).wavefronts"),
            session.run("conflicts('ld.shared.b64', WGMMA, layout('(64,32):(32,1)'), f32, shape=(64, 32)).wavefronts"));
  EXPECT_EQ(session.run("conflicts('load', 'WGMMA', 'smem_map((64, 32), f32, tiling=(8, 32), swizzle=128)').plan"),
            session.run("conflicts('load', WGMMA, smem_map((64, 32), f32, tiling=(8, 32), swizzle=128)).plan"));
  EXPECT_EQ(session.run("relayout(" + text + ", 'WGMMA_TRANSPOSED', (64, 64), f16).mechanism"),
            session.run("relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16).mechanism"));
  EXPECT_EQ(session.run("coalescing('WGMMA', (64, 1), f16, shape=(64, 64)).sectors"),
            session.run("coalescing(WGMMA, (64, 1), f16, shape=(64, 64)).sectors"));
  EXPECT_EQ(session.run("coalescing('#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, "
                        "1], order = [1, 0]}>', None, f16, shape=(32, 16)).bytes_per_lane"),
            "8");
  // A parse error is reported at the wrong character.
  const std::pair<const char *, const char *> wrong[] = {
      {"relayout('local(2, 1).special(8)', WGMMA, (64, 64), f16)", "1:23: "},
      {"relayout(WGMMA, 'local(2, 1).special(8)', (64, 64), f16)", "1:30: "},
      {"coalescing('local(2, 1).special(8)', None, f16, shape=(64, 64))", "1:25: "},
      {"conflicts('ld.shared.b64', 'local(2, 1).special(8)', m)", "1:41: "},
      {"conflicts('ld.shared.b64', WGMMA, 'local(2, 1).special(8)', f32)", "1:48: "}};
  for (auto [snippet, place] : wrong)
    EXPECT_EQ(session.run(snippet).substr(0, 6), place) << session.run(snippet);
}

TEST(CostBuiltins, Relayout) {
  Snippets session;
  session.run("r = relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)");
  EXPECT_EQ(session.run("(r['mechanism'], r.lowered, r.per_thread['shuffles'], r.per_thread['selects'])"),
            "('shuffles', True, 16, 0)");
  EXPECT_EQ(session.run("(r.per_thread['prmt'], r.per_warp['shuffled_bytes'])"), "(16, 2048)");
  EXPECT_EQ(session.run("relayout(WGMMA, WGMMA, (64, 64), f32).mechanism"), "'nothing'");
  EXPECT_EQ(session.run("relayout(WGMMA, WGMMA_ACC_32BIT, (64, 64), f32).mechanism"), "'renaming registers'");
  EXPECT_EQ(session.run("relayout(WGSplatFragLayout(), WGMMA, (64, 64), f32).how"),
            "'every register of the result is the constant'");
  EXPECT_EQ(session.run("relayout(WGMMA_UPCAST_2X, WGMMA, (64, 64), i8).basis"), "'what the kernel compiler makes'");
  session.run("s = relayout(WGMMA, TCGEN05, (128, 64), f32)");
  EXPECT_EQ(
      session.run("(s.mechanism, s.values['other warp'] > 0, s.shared_memory['scratch'], s.per_thread['stores'])"),
      "('shared memory', True, 'row-major, rows padded by 32 bytes', 32)");
  EXPECT_EQ(session.kind("relayout(WGMMA, WGSplatFragLayout(), (64, 64), f32)"), "layout-splat");
  EXPECT_EQ(session.kind("relayout(WGMMA, TCGEN05, (64, 64), f32)"), "tiling-does-not-apply");
  EXPECT_EQ(session.kind("relayout(WGMMA, 3, (64, 64), f32)"), "type");
}

TEST(CostBuiltins, RelayoutSaysWhatShufflesWouldCost) {
  Snippets session;
  // A warp's transpose: 31 of each thread's 32 values move to another lane.
  session.run("t = relayout(layout('spatial(32, 1).local(1, 32)'), layout('spatial(1, 32).local(32, 1)'), (32, 32), "
              "f32)");
  EXPECT_EQ(session.run("t.mechanism"), "'shared memory'");
  std::string how = session.run("t.how");
  EXPECT_NE(how.find("shuffles would take longer: "), std::string::npos) << how;
  EXPECT_NE(how.find("per thread keep a warp as long as "), std::string::npos) << how;
  EXPECT_NE(how.find("of the round trip take "), std::string::npos) << how;
}

TEST(CostBuiltins, RelayoutPrintsAndIsJson) {
  EXPECT_EQ(run("relayout(WGMMA, WGMMA_ACC_32BIT, (64, 64), f16)"),
            R"(verdict     cheap: 16 byte permutes a warp, and no value leaves its thread
mechanism   byte permutes
how         each register of two elements is two registers of one, or the other way round
basis       what the kernel compiler makes
lowered     True
warps       4
per_thread  registers_moved 31, prmt 16, shuffles 0, selects 0, stores 0, loads 0
per_warp    instructions 16, shuffled_bytes 0, store_wavefronts 0, load_wavefronts 0
values      same register 128, same thread 3968, same warp 0, other warp 0)");
  std::string json = jsonOf("relayout(WGMMA, WGMMA, (64, 8), f16)");
  EXPECT_TRUE(json.starts_with(R"({"verdict":"free: every value stays where it is","mechanism":"nothing","how":)"))
      << json;
  EXPECT_NE(json.find(R"("shared_memory":null)"), std::string::npos);
}

TEST(CostBuiltins, Coalescing) {
  Snippets session;
  session.run("r = coalescing(WGMMA, (64, 1), f16, shape=(64, 64))");
  EXPECT_EQ(session.run("(r.bytes_per_lane, r.instructions, r.sectors_per_access, r['efficiency'])"),
            "(4, 16, 8.0, 0.5)");
  EXPECT_EQ(session.run("coalescing(WGStridedFragLayout((64, 64), 8), None, f16, shape=(64, 64)).efficiency"), "1.0");
  EXPECT_EQ(session.run("coalescing(WG_STRIDED((64, 64), 8), None, f16).efficiency"), "1.0");
  EXPECT_EQ(session.kind("coalescing(WGMMA, (64,), f16, shape=(64, 64))"), "strides");
  EXPECT_EQ(session.kind("coalescing(WGMMA, (-1, 1), f16, shape=(64, 64))"), "strides");
}

TEST(CostBuiltins, HelpHasExamplesThatRun) {
  for (const char *example :
       {"smem_wavefronts('ld.shared.b32', [128 * lane for lane in range(32)])",
        "conflicts('ld.shared.b64', WGMMA, smem_map((64, 32), f32, tiling=(8, 32), swizzle=None))",
        "conflicts('load', WGMMA, smem_map((64, 32), f32, tiling=(8, 32), swizzle=128))",
        "relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)", "coalescing(WGMMA, (64, 1), f16, shape=(64, 64))"}) {
    std::string name = std::string(example).substr(0, std::string(example).find('('));
    EXPECT_NE(run("help(" + name + ")").find(example), std::string::npos) << name;
    EXPECT_EQ(Snippets().kind(example), "") << example;
  }
}

TEST(CostBuiltins, AVerdictComesFirst) {
  EXPECT_EQ(run("relayout(WGMMA, WGMMA, (64, 64), f16)").find("verdict     free: every value stays where it is\n"), 0u);
  EXPECT_EQ(
      run(kSmem + "conflicts('ld.shared.b64', WGMMA, m)['verdict']"),
      "'4 times as many wavefronts as without bank conflicts: 256 where 64 would do; a 128-byte swizzle leaves 128'");
  EXPECT_EQ(run("coalescing(WGMMA, (64, 1), f16, shape=(64, 64)).verdict").find("'2 times as many sectors of 32 bytes"),
            0u);
  EXPECT_EQ(jsonOf("relayout(WGMMA, WGMMA, (64, 64), f16)").find(R"({"verdict":"free: )"), 0u);
}

TEST(CostBuiltins, WhatIsNotToldOfTheArrayIsTaken) {
  auto same = [](const std::string &guessed, const std::string &taken, const std::string &told) {
    std::string answer = run(guessed), value = run(told);
    EXPECT_NE(answer.find("needs the array's shape and dtype; taken: " + taken + "\n"), std::string::npos) << answer;
    EXPECT_TRUE(answer.ends_with("\n" + value)) << answer << value;
  };
  same("relayout(WGMMA, WGMMA_TRANSPOSED).mechanism", "shape=(64, 8), dtype=f32", "'shuffles'");
  same("relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64)).per_thread['shuffles']", "dtype=f32",
       "relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f32).per_thread['shuffles']");
  same("coalescing(WGMMA).bytes_per_lane", "shape=(64, 8), dtype=f32",
       "coalescing(WGMMA, None, f32, (64, 8)).bytes_per_lane");
  EXPECT_EQ(run("coalescing(WG_STRIDED((64, 64), 8), dtype=f16).efficiency"), "1.0"); // the layout contains its shape
}

} // namespace
} // namespace lanescope::repl
