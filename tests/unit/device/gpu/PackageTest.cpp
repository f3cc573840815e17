#include "core/gpu/runtime/Package.h"

#include "core/data/Files.h"
#include "core/gpu/runtime/CompareArrays.h"
#include "layouts/Catalogue.h"
#include "tests/unit/TemporaryFolder.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;

class PackageFolder : public testing::Test {
protected:
  static Package package() {
    Package package;
    CompiledKernel &kernel = package.kernel;
    kernel.name = "scale";
    kernel.ptx = "// ptx\n";
    kernel.launch.entry = "scale";
    BytesParam block;
    block.size = 24;
    block.buffers = {
        {Dtype::BF16, {2, 3}, "", "", "x"}, {Dtype::F32, {4}, "", "", "state"}, {Dtype::U32, {32}, "", "", "profile"}};
    block.pointers = {{0, 0}, {8, 1}, {16, 2}};
    kernel.launch.params = {block};
    kernel.outputs = {1};
    kernel.profiled = true;
    kernel.profile = {{"load", "store"}, 32, 1, 128};
    package.inputs = {Array::zeros(Dtype::BF16, {2, 3}), Array::zeros(Dtype::F32, {4})};
    package.inputs[0].setNumber(4, 2.5);
    package.inputs[1].setNumber(0, 1);
    package.expected = {package.inputs[1]};
    package.expectedError = "global-out-of-bounds";
    package.expectedPrinted = "hello\n";
    return package;
  }

  void rewrite(const char *file, const std::string &from, const std::string &to) {
    Result<SourceRef> source = readSource(folder_ / file);
    ASSERT_TRUE(source);
    std::string text = (*source)->text();
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    ASSERT_TRUE(writeFile(folder_ / file, std::string_view(text.replace(at, from.size(), to))));
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_ / "x.lspkg";
};

TEST_F(PackageFolder, RoundTrips) {
  Package saved = package();
  Result<void> done = savePackage(folder_, saved);
  ASSERT_TRUE(done) << render(done.error());
  ASSERT_TRUE(savePackage(folder_, saved)); // saved over itself
  Result<Package> loaded = loadPackage(folder_);
  ASSERT_TRUE(loaded) << render(loaded.error());
  EXPECT_EQ(loaded->kernel.name, "scale");
  EXPECT_EQ(loaded->kernel.ptx, saved.kernel.ptx);
  EXPECT_EQ(loaded->kernel.outputs, saved.kernel.outputs);
  EXPECT_TRUE(loaded->kernel.profiled);
  EXPECT_EQ(loaded->kernel.profile.names, saved.kernel.profile.names);
  EXPECT_EQ(loaded->kernel.profile.entriesPerTrace, 32u);
  ASSERT_EQ(loaded->inputs.size(), 2u);
  EXPECT_EQ(loaded->inputs[0].bytes, saved.inputs[0].bytes);
  EXPECT_EQ(loaded->inputs[1].bytes, saved.inputs[1].bytes);
  EXPECT_EQ(loaded->kernel.launch.buffers()[1]->data, "state.npy"); // the buffer is read and written: two files
  EXPECT_EQ(loaded->kernel.launch.buffers()[1]->out, "state.out.npy");
  ASSERT_EQ(loaded->expected.size(), 1u);
  EXPECT_EQ(loaded->expected[0].number(0), 1);
  EXPECT_EQ(loaded->expectedError, "global-out-of-bounds");
  EXPECT_EQ(loaded->expectedPrinted, "hello\n");
}

TEST_F(PackageFolder, RefusesWhatDoesNotFit) {
  Package wrong = package();
  wrong.inputs.pop_back();
  EXPECT_FALSE(savePackage(folder_, wrong));
  wrong = package();
  wrong.expected.push_back(wrong.expected[0]);
  Result<void> refused = savePackage(folder_, wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "package");
  EXPECT_FALSE(loadPackage(folder_)); // the folder has no package
  auto broken = [&](const char *file, const std::string &from, const std::string &to) {
    EXPECT_TRUE(savePackage(folder_, package()));
    rewrite(file, from, to);
    return !loadPackage(folder_);
  };
  EXPECT_TRUE(broken("meta.json", "\"format\": 1", "\"format\": 2"));
  EXPECT_TRUE(broken("meta.json", "1\n ]", "9\n ]"));
  EXPECT_TRUE(broken("meta.json", "\"entries_per_trace\": 32", "\"entries_per_trace\": 1"));
  EXPECT_TRUE(broken("launch.json", "\"x.npy\"", "\"../x.npy\""));
  EXPECT_TRUE(broken("launch.json", "\"x.npy\"", "\"/etc/passwd\""));
  EXPECT_TRUE(broken("launch.json", "\"x.npy\"", "\"y.npy\""));
  EXPECT_TRUE(broken("launch.json", "2,", "3,"));
  EXPECT_TRUE(savePackage(folder_, package()));
  fs::remove(folder_ / "kernel.ptx");
  EXPECT_FALSE(loadPackage(folder_));
}

TEST(CompareArrays, CountsWhatDiffers) {
  Array a = Array::zeros(Dtype::F16, {2, 3}), b = a;
  EXPECT_TRUE(compareArrays(a, b).same());
  b.setNumber(4, 1);
  a.setNumber(5, -0.0);
  Comparison result = compareArrays(a, b);
  EXPECT_EQ(result.different, 2);
  EXPECT_EQ(result.message,
            "2 of 6 elements differ, the first at (1, 1): 0 (bits 0x0) where 1 (bits 0x3c00) is expected");
  EXPECT_EQ(compareArrays(a, b, 1).different, 1); // -0 is close to 0
  EXPECT_FALSE(compareArrays(a, Array::zeros(Dtype::F16, {3, 2})).same());
  EXPECT_FALSE(compareArrays(a, Array::zeros(Dtype::BF16, {2, 3})).same());
}

TEST(CompareArrays, MeasuresInUnitsInTheLastPlace) {
  Array a = Array::zeros(Dtype::F32, {1}), b = a;
  a.setNumber(0, 1);
  b.setNumber(0, std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f));
  EXPECT_FALSE(compareArrays(a, b, 1).same());
  EXPECT_TRUE(compareArrays(a, b, 2).same());
  a.setNumber(0, 1e-45f);
  b.setNumber(0, -1e-45f);
  EXPECT_TRUE(compareArrays(a, b, 2).same());
  a.setNumber(0, NAN);
  EXPECT_FALSE(compareArrays(a, b, 1000).same());
  b.setNumber(0, -NAN);
  EXPECT_TRUE(compareArrays(a, b, 1).same());
  Array i = Array::zeros(Dtype::I64, {1}), j = i;
  i.setInteger(0, INT64_MIN);
  j.setInteger(0, INT64_MAX);
  EXPECT_FALSE(compareArrays(i, j, 1000).same());
}

