// Launches that run in parts, and their checkpoints.
#include "core/gpu/emulator/parts/RunInParts.h"
#include "core/data/Files.h"
#include "core/gpu/emulator/parts/Checkpoint.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

namespace lanescope::core::test {
namespace {

using emulator::Checkpoint;
using testing::HasSubstr;

constexpr uint32_t kBlocks = 300;

/// Each block of one thread multiplies its word by three, and counts in its word of a variable of the module.
Kernel tripling(const std::string &before = "") {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 1;
  kernel.blocks = kBlocks;
  kernel.declarations = ".global .align 4 .b32 seen[300];\n";
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\nmov.u64 %d1, seen;\nadd.s64 %d1, %d1, %d0;\n"
                "add.s64 %d0, %d0, %d50;\n" +
                before +
                "ld.global.u32 %r1, [%d0];\nmul.lo.u32 %r1, %r1, 3;\nst.global.u32 [%d0], %r1;\n"
                "st.global.u32 [%d1], %r0;\nret;";
  return kernel;
}

std::vector<uint32_t> numbers() {
  std::vector<uint32_t> out(kBlocks);
  for (uint32_t n = 0; n < kBlocks; ++n)
    out[n] = n + 1;
  return out;
}

struct RunInParts : testing::Test {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / std::to_string(::getpid());
  CheckpointFile file{.path = folder / "run.checkpoint", .key = "this one", .everySeconds = 0, .partSeconds = 1e-4};
  std::vector<Array> arrays{u32Array(numbers())};

  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static SourceRef sourceOf(const Kernel &kernel) { return Source::make("k.ptx", kernel.ptx()); }
  Result<RunResult> inParts(const Kernel &kernel, EmulatorOptions options = {}) {
    return emulateInParts(sourceOf(kernel), launchOf(kernel, arrays), arrays, options, file);
  }
  /// Runs the first clusters and writes their checkpoint, as a run does that is killed later.
  void stopAfter(const Kernel &kernel, uint64_t clusters, EmulatorOptions options = {}) {
    emulator::RunPart part{.first = 0, .count = clusters};
    options.part = &part;
    EmulatorStatistics counted;
    auto result = emulate(sourceOf(kernel), launchOf(kernel, arrays), arrays, options, &counted);
    ASSERT_TRUE(result) << errorText(result.error());
    Checkpoint done{.clusters = clusters, .parts = 1, .counted = counted, .printed = result->printed};
    done.memory = part.after;
    done.touches = part.touches;
    ASSERT_TRUE(emulator::writeCheckpoint(file.path, file.key, done));
  }
};

TEST_F(RunInParts, HasTheResultsOfTheWhole) {
  for (uint32_t threads : {1u, 2u})
    for (bool fast : {false, true}) {
      auto whole = run(tripling(), arrays, {.instant = fast, .threads = threads});
      auto parts = inParts(tripling(), {.instant = fast, .threads = threads});
      ASSERT_TRUE(whole && parts);
      EXPECT_EQ(words(parts->outputs[0]), words(whole->outputs[0]));
      EXPECT_TRUE(parts->diagnostics.empty()) << errorText(parts->diagnostics);
      EXPECT_THAT(parts->note, HasSubstr("emulated 3300 warp instructions"));
      EXPECT_THAT(parts->note, HasSubstr(" parts"));
      EXPECT_FALSE(std::filesystem::exists(file.path));
    }
}

TEST_F(RunInParts, GoesOnFromItsCheckpoint) {
  stopAfter(tripling(), 100);
  auto result = inParts(tripling());
  ASSERT_TRUE(result) << errorText(result.error());
  std::vector<uint32_t> wanted = numbers();
  for (uint32_t &value : wanted)
    value *= 3; // a block that ran twice would have multiplied by nine
  EXPECT_EQ(words(result->outputs[0]), wanted);
  EXPECT_THAT(result->note, HasSubstr("emulated 3300 warp instructions"));
  EXPECT_THAT(result->note, HasSubstr("1 of them before this call"));
}

TEST_F(RunInParts, KeepsPrintedTextAndTheModulesVariables) {
  // The last block reads the variable's word of block 5, which no block of its own part has written.
  Kernel kernel = tripling();
  kernel.declarations += ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                         ".global .align 1 .b8 words[10] = {98, 108, 111, 99, 107, 32, 37, 117, 10, 0};\n";
  kernel.body = "mov.u32 %r0, %ctaid.x;\nrem.u32 %r2, %r0, 150;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra DONE;\n"
                "{ .local .align 4 .b32 args[1];\nst.local.u32 [args], %r0;\nmov.u64 %d2, words;\n"
                "mov.u64 %d4, args;\ncvta.local.u64 %d3, %d4;\n"
                ".param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %d2;\nst.param.b64 [a], %d3;\n"
                "call.uni (r), vprintf, (f, a); }\nDONE: ret;";
  auto whole = run(kernel, arrays);
  ASSERT_TRUE(whole) << errorText(whole.error());
  EXPECT_EQ(whole->printed, "block 0\nblock 150\n");
  stopAfter(kernel, 100);
  auto result = inParts(kernel);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(result->printed, whole->printed);
  stopAfter(tripling(), 100);
  auto kept = emulator::readCheckpoint(file.path, file.key);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->memory.regions.size(), 2u); // the array and the variable
}

TEST_F(RunInParts, FindsRacesBetweenParts) {
  // Block 200 reads what block 7 writes.
  Kernel kernel = tripling("setp.ne.u32 %p0, %r0, 200;\n@%p0 bra GO;\nld.global.u32 %r5, [%d50+28];\n"
                           "st.global.u32 [%d0], %r5;\nGO:\n");
  auto whole = run(kernel, arrays, {.threads = 1});
  ASSERT_TRUE(whole);
  ASSERT_FALSE(whole->diagnostics.empty());
  stopAfter(kernel, 100);
  auto result = inParts(kernel);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(errorText(result->diagnostics), errorText(whole->diagnostics));
  EXPECT_THAT(result->note, HasSubstr("in one piece"));
}

TEST_F(RunInParts, ReportsFindingsOfEachPlaceOnceAndKeepsNothingAfterThem) {
  // All blocks read past the end of the array.
  Kernel kernel = tripling("ld.global.u32 %r5, [%d50+4096];\nst.global.u32 [%d0], %r5;\n");
  auto result = inParts(kernel, {.keepGoing = true});
  ASSERT_TRUE(result) << errorText(result.error());
  auto whole = run(kernel, arrays, {.keepGoing = true});
  ASSERT_TRUE(whole);
  EXPECT_EQ(result->diagnostics.size(), whole->diagnostics.size()) << errorText(result->diagnostics);
  EXPECT_FALSE(std::filesystem::exists(file.path));
  ASSERT_FALSE(inParts(kernel)->diagnostics.empty());
  auto kept = emulator::readCheckpoint(file.path, file.key);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->clusters, 0u); // the fault is in the first part
}

