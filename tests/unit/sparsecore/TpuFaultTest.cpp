// Faults planted in small kernels: each is reported with its kind at its line, under every schedule. Correct kernels
// have no report.
#include "SparsecoreKernels.h"

namespace lanescope::core::sparsecore::test {
namespace {

struct Planted {
  std::string name, kind;
  Kernel wrong, right; // the faulty line ends in `// here`
};

std::vector<Array> inputs(const Kernel &kernel) {
  std::vector<int64_t> values;
  for (int64_t k = 0; k < kernel.elements; ++k)
    values.push_back(k % 16);
  return {arrayOf(Dtype::I32, {kernel.elements}, values)};
}

Planted planted(std::string name, std::string kind, const std::string &wrong, const std::string &right,
                int subcores = 1) {
  Planted fault{std::move(name), std::move(kind), {}, {}};
  fault.wrong.subcores = fault.right.subcores = subcores;
  fault.wrong.body = wrong;
  fault.right.body = right;
  return fault;
}

const std::string kFill =
    "%one = arith.constant dense<1> : vector<16xi32>\n%two = arith.constant dense<2> : vector<16xi32>\n";
const std::string kHere = "// here";

std::string gather(std::string_view target, std::string_view offsets, std::string_view comment = "",
                   std::string_view attributes = "") {
  return text("tpu.enqueue_indirect_dma source(%x : memref<16xi32, #hbm>) target(", target,
              " : memref<16xi32, #vmem>) offsets(", offsets, ") semaphore(%s : memref<!tpu.dma_semaphore, #sem>) ",
              attributes, comment, "\n");
}
std::string waitGather(std::string_view target) {
  return text(
      "tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%x : memref<16xi32, #hbm>) dst(",
      target, " : memref<16xi32, #vmem>)\n");
}
std::string when(std::string_view subcore, const std::string &body) {
  return text("%is", subcore, " = arith.constant ", subcore, " : i32\n%when", subcore, " = arith.cmpi eq, %sub, %is",
              subcore, " : i32\nscf.if %when", subcore, " {\n", body, "}\n");
}

std::vector<Planted> copies() {
  Kernel k;
  std::vector<Planted> all;
  std::string in = k.start("%x", "hbm", "%v", "vmem"), waitIn = k.wait("%x", "hbm", "%v", "vmem");
  std::string out = k.start("%v", "vmem", "%o", "hbm"), waitOut = k.wait("%v", "vmem", "%o", "hbm");
  std::string store = kFill + k.store("%v", "%one");
  all.push_back(planted("read before the wait", "copy-not-awaited", in + k.load("%a", "%v", kHere) + waitIn,
                        in + waitIn + k.load("%a", "%v")));
  all.push_back(
      planted("no wait at all", "copy-not-awaited", in + k.load("%a", "%v", kHere), in + waitIn + k.load("%a", "%v")));
  all.push_back(planted("the source changes in flight", "overwritten-in-flight",
                        store + out + k.store("%v", "%two", kHere) + waitOut,
                        store + out + waitOut + k.store("%v", "%two")));
  all.push_back(planted("the target is written in flight", "overwritten-in-flight",
                        kFill + in + k.store("%v", "%two", kHere) + waitIn,
                        kFill + in + waitIn + k.store("%v", "%two")));
  all.push_back(planted("the kernel ends first", "unfinished-copy",
                        store + k.start("%v", "vmem", "%o", "hbm", "%s", kHere), store + out + waitOut));
  std::string scoped = "\"tpu.region\"() ({\n%own = tpu.sem_alloc : memref<!tpu.dma_semaphore, #sem>\n";
  all.push_back(planted("the scope ends first", "unfinished-copy",
                        scoped + k.start("%x", "hbm", "%v", "vmem", "%own", kHere) + "tpu.yield\n}) : () -> ()\n",
                        scoped + k.copy("%x", "hbm", "%v", "vmem", "%own") + "tpu.yield\n}) : () -> ()\n"));
  all.push_back(planted("its memory ends first", "unfinished-copy",
                        "\"tpu.region\"() ({\n%own = memref.alloca() : memref<16xi32, #vmem>\n" +
                            k.start("%x", "hbm", "%own", "vmem", "%s", kHere) + "tpu.yield\n}) : () -> ()\n" +
                            k.wait("%x", "hbm", "%v", "vmem"),
                        "\"tpu.region\"() ({\n%own = memref.alloca() : memref<16xi32, #vmem>\n" +
                            k.copy("%x", "hbm", "%own", "vmem") + "tpu.yield\n}) : () -> ()\n"));
  all.push_back(planted(
      "one of two copies awaited", "copy-not-awaited",
      in + k.start("%x", "hbm", "%w", "vmem") + waitIn + k.load("%a", "%v", kHere) + k.wait("%x", "hbm", "%w", "vmem"),
      in + k.start("%x", "hbm", "%w", "vmem") + waitIn + k.wait("%x", "hbm", "%w", "vmem") + k.load("%a", "%v")));
  all.push_back(planted("two copies to one place", "overwritten-in-flight",
                        in + k.start("%shared", "shared", "%v", "vmem", "%t", kHere) + waitIn +
                            k.wait("%shared", "shared", "%v", "vmem", "%t"),
                        in + waitIn + k.copy("%x", "hbm", "%v", "vmem", "%t")));
  all.push_back(
      planted("out before in", "copy-not-awaited",
              in + k.start("%v", "vmem", "%o", "hbm", "%t", kHere) + waitIn + k.wait("%v", "vmem", "%o", "hbm", "%t"),
              in + waitIn + k.copy("%v", "vmem", "%o", "hbm", "%t")));
  std::string offsets = k.copy("%x", "hbm", "%w", "vmem");
  all.push_back(planted(
      "offsets change in flight", "overwritten-in-flight",
      kFill + offsets + gather("%v", "%w : memref<16xi32, #vmem>") + k.store("%w", "%one", kHere) + waitGather("%v"),
      kFill + offsets + gather("%v", "%w : memref<16xi32, #vmem>") + waitGather("%v") + k.store("%w", "%one")));
  all.push_back(planted(
      "a sum read in flight", "copy-not-awaited",
      kFill + offsets + k.store("%v", "%one") + gather("%v", "%w : memref<16xi32, #vmem>", "", "{add = true} ") +
          k.load("%a", "%v", kHere) + waitGather("%v"),
      kFill + offsets + k.store("%v", "%one") + gather("%v", "%w : memref<16xi32, #vmem>", "", "{add = true} ") +
          waitGather("%v") + k.load("%a", "%v")));
  return all;
}

std::vector<Planted> waits() {
  Kernel k;
  std::vector<Planted> all;
  std::string signal = "tpu.sem_signal %r, %i1 : memref<!tpu.semaphore, #sem>\n";
  auto wait = [](std::string_view comment) {
    return text("tpu.sem_wait %r, %i1 : memref<!tpu.semaphore, #sem> ", comment, "\n");
  };
  all.push_back(
      planted("a semaphore is left over", "semaphore-left-over", signal + signal + wait(""), signal + wait("")));
  all.push_back(planted("nobody signals", "deadlock", wait(kHere), signal + wait("")));
  all.push_back(planted("no copy was started", "deadlock", k.wait("%x", "hbm", "%v", "vmem", "%s", kHere),
                        k.copy("%x", "hbm", "%v", "vmem")));
  all.push_back(planted("another semaphore", "deadlock",
                        k.start("%x", "hbm", "%v", "vmem", "%s") + k.wait("%x", "hbm", "%v", "vmem", "%t", kHere),
                        k.copy("%x", "hbm", "%v", "vmem")));
  std::string half = "%h = tpu.memref_slice %x[%i0] : memref<16xi32, #hbm> -> memref<8xi32, #hbm>\n"
                     "%g = tpu.memref_slice %v[%i0] : memref<16xi32, #vmem> -> memref<8xi32, #vmem>\n"
                     "tpu.enqueue_dma source(%h : memref<8xi32, #hbm>) target(%g : memref<8xi32, #vmem>) "
                     "target_semaphore(%s : memref<!tpu.dma_semaphore, #sem>)\n";
  all.push_back(
      planted("more bytes than were copied", "deadlock", half + k.wait("%x", "hbm", "%v", "vmem", "%s", kHere),
              half + "tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%h : memref<8xi32, #hbm>) "
                     "dst(%g : memref<8xi32, #vmem>)\n"));
  all.push_back(planted("a barrier that one does not reach", "deadlock",
                        when("0", "tpu.barrier barrier_id(%c0) // here\n"), "tpu.barrier barrier_id(%c0)\n", 4));
  all.push_back(planted(
      "each waits for the other first", "deadlock",
      wait(kHere) + "%next = arith.xori %sub, %i1 : i32\ntpu.sem_signal %r, %i1 subcore_id %next : "
                    "memref<!tpu.semaphore, #sem>\n",
      "%next = arith.xori %sub, %i1 : i32\ntpu.sem_signal %r, %i1 subcore_id %next : memref<!tpu.semaphore, #sem>\n" +
          wait(""),
      2));
  return all;
}

std::vector<Planted> races() {
  Kernel k;
  std::vector<Planted> all;
  std::string toShared = when("0", k.copy("%x", "hbm", "%shared", "shared"));
  std::string barrier = "tpu.barrier barrier_id(%c0)\n";
  std::string fromShared = when("1", k.start("%shared", "shared", "%v", "vmem", "%t", kHere) +
                                         k.wait("%shared", "shared", "%v", "vmem", "%t"));
  all.push_back(
      planted("shared memory without a barrier", "race", toShared + fromShared, toShared + barrier + fromShared, 2));
  std::string own = "%mine = vector.broadcast %sub : i32 to vector<16xi32>\n" + k.store("%v", "%mine");
  all.push_back(planted("two results at one place", "race",
                        own + k.start("%v", "vmem", "%o", "hbm", "%s", kHere) + k.wait("%v", "vmem", "%o", "hbm"),
                        own + when("0", k.copy("%v", "vmem", "%o", "hbm")), 2));
  std::string add = "%old = tpu.fetch_and_add_sync %m[%i0], %i1, %i1 : memref<4xi32, #smem>, i32 -> i32\n";
  std::string clear = "memref.store %i0, %m[%c0] : memref<4xi32, #smem>\n";
  all.push_back(planted(
      "a count that others still change", "race",
      clear + barrier + when("0", add) + when("1", "%n = memref.load %m[%c0] : memref<4xi32, #smem> // here\n"),
      clear + barrier + when("0", add) + barrier + when("1", "%n = memref.load %m[%c0] : memref<4xi32, #smem>\n"), 2));
  return all;
}

std::vector<Planted> bounds() {
  Kernel k;
  std::vector<Planted> all;
  std::string in = k.copy("%x", "hbm", "%v", "vmem");
  auto slice = [](std::string_view start, std::string_view comment) {
    return text("%start = arith.constant ", start,
                " : i32\n%part = tpu.memref_slice %v[%start] : memref<16xi32, #vmem> -> "
                "memref<8xi32, #vmem> ",
                comment, "\n");
  };
  all.push_back(planted("a slice beyond the end", "memref-out-of-bounds", slice("9", kHere), slice("8", "")));
  all.push_back(planted("a slice before the start", "memref-out-of-bounds", slice("-1", kHere), slice("0", "")));
  auto load = [](std::string_view start, std::string_view comment) {
    return text("%start = arith.constant ", start,
                " : index\n%part = tpu.vector_load %v[%start] {strides = array<i32>} : "
                "memref<16xi32, #vmem>, vector<8xi32>, ",
                comment, "\n");
  };
  all.push_back(planted("a vector beyond the end", "memref-out-of-bounds", in + load("9", kHere), in + load("8", "")));
  auto lanes = [](std::string_view last, std::string_view comment) {
    return text("%at = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, ", last,
                "]> : vector<8xi32>\n%part = tpu.vector_load_idx %v[%at] : "
                "memref<16xi32, #vmem>[vector<8xi32>], vector<8xi32>, ",
                comment, "\n");
  };
  all.push_back(
      planted("a lane beyond the end", "memref-out-of-bounds", in + lanes("16", kHere), in + lanes("15", "")));
  auto scalar = [](std::string_view at, std::string_view comment) {
    return text("%at = arith.constant ", at, " : index\nmemref.store %i1, %m[%at] : memref<4xi32, #smem> ", comment,
                "\n");
  };
  all.push_back(planted("a scalar beyond the end", "memref-out-of-bounds", scalar("4", kHere), scalar("3", "")));
  auto offsets = [](std::string_view value, std::string_view comment) {
    return text("%at = arith.constant dense<", value, "> : vector<16xi32>\n") +
           gather("%v", "%at : vector<16xi32>", comment) + waitGather("%v");
  };
  all.push_back(planted("an offset beyond the rows", "memref-out-of-bounds", offsets("16", kHere), offsets("15", "")));
  all.push_back(planted("an offset before the rows", "memref-out-of-bounds", offsets("-3", kHere), offsets("0", "")));
  auto signal = [](std::string_view subcore, std::string_view comment) {
    return text("%to = arith.constant ", subcore,
                " : i32\ntpu.sem_signal %r, %i1 subcore_id %to : memref<!tpu.semaphore, #sem> ", comment,
                "\ntpu.sem_wait %r, %i1 : memref<!tpu.semaphore, #sem>\n");
  };
  all.push_back(planted("a subcore that does not run", "memref-out-of-bounds", signal("1", kHere), signal("0", "")));
  all.push_back(planted("more VMEM than there is", "scratch-memory",
                        "%big = memref.alloca() : memref<131072xi32, #vmem> // here\n",
                        "%big = memref.alloca() : memref<65536xi32, #vmem>\n"));
  return all;
}

std::vector<Planted> values() {
  Kernel k;
  std::vector<Planted> all;
  std::string read = "%n = memref.load %m[%c0] : memref<4xi32, #smem>\n",
              write = "memref.store %i1, %m[%c0] : memref<4xi32, #smem>\n";
  std::string branch = "%is = arith.cmpi eq, %n, %i1 : i32\nscf.if %is { // here\n}\n";
  all.push_back(planted("a branch on memory nobody wrote", "undefined-value", read + branch, write + read + branch));
  std::string loop = "scf.for %i = %i0 to %n step %i1 : i32 { // here\n}\n";
  all.push_back(planted("a loop as long as nobody said", "undefined-value", read + loop, write + read + loop));
  std::string index =
      "%at = arith.index_cast %n : i32 to index\nmemref.store %i1, %m[%at] : memref<4xi32, #smem> // here\n";
  all.push_back(planted("an index that nobody wrote", "undefined-value", read + index, write + read + index));
  all.push_back(
      planted("offsets that nobody wrote", "undefined-value",
              gather("%v", "%w : memref<16xi32, #vmem>", kHere) + waitGather("%v"),
              k.copy("%x", "hbm", "%w", "vmem") + gather("%v", "%w : memref<16xi32, #vmem>") + waitGather("%v")));
  std::string sum = kFill + "SUM" + "%b = arith.addi %a, %one : vector<16xi32>\n" + k.store("%w", "%b") +
                    k.copy("%w", "vmem", "%o", "hbm");
  auto with = [&](const std::string &first) {
    std::string out = sum;
    return out.replace(out.find("SUM"), 3, first);
  };
  all.push_back(planted("a sum with memory nobody wrote", "undefined-value", with(k.load("%a", "%v", kHere)),
                        with(k.copy("%x", "hbm", "%v", "vmem") + k.load("%a", "%v"))));
  all.push_back(planted("a check that fails", "check-failed",
                        "%no = arith.constant false\ncf.assert %no, \"as planted\" // here\n",
                        "%yes = arith.constant true\ncf.assert %yes, \"as planted\"\n"));
  return all;
}

std::vector<Planted> everything() {
  std::vector<Planted> all;
  for (auto family : {copies, waits, races, bounds, values})
    for (Planted &fault : family())
      all.push_back(std::move(fault));
  return all;
}

class Faults : public testing::TestWithParam<Planted> {};

TEST_P(Faults, AreToldAtTheirLine) {
  const Planted &fault = GetParam();
  for (uint64_t seed : {0, 1, 2, 3}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(fault.wrong.module(), inputs(fault.wrong), options);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty()) << fault.name << ", seed " << seed << "\n" << fault.wrong.module();
    const Diagnostic &told = result->diagnostics.back();
    EXPECT_EQ(told.kind, fault.kind) << errorText(result->diagnostics);
    ASSERT_TRUE(told.span.source);
    if (fault.wrong.body.find(kHere) != std::string::npos &&
        fault.kind != "race") // a race has two lines, and either may come last
      EXPECT_EQ(told.span.source->lineColumn(told.span.begin).line, fault.wrong.lineOf(kHere))
          << errorText(result->diagnostics);
  }
}

TEST_P(Faults, WhatIsRightIsNotAccused) {
  const Planted &fault = GetParam();
  for (uint64_t seed : {0, 1, 2, 3}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(fault.right.module(), inputs(fault.right), options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty())
        << fault.name << ", seed " << seed << ": " << errorText(result->diagnostics);
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, Faults, testing::ValuesIn(everything()), [](const auto &info) {
  std::string name;
  for (char letter : info.param.name)
    name += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return name;
});

// One subcore writes a place after another subcore has read it, without an order. In this run the result is right.
TEST(Hazards, AWriteAfterAnotherSubcoresReadIsAWarning) {
  Kernel k;
  k.subcores = 2;
  std::string slow = "%many = arith.constant 4000 : i32\nscf.for %i = %i0 to %many step %i1 : i32 {\n}\n";
  k.body = when("0", k.copy("%x", "hbm", "%shared", "shared")) + "tpu.barrier barrier_id(%c0)\n" +
           "%reads = arith.cmpi eq, %sub, %i0 : i32\nscf.if %reads {\n" +
           k.copy("%shared", "shared", "%v", "vmem", "%t") + "}\n" +
           when("1", slow + "%v2 = arith.constant dense<7> : vector<16xi32>\n" + k.store("%w", "%v2") +
                         k.start("%w", "vmem", "%shared", "shared", "%t", kHere) +
                         k.wait("%w", "vmem", "%shared", "shared", "%t"));
  auto result = run(k.module(), inputs(k));
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  const Diagnostic &told = result->diagnostics[0];
  EXPECT_EQ(told.severity, Severity::Warning);
  EXPECT_EQ(told.kind, "race");
  EXPECT_EQ(told.span.source->lineColumn(told.span.begin).line, k.lineOf(kHere));
}

TEST(Deadlocks, SayWhoWaitsForWhat) {
  Kernel k;
  k.subcores = 4;
  k.body = when("0", "tpu.barrier barrier_id(%c0)\n");
  auto result = run(k.module(), inputs(k));
  ASSERT_TRUE(result && !result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].message, "nothing can go on: core 0 subcore 0 waits at barrier 0, where 1 of 4 "
                                            "subcores have arrived, and 3 have ended without it");
  k.subcores = 1;
  k.body = "tpu.sem_wait %r, %i1 : memref<!tpu.semaphore, #sem>\n";
  result = run(k.module(), inputs(k));
  ASSERT_TRUE(result && !result->diagnostics.empty());
  EXPECT_NE(
      result->diagnostics[0].message.find("waits for 1 at a semaphore of core 0 subcore 0 (operand 8), which holds 0"),
      std::string::npos)
      << result->diagnostics[0].message;
}

TEST(LateCopies, ACopyThatNobodyAwaitsKeepsOldDataWithoutTheChecker) {
  Kernel k;
  k.body = kFill + k.store("%v", "%one") + k.start("%x", "hbm", "%v", "vmem") + k.load("%a", "%v") +
           k.store("%w", "%a") + k.copy("%w", "vmem", "%o", "hbm", "%t") + k.wait("%x", "hbm", "%v", "vmem");
  EmulatorOptions options;
  options.checks = false;
  auto result = run(k.module(), inputs(k), options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty());
  EXPECT_EQ(result->outputs[0].integer(5), 1); // the copy moves its data as late as the rules allow
  options.instant = true;
  result = run(k.module(), inputs(k), options);
  EXPECT_EQ(result->outputs[0].integer(5), 5);
}

} // namespace
} // namespace lanescope::core::sparsecore::test