// An untrusted launch description saves only what it is allowed to.
TEST_F(PackageFolder, OutputsAreArraysInTheFolder) {
  fs::create_directories(folder_ / "sub");
  Array array = Array::zeros(Dtype::F32, {2});
  ASSERT_TRUE(saveOutput(folder_, "sub/c.npy", array));
  ASSERT_TRUE(saveOutput(folder_, "sub/c.npy", array)); // a second time
  for (const std::string &name : {std::string("../c.npy"), (folder_ / "c.npy").string(), std::string("kernel.ptx"),
                                  std::string("c.npy\0", 6), std::string("sub/../../c.npy")}) {
    auto refused = saveOutput(folder_, name, array);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error()[0].kind, "launch") << name;
  }
  fs::create_symlink(folder_ / "sub" / "c.npy", folder_ / "link.npy");
  EXPECT_EQ(saveOutput(folder_, "link.npy", array).error()[0].kind, "file-access");
}

// A package keeps what the kernel declares in tensor memory, so that the trace of a cached kernel has the snippet's
// names as well.
TEST(Package, KeepsTensorMemory) {
  Package package;
  package.kernel.name = "k";
  package.kernel.arch = "sm_100a";
  package.kernel.tensorArrays = {
      {{"acc", *layouts::catalogue::tmemDefault(), {2, 128, 64}, Dtype::F32, 0, true}, {3, 9}},
      {{"a[1]", *layouts::catalogue::tmemDefault(2), {128, 64}, Dtype::F16, 128}, {}}};
  std::string meta = packageMeta(package);
  Package back;
  Result<void> read = readPackageMeta(Source::make("meta.json", meta), back);
  ASSERT_TRUE(read) << render(read.error());
  ASSERT_EQ(back.kernel.tensorArrays.size(), 2u);
  for (size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(back.kernel.tensorArrays[n].array, package.kernel.tensorArrays[n].array);
    EXPECT_EQ(back.kernel.tensorArrays[n].writtenAt, package.kernel.tensorArrays[n].writtenAt);
  }
  EXPECT_EQ(arrayAt(back.kernel.tensorArrays, 64, 32, 0), 0);
  EXPECT_EQ(partName(back.kernel.tensorArrays[0].array, 64, 32), "acc[1]");
  EXPECT_EQ(partName(back.kernel.tensorArrays[0].array, 32, 64), "acc"); // the columns of both accumulators
  EXPECT_EQ(arrayAt(back.kernel.tensorArrays, 100, 64, 0), -1);
  Package lacking;
  meta.replace(meta.find("written_at"), 10, "written_by");
  EXPECT_FALSE(readPackageMeta(Source::make("meta.json", meta), lacking));
}

} // namespace
} // namespace lanescope::core
