// Whole files: reading, replacing a file as a whole, keeping links, and writing to devices.
#include "core/data/Files.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN); // a writer gets an error if its reader stops early
  }
  std::string content(const fs::path &path) {
    auto source = readSource(path);
    return source ? (*source)->text() : render(source.error());
  }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(FilesTest, AreReplacedAsAWhole) {
  fs::path path = folder_ / "a.txt";
  ASSERT_TRUE(writeFile(path, std::string_view("first")));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  std::ifstream reader(path); // still sees the old file
  ASSERT_TRUE(writeFile(path, std::string_view("second, and longer")));
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, "first");
  EXPECT_EQ(content(path), "second, and longer");
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(entries(), 1u); // no temporary file remains
}

TEST_F(FilesTest, ALinkStaysOne) {
  ASSERT_TRUE(writeFile(folder_ / "target", std::string_view("old")));
  fs::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(writeFile(folder_ / "link", std::string_view("new")));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "target"), "new");
}

TEST_F(FilesTest, DevicesAreWrittenTo) {
  fs::path device = "/dev/null";
  ASSERT_TRUE(writeFile(device, std::string_view("gone")));
  EXPECT_TRUE(fs::is_character_file(device));
}

TEST_F(FilesTest, ANulByteIsInNoName) {
  ASSERT_TRUE(writeFile(folder_ / "a", std::string_view("precious")));
  const fs::path cut = folder_ / std::string("a\0.npy", 6);
  EXPECT_FALSE(readFile(cut, FileRole::Text));
  EXPECT_FALSE(readSource(cut));
  auto written = writeFile(cut, std::string_view("x"));
  ASSERT_FALSE(written);
  EXPECT_NE(written.error()[0].message.find("NUL"), std::string::npos);
  EXPECT_EQ(content(folder_ / "a"), "precious");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, ANameFromElsewhereIsAPlainOne) {
  EXPECT_EQ(plainFileName("matmul_f16-2.v1"), "matmul_f16-2.v1");
  for (const char *name :
       {"../../x", "/etc/passwd", "..", ".", "", ".hidden", "a/../b", "a..b", "-rf", "a\\b", "C:x"}) {
    std::string plain = plainFileName(name);
    EXPECT_FALSE(plain.empty() || plain.contains('/') || plain.contains("..") || plain[0] == '.' || plain[0] == '-')
        << name << " -> " << plain;
  }
  EXPECT_LE(plainFileName(std::string(10'000, 'x')).size(), 200u);
}

TEST_F(FilesTest, ProblemsNameTheFile) {
  for (const fs::path &path : {folder_, folder_ / "none" / "a.txt"}) {
    auto written = writeFile(path, std::string_view("x"));
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error()[0].kind, "unwritable-file");
    EXPECT_NE(written.error()[0].message.find(path.string()), std::string::npos) << written.error()[0].message;
  }
  for (const fs::path &path : {folder_, folder_ / "none"}) {
    auto read = readSource(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error()[0].kind, "unreadable-file");
    EXPECT_NE(read.error()[0].message.find(path.string()), std::string::npos);
    ASSERT_TRUE(read.error()[0].span.source);
    EXPECT_EQ(read.error()[0].span.source->name(), path.string());
  }
}

TEST_F(FilesTest, OnlySoMuchIsReadOfEachRole) {
  fs::path path = folder_ / "script";
  std::string most(limitOf(FileRole::Script).bytes(), '#');
  ASSERT_TRUE(writeFile(path, most));
  auto whole = readSource(path, FileRole::Script);
  ASSERT_TRUE(whole) << render(whole.error());
  EXPECT_EQ((*whole)->text().size(), most.size());
  ASSERT_TRUE(writeFile(path, most + "#"));
  auto refused = readSource(path, FileRole::Script);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "unreadable-file");
  EXPECT_NE(refused.error()[0].message.find("is larger than the 1 MiB that are read of commands for the window"),
            std::string::npos)
      << refused.error()[0].message;
  EXPECT_TRUE(readSource(path, FileRole::Text));
  EXPECT_FALSE(checkSize(path, most.size() + 1, FileRole::Script));
  EXPECT_TRUE(checkSize(path, most.size(), FileRole::Script));
}

TEST_F(FilesTest, ASparseFileOfAnySizeIsRefusedUnread) {
  fs::path path = folder_ / "huge.npy";
  ASSERT_TRUE(writeFile(path, std::string_view("x")));
  std::error_code problem;
  fs::resize_file(path, uint64_t{1} << 40, problem);
  if (problem)
    GTEST_SKIP() << problem.message();
  for (const FileLimit &limit : kFileLimits) {
    auto refused = readFile(path, limit.role);
    ASSERT_FALSE(refused) << limit.what;
    EXPECT_EQ(refused.error()[0].kind, "unreadable-file");
  }
}

TEST_F(FilesTest, DevicesEndAtTheirLimit) {
  for (FileRole role : {FileRole::Script, FileRole::Archive}) {
    auto refused = readFile("/dev/zero", role);
    ASSERT_FALSE(refused) << limitOf(role).what;
    EXPECT_EQ(refused.error()[0].kind, "unreadable-file");
  }
  auto nothing = readFile("/dev/null", FileRole::Text);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->empty());
  auto counted = readFile("/proc/self/statm", FileRole::Text); // its size is reported as 0 bytes
  ASSERT_TRUE(counted);
  EXPECT_FALSE(counted->empty());
}

TEST_F(FilesTest, APipeIsReadToItsEnd) {
  fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string sent(3 << 20, 'p');
  std::thread writer([&] { // writes after the reader has opened the pipe
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_TRUE(writeFile(path, sent));
  });
  EXPECT_EQ(content(path), sent);
  writer.join();
  writer = std::thread([&] { (void)writeFile(path, std::string(2 << 20, 'p')); });
  EXPECT_FALSE(readSource(path, FileRole::Script));
  writer.join();
}

} // namespace
} // namespace lanescope::core