// With `keepGoing`, the blocks of all parts run, although the first one has a fault.
TEST_F(RunInParts, GoesOnAfterFaultsIfAsked) {
  Kernel kernel = tripling("ld.global.u32 %r5, [%d50+4096];\n");
  auto whole = run(kernel, arrays, {.keepGoing = true});
  auto parts = inParts(kernel, {.keepGoing = true});
  ASSERT_TRUE(whole && parts);
  EXPECT_TRUE(hasErrors(parts->diagnostics));
  EXPECT_EQ(words(parts->outputs[0]), words(whole->outputs[0]));
  EXPECT_EQ(words(parts->outputs[0])[kBlocks - 1], 3 * kBlocks);
}

// A caller's array that earlier blocks have written is never written in place.
TEST_F(RunInParts, LeavesLentArraysAsTheyAre) {
  alignas(16) std::array<uint32_t, kBlocks> memory{};
  std::ranges::copy(numbers(), memory.begin());
  auto loan = std::make_shared<BytesLoan>(reinterpret_cast<const std::byte *>(memory.data()), sizeof memory);
  arrays = {{Dtype::U32, {kBlocks}, ArrayBytes::lent(loan)}};
  auto parts = inParts(tripling());
  ASSERT_TRUE(parts) << errorText(parts.error());
  EXPECT_THAT(memory, testing::ElementsAreArray(numbers()));
  EXPECT_EQ(words(parts->outputs[0])[kBlocks - 1], 3 * kBlocks);
}

