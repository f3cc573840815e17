// Compiled kernels that a later session finds on disk.
#include "tests/unit/repl/KernelSupport.h"

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
  run(text("2")); // finds its file, which is then no longer the oldest
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
  EXPECT_EQ(inode(files()[0]), written); // read, but not rewritten
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
  run(text("3")); // a different text is a different kernel
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(KernelCacheTest, DamagedFilesCountAsMissing) {
  run(text("2"));
  ASSERT_EQ(files().size(), 1u);
  fs::path file = files()[0];
  auto good = core::readFile(file, core::FileRole::Ptx);
  ASSERT_TRUE(good);
  std::string whole(reinterpret_cast<const char *>(good->data()), good->size());
  std::string flipped = whole, cut = whole.substr(0, whole.size() / 2);
  flipped[whole.size() - 5] ^= 1;
  for (const std::string &bad : {flipped, cut, std::string(), std::string("lanescope kernel 1 0 9 9 9 9\n")}) {
    ASSERT_TRUE(core::writeFile(file, bad));
    run(text("2")); // compiled again, after which the file is whole
    auto mended = core::readFile(file, core::FileRole::Ptx);
    ASSERT_TRUE(mended);
    EXPECT_EQ(mended->size(), whole.size());
  }
}

// Reading or writing a pipe would block, and a link leads to another file.
TEST_F(KernelCacheTest, WhatIsNoFileIsLeftAlone) {
  run(text("2"));
  ASSERT_EQ(files().size(), 1u);
  fs::path file = files()[0];
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  run(text("2"));
  EXPECT_TRUE(fs::is_fifo(file));
  fs::remove(file);
  fs::path precious = folder_.parent_path() / (folder_.filename().string() + "-precious");
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, file);
  run(text("2"));
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(fs::file_size(precious), 8u);
  fs::remove(precious);
}

// An entry that is whole, with its own checksum, but belongs to another kernel.
TEST_F(KernelCacheTest, AnEntryIsForItsKernelAlone) {
  run(text("2"));
  fs::path two = files()[0];
  run(text("3"));
  for (const fs::path &path : files())
    if (path != two) {
      fs::copy_file(two, path, fs::copy_options::overwrite_existing);
      run(text("3")); // its own assertion checks the result
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

// With texts, as in the window: a kernel with unchanged lines is found again after an edit, and errors name places of
// the current text.
TEST(KernelTexts, AnEditElsewhereCompilesNothing) {
  auto text = [](const std::string &about, const std::string &factor, const std::string &check) {
    return "# " + about +
           "\n@kernel(scratch=[SMEM((128,), f32)])\ndef k(x: GMEM((128,), f32), out: Out((128,), f32), t):\n" +
           "  t[...] = x[...] * " + factor + "\n  out[...] = t[...]\nx = random((128,), f32)\n" + check +
           "\ny = k(x)\n";
  };
  KernelOptions options{.device = "emulator", .keepTexts = true};
  Snippet done(text("once", "2", "pass"), options);
  auto stages = [&] { return done.runtime->launches().back().stages; };
  auto ptxOf = [](const core::KernelStages &of) { return of.find("ptx"); };
  auto first = stages();
  done.again(text("a longer remark moves every byte", "2", "print('hi')"));
  ASSERT_TRUE(done.ok) << done.errors;
  auto second = stages();
  ASSERT_NE(first, second);
  EXPECT_EQ(ptxOf(*first)->source, ptxOf(*second)->source); // not compiled
  Snippet fresh(text("a longer remark moves every byte", "2", "print('hi')"), options);
  const core::KernelStages &right = *fresh.runtime->launches().back().stages;
  ASSERT_EQ(second->stages.size(), right.stages.size());
  auto same = [](const Span &a, const Span &b) {
    return a.begin == b.begin && a.end == b.end &&
           (a.source ? a.source->text() : "") == (b.source ? b.source->text() : "");
  };
  size_t places = 0;
  for (size_t s = 0; s < right.stages.size(); ++s) {
    EXPECT_EQ(second->stages[s].text(), right.stages[s].text());
    ASSERT_EQ(second->stages[s].origins.size(), right.stages[s].origins.size());
    for (size_t line = 0; line < right.stages[s].origins.size(); ++line) {
      const core::LineOrigin &a = second->stages[s].origins[line], &b = right.stages[s].origins[line];
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.before, b.before);
      EXPECT_TRUE(std::ranges::equal(a.places, b.places, same)) << right.stages[s].kind.id << ", line " << line + 1;
      places += a.places.size();
    }
  }
  EXPECT_GT(places, 50u);
  EXPECT_EQ(second->kernel->source, second->sources.front());
  ASSERT_EQ(second->kernel->values.size(), right.kernel->values.size());
  for (size_t i = 0; i < right.kernel->values.size(); ++i)
    EXPECT_TRUE(same(second->kernel->values[i].span, right.kernel->values[i].span));
  // A different kernel, and the same kernel on another line, are compiled.
  done.again(text("once", "3", "pass"));
  EXPECT_NE(ptxOf(*stages())->text(), ptxOf(*first)->text());
  done.again(text("once\n# more", "2", "pass"));
  EXPECT_NE(ptxOf(*stages())->source, ptxOf(*first)->source);
}

} // namespace
} // namespace lanescope::repl
