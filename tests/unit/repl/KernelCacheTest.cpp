// Compiled kernels that a later session finds on disk.
#include "KernelSupport.h"

#include "core/data/Files.h"
#include "core/gpu/runtime/KernelCache.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

class KernelCacheTest : public ::testing::Test {
protected:
  KernelCacheTest() : folder_(fs::temp_directory_path() / ("lanescope-cache-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~KernelCacheTest() override { fs::remove_all(folder_); }

  static std::string text(const std::string &factor) {
    return "@kernel(scratch=[SMEM((128,), f32)])\ndef k(x: GMEM((128,), f32), out: Out((128,), f32), t):\n"
           "  t[...] = x[...] * " +
           factor + "\n  out[...] = t[...]\nx = random((128,), f32)\nassert max_error(k(x), x * " + factor + ") == 0\n";
  }
  std::unique_ptr<Snippet> run(const std::string &text) {
    auto done = std::make_unique<Snippet>(text, KernelOptions{.device = "emulator", .cacheFolder = folder_});
    EXPECT_TRUE(done->ok) << done->errors;
    return done;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (fs::exists(folder_))
      for (const auto &entry : fs::directory_iterator(folder_))
        found.push_back(entry.path());
    return found;
  }

  static ino_t inode(const fs::path &path) {
    struct stat found = {};
    return stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
  }

  fs::path folder_;
};

TEST_F(KernelCacheTest, WhatWasUsedLongestAgoMakesRoom) {
  run(text("2"));
  ASSERT_EQ(files().size(), 1u);
  fs::path own = files()[0];
  auto now = fs::file_time_type::clock::now();
  fs::last_write_time(own, now - std::chrono::hours(1000));
  for (size_t i = 0; i < core::KernelCache::kMostKernels + core::KernelCache::kSlack; ++i) {
    fs::path path = folder_ / ("old" + std::to_string(i));
    std::ofstream(path) << "x";
    fs::last_write_time(path, now - std::chrono::hours(100 + i));
  }
  run(text("2")); // finds its file, which is the oldest no more
  EXPECT_GT(fs::last_write_time(own), now - std::chrono::hours(1));
  run(text("3"));
  EXPECT_EQ(files().size(), core::KernelCache::kMostKernels);
  EXPECT_TRUE(fs::exists(own));
  EXPECT_TRUE(fs::exists(folder_ / "old0"));
  EXPECT_FALSE(fs::exists(folder_ / ("old" + std::to_string(core::KernelCache::kMostKernels))));
}

TEST_F(KernelCacheTest, ALaterSessionFindsTheSameKernel) {
  auto first = run(text("2"));
  ASSERT_EQ(files().size(), 1u);
  ino_t written = inode(files()[0]);
  auto second = run(text("2"));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(inode(files()[0]), written); // read, not written anew
  const core::CompiledKernel &a = *first->runtime->launches().back().stages->kernel;
  const core::CompiledKernel &b = *second->runtime->launches().back().stages->kernel;
  EXPECT_EQ(a.ptx, b.ptx);
  EXPECT_EQ(core::toJson(a.launch), core::toJson(b.launch));
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_EQ(a.values[i].layout, b.values[i].layout);
    EXPECT_EQ(a.values[i].span.begin, b.values[i].span.begin);
  }
  ASSERT_NE(b.source, nullptr);
  run(text("3")); // another text is another kernel
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(KernelCacheTest, DamagedFilesCountAsMissing) {
  run(text("2"));
  ASSERT_EQ(files().size(), 1u);
  fs::path file = files()[0];
  auto good = core::readFile(file);
  ASSERT_TRUE(good);
  std::string whole(reinterpret_cast<const char *>(good->data()), good->size());
  std::string flipped = whole, cut = whole.substr(0, whole.size() / 2);
  flipped[whole.size() - 5] ^= 1;
  for (const std::string &bad : {flipped, cut, std::string(), std::string("lanescope kernel 1 0 9 9 9 9\n")}) {
    ASSERT_TRUE(core::writeFile(file, bad));
    run(text("2")); // compiled anew, and the file is whole again
    auto mended = core::readFile(file);
    ASSERT_TRUE(mended);
    EXPECT_EQ(mended->size(), whole.size());
  }
}

// A kernel that is defined again with the same text is not compiled again.
TEST_F(KernelCacheTest, OneSessionCompilesATextOnce) {
  auto done = run(text("2"));
  done->again(text("2"));
  ASSERT_TRUE(done->ok) << done->errors;
  const auto &launches = done->runtime->launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].stages, launches[1].stages);
}

} // namespace
} // namespace lanescope::repl