// Parts read the caller's arrays where they lie. The outputs do not.
TEST_F(RunInParts, OutputsOutliveTheArrays) {
  Kernel kernel = tripling();
  kernel.params = 2;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d50, %d0;\nadd.s64 %d2, %d51, %d0;\n"
                "ld.global.u32 %r1, [%d1];\nmul.lo.u32 %r1, %r1, 3;\nst.global.u32 [%d2], %r1;\nret;";
  arrays = {u32Array(numbers()), u32Array(std::vector<uint32_t>(kBlocks))};
  auto parts = inParts(kernel);
  ASSERT_TRUE(parts) << errorText(parts.error());
  arrays.clear();
  EXPECT_EQ(words(parts->outputs[0]), numbers());
  EXPECT_EQ(words(parts->outputs[1])[kBlocks - 1], 3 * kBlocks);
}

TEST_F(RunInParts, SaysAtOnceThatItCannotWrite) {
  file.path = folder / "missing" / "run.checkpoint";
  auto result = inParts(tripling());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].kind, "unwritable-file");
}

TEST_F(RunInParts, KeepsEarlierPartsWhenTheTimeIsUp) {
  // Block 290 never ends.
  Kernel kernel = tripling("setp.ne.u32 %p0, %r0, 290;\n@%p0 bra GO;\nLOOP:\nadd.u32 %r5, %r5, 1;\nbra LOOP;\nGO:\n");
  file.everySeconds = 1000;
  auto result = inParts(kernel, {.threads = 1, .timeoutSeconds = 0.5});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "the same command goes on from there")) << errorText(result->diagnostics);
  auto kept = emulator::readCheckpoint(file.path, file.key);
  ASSERT_TRUE(kept) << errorText(kept.error());
  EXPECT_GT(kept->clusters, 0u);
  EXPECT_LE(kept->clusters, 290u);
}

TEST_F(RunInParts, RefusesBlocksThatCommunicate) {
  auto result = inParts(tripling("red.global.add.u32 [%d1], 1;\n"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].kind, "checkpoint");
}

TEST_F(RunInParts, RefusesTheCheckpointOfAnotherLaunch) {
  stopAfter(tripling(), 100);
  file.key = "another one";
  auto result = inParts(tripling());
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "of another launch")) << errorText(result.error());
  EXPECT_TRUE(std::filesystem::exists(file.path));
}

/// A file of the format with a right checksum.
std::string sealed(const std::string &rest) {
  char line[64];
  std::snprintf(line, sizeof line, "lanescope checkpoint 2 %08x\n",
                static_cast<unsigned>(::crc32_z(0, reinterpret_cast<const unsigned char *>(rest.data()), rest.size())));
  return line + rest;
}

std::string stateWith(const std::string &regions, uint64_t heap = 0, uint64_t touched = 0, uint64_t clusters = 100) {
  return R"({"key": "this one", "clusters": )" + std::to_string(clusters) +
         R"(, "parts": 1, "instructions": 1, "judged": 1, "cycles": 1, "wavefronts": 0, "heap": )" +
         std::to_string(heap) + R"(, "regions": )" + regions + R"(, "pages": )" + std::to_string(touched) +
         R"(, "printed": ""})" + "\n";
}

std::string pageNumbers(std::initializer_list<uint32_t> numbers) {
  return {reinterpret_cast<const char *>(numbers.begin()), numbers.size() * sizeof(uint32_t)};
}

