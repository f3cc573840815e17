// Whole files: what is read, and that a file is replaced as a whole, a link stays one and a device is only written to.
#include "core/data/Files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanescope-files-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string content(const fs::path &path) {
    auto source = readSource(path);
    return source ? (*source)->text() : render(source.error());
  }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

TEST_F(FilesTest, AreReplacedAsAWhole) {
  fs::path path = folder_ / "a.txt";
  ASSERT_TRUE(writeFile(path, std::string_view("first")));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  std::ifstream reader(path); // still sees the file of before
  ASSERT_TRUE(writeFile(path, std::string_view("second, and longer")));
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, "first");
  EXPECT_EQ(content(path), "second, and longer");
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(entries(), 1u); // nothing is left beside it
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
  ASSERT_TRUE(writeFile(folder_ / "a", std::string_view("123")));
  auto large = readFile(folder_ / "a", 2);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error()[0].kind, "unreadable-file");
}

} // namespace
} // namespace lanescope::core
