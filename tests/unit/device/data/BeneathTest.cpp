// Files inside a folder: no name leads out of it.
#include "core/data/Beneath.h"

#include "core/data/Files.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;
constexpr FileRole kRole = FileRole::Json;

class BeneathTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(folder_ / "sub");
    write(outside_ / "secret", "secret");
    write(folder_ / "a", "one");
    write(folder_ / "sub" / "b", "two");
  }

  static void write(const fs::path &path, std::string_view text) { std::ofstream(path) << text; }
  static std::string content(const fs::path &path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The file's text, or the kind of the error.
  std::string read(const fs::path &name) {
    auto bytes = readBeneath(folder_, name, kRole);
    return bytes ? std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : bytes.error()[0].kind;
  }
  std::string save(const fs::path &name, std::string_view text, const std::optional<FileStamp> &replacing = {}) {
    auto done = writeBeneath(folder_, name, std::as_bytes(std::span(text.data(), text.size())), replacing);
    return done ? "" : done.error()[0].kind;
  }
  std::vector<std::string> names(const fs::path &folder) {
    std::vector<std::string> out;
    for (const auto &entry : fs::directory_iterator(folder))
      out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }

  const TemporaryFolder own_;
  const fs::path outside_ = own_.path(), folder_ = outside_ / "in";
};

TEST_F(BeneathTest, PlainNamesAreReadAndWritten) {
  EXPECT_EQ(read("a"), "one");
  EXPECT_EQ(read("sub/b"), "two");
  EXPECT_EQ(read("./sub//./b"), "two");
  EXPECT_EQ(read("none"), "unreadable-file");
  EXPECT_EQ(read("a/b"), "unreadable-file");
  EXPECT_EQ(read("sub"), "unreadable-file");
  EXPECT_EQ(save("sub/new", "three"), "");
  EXPECT_EQ(content(folder_ / "sub" / "new"), "three");
  EXPECT_EQ(names(folder_ / "sub"), (std::vector<std::string>{"b", "new"})); // no temporary file remains
  EXPECT_EQ(save("none/new", "x"), "unreadable-file");
}

TEST_F(BeneathTest, NoNameLeadsOut) {
  const std::string nul("a\0.npy", 6);
  for (const fs::path &name :
       {fs::path("../secret"), fs::path("sub/../../secret"), fs::path(".."), outside_ / "secret"})
    for (const std::string &kind : {read(name), save(name, "x")})
      EXPECT_EQ(kind, "file-access") << name;
  for (const std::string &kind : {read(nul), save(nul, "x"), read(""), save("", "x")})
    EXPECT_EQ(kind, "unreadable-file");
  EXPECT_EQ(content(outside_ / "secret"), "secret");
  EXPECT_EQ(names(folder_), (std::vector<std::string>{"a", "sub"}));
}

TEST_F(BeneathTest, NoLinkIsFollowed) {
  fs::create_symlink(outside_ / "secret", folder_ / "file");
  fs::create_symlink(outside_, folder_ / "folder");
  fs::create_symlink("a", folder_ / "near");
  fs::create_symlink("nowhere", folder_ / "broken");
  for (const char *name : {"file", "folder/secret", "near", "broken"})
    for (const std::string &kind : {read(name), save(name, "x")})
      EXPECT_EQ(kind, "file-access") << name;
  EXPECT_EQ(content(outside_ / "secret"), "secret");
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  EXPECT_FALSE(stampBeneath(folder_, "file"));
  EXPECT_FALSE(checkFolderBeneath(folder_, "folder"));
  EXPECT_TRUE(checkFolderBeneath(folder_, "sub"));
  EXPECT_TRUE(checkFolderBeneath(folder_, "."));
  fs::create_symlink(folder_, outside_ / "way"); // the caller chooses the folder, so the folder may be a link
  auto bytes = readBeneath(outside_ / "way", "a", kRole);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 3u);
}

TEST_F(BeneathTest, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("pipe"), "file-access"); // the read does not block
  EXPECT_EQ(save("pipe", "x"), "file-exists");
  auto device = readBeneath("/dev", "zero", kRole);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error()[0].kind, "file-access");
  write(folder_ / "large", std::string(size_t{limitOf(kRole).bytes()} + 1, 'x'));
  EXPECT_EQ(read("large"), "unreadable-file");
}

TEST_F(BeneathTest, OnlyTheFileOfTheStampIsReplaced) {
  EXPECT_EQ(save("a", "x"), "file-exists");
  EXPECT_EQ(save("a", "x", stampBeneath(folder_, "sub/b")), "file-exists");
  auto stamp = stampBeneath(folder_, "a");
  ASSERT_TRUE(stamp);
  write(folder_ / "a", "changed meanwhile");
  EXPECT_EQ(save("a", "x", stamp), "file-exists");
  EXPECT_EQ(content(folder_ / "a"), "changed meanwhile");
  EXPECT_EQ(save("a", "x", stampBeneath(folder_, "a")), "");
  EXPECT_EQ(content(folder_ / "a"), "x");
  EXPECT_EQ(save("sub", "x"), "file-exists");
  EXPECT_EQ(names(folder_), (std::vector<std::string>{"a", "sub"}));
  auto first = writeBeneath(folder_, "new", {}, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(std::optional(*first), stampBeneath(folder_, "new"));
}

TEST_F(BeneathTest, AHardLinkIsNotWrittenThrough) {
  fs::create_hard_link(outside_ / "secret", folder_ / "hard");
  EXPECT_EQ(save("hard", "x", stampBeneath(folder_, "hard")), "");
  EXPECT_EQ(content(folder_ / "hard"), "x");
  EXPECT_EQ(content(outside_ / "secret"), "secret");
}

} // namespace
} // namespace lanescope::core