// Hostile files: their checksum is right, and their numbers are not.
TEST_F(RunInParts, RefusesCheckpointsThatDoNotFit) {
  const uint64_t page = emulator::ChangedPages::kPageBytes;
  const std::string array(kBlocks * 4, 'a'), two = "[[1, " + std::to_string(page + 4) + ", 2]]", whole(page + 4, 'b');
  EXPECT_TRUE(
      emulator::parseCheckpoint(sealed(stateWith("[[1, 1200, 1]]") + pageNumbers({0}) + array), file.key, "it"));
  EXPECT_TRUE(emulator::parseCheckpoint(sealed(stateWith(two) + pageNumbers({0, 1}) + whole), file.key, "it"));
  const std::pair<const char *, std::string> refused[] = {
      {"pages out of order", stateWith(two) + pageNumbers({1, 0}) + whole},
      {"a page twice", stateWith(two) + pageNumbers({0, 0}) + whole + whole},
      {"a page past the end", stateWith(two) + pageNumbers({0, 2}) + whole},
      {"too few bytes", stateWith(two) + pageNumbers({0, 1}) + array},
      {"bytes left over", stateWith(two) + pageNumbers({0, 1}) + whole + "c"},
      {"no page numbers", stateWith("[[1, 1200, 1]]")},
      {"many pages", stateWith("[[1, 1200, 4611686018427387904]]")},
      {"a huge number of pages", stateWith("[[1, 1200, 9223372036854775807]]")},
      {"a negative number", stateWith("[[1, -4, 0]]")},
      {"a number of a region", stateWith("[[4294967296, 4, 0]]")},
      {"a region twice", stateWith("[[1, 4, 0], [1, 4, 0]]")},
      {"two numbers", stateWith("[[1, 4]]")},
      {"words", stateWith("[[\"1\", 4, 0]]")},
      {"no list", stateWith("{}")},
      {"touched pages", stateWith("[]", 0, 9000000000)},
  };
  for (const auto &[what, rest] : refused) {
    auto read = emulator::parseCheckpoint(sealed(rest), file.key, "it");
    ASSERT_FALSE(read) << what;
    EXPECT_TRUE(mentions(read.error(), "is a damaged checkpoint")) << what;
  }
  const std::pair<const char *, std::string> misfits[] = {
      {"a region that is not there", stateWith("[[77, 4, 0]]")},
      {"the size of a region", stateWith("[[1, 1204, 0]]")},
      {"the size of a huge region", stateWith("[[1, 9223372036854775807, 0]]")},
      {"more clusters than the grid", stateWith("[]", 0, 0, uint64_t{1} << 40)},
      {"a heap that is too full", stateWith("[]", uint64_t{1} << 40)},
  };
  for (const auto &[what, rest] : misfits) {
    ASSERT_TRUE(writeFile(file.path, std::string_view(sealed(rest))));
    auto result = inParts(tripling());
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error()[0].kind, "checkpoint") << what;
  }
}

// A checkpoint has the pages of an array that have changed, and no others.
TEST_F(RunInParts, KeepsOnlyChangedPages) {
  constexpr uint32_t kWords = 1 << 20;
  Kernel kernel = tripling();
  std::vector<uint32_t> all = numbers();
  all.resize(kWords, 5);
  arrays = {u32Array(all)};
  stopAfter(kernel, 100);
  auto kept = emulator::readCheckpoint(file.path, file.key);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->memory.regions.size(), 2u);
  uint64_t changed = 0;
  for (const auto &[number, region] : kept->memory.regions)
    changed += region.contents.size();
  EXPECT_EQ(changed, emulator::ChangedPages::kPageBytes + kBlocks * 4); // a page of the array, and the variable
  EXPECT_LT(std::filesystem::file_size(file.path), 3 * emulator::ChangedPages::kPageBytes);
  auto result = inParts(kernel);
  ASSERT_TRUE(result) << errorText(result.error());
  for (uint32_t n = 0; n < kBlocks; ++n)
    all[n] *= 3;
  EXPECT_EQ(words(result->outputs[0]), all);
}

// However the file is cut or changed, it is refused.
TEST_F(RunInParts, RefusesDamagedCheckpoints) {
  stopAfter(tripling(), 100);
  auto bytes = core::readFile(file.path, FileRole::Archive);
  ASSERT_TRUE(bytes);
  const std::string whole(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  ASSERT_TRUE(emulator::parseCheckpoint(whole, file.key, "it"));
  for (size_t end = 0; end < whole.size(); end += end < 600 ? 1 : 97)
    EXPECT_FALSE(emulator::parseCheckpoint(whole.substr(0, end), file.key, "it")) << end;
  for (size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 97)
    for (char bit : {1, 16, 64}) {
      std::string other = whole;
      other[at] = static_cast<char>(other[at] ^ bit);
      auto read = emulator::parseCheckpoint(other, file.key, "it");
      ASSERT_FALSE(read) << at;
      EXPECT_EQ(read.error()[0].kind, "checkpoint");
    }
  // A number of clusters past the grid's end.
  Checkpoint past{.clusters = kBlocks, .parts = 1};
  ASSERT_TRUE(emulator::writeCheckpoint(file.path, file.key, past));
  EXPECT_FALSE(inParts(tripling()));
}

} // namespace
} // namespace lanescope::core::test
