// The rules for a snippet's files: where it may read and write, and what it may replace.
#include "repl/lang/files/SnippetFiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

class SnippetFilesTest : public testing::Test {
protected:
  void SetUp() override {
    before_ = fs::current_path();
    root_ = fs::temp_directory_path() / ("lanescope-snippet-files-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    for (const char *folder : {"home", "work", "kernels", "data"})
      fs::create_directories(root_ / folder);
    fs::current_path(root_ / "work");
    rules_ = {.snippet = "../kernels/a.py", .saved = root_ / "home" / "saved"};
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
  }

  static core::Bytes bytes(std::string_view text) {
    auto all = std::as_bytes(std::span(text.data(), text.size()));
    return {all.begin(), all.end()};
  }
  void write(const fs::path &path, std::string_view text) const { std::ofstream(root_ / path) << text; }
  std::string content(const fs::path &path) const {
    std::ifstream in(root_ / path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The contents of the file, or the kind of the error.
  static std::string read(const SnippetFiles &files, const std::string &name) {
    auto got = files.read(name, core::FileRole::Array);
    return got ? std::string(reinterpret_cast<const char *>(got->data()), got->size()) : got.error()[0].kind;
  }
  static std::string save(SnippetFiles &files, const std::string &name, std::string_view text) {
    auto done = files.save(name, bytes(text));
    return done ? "" : done.error()[0].kind;
  }

  fs::path before_, root_;
  FileRules rules_;
};

TEST_F(SnippetFilesTest, ReadsInItsFoldersInOrder) {
  SnippetFiles files(rules_);
  write("work/x.npy", "work");
  EXPECT_EQ(read(files, "x.npy"), "work");
  write("kernels/x.npy", "kernels");
  EXPECT_EQ(read(files, "x.npy"), "kernels");
  EXPECT_EQ(read(files, (root_ / "work" / "x.npy").string()), "work");
  EXPECT_EQ(read(files, "../work/x.npy"), "work"); // the text of the path is inside a readable folder
  write("data/y.npy", "data");
  for (const std::string &name : {std::string("../data/y.npy"), (root_ / "data" / "y.npy").string(),
                                  std::string("/etc/passwd"), std::string("~/x.npy/../../../y.npy")})
    EXPECT_EQ(read(files, name), "file-access") << name;
  rules_.reads = {"../data"};
  EXPECT_EQ(read(SnippetFiles(rules_), "y.npy"), "data");
  EXPECT_EQ(read(SnippetFiles(rules_), (root_ / "data" / "y.npy").string()), "data");
  EXPECT_EQ(read(files, "none.npy"), "unreadable-file");
}

TEST_F(SnippetFilesTest, WritesInOneFolder) {
  SnippetFiles files(rules_);
  EXPECT_EQ(save(files, "y.npy", "1"), "");
  EXPECT_EQ(content("kernels/y.npy"), "1");
  EXPECT_EQ(save(files, (root_ / "kernels" / "z.npy").string(), "2"), "");
  for (const std::string &name : {std::string("../work/y.npy"), (root_ / "work" / "y.npy").string(), std::string("..")})
    EXPECT_EQ(save(files, name, "x"), "file-access") << name;
  rules_.out = "../data/new";
  SnippetFiles out(rules_);
  EXPECT_EQ(save(out, "y.npy", "3"), "");
  EXPECT_EQ(content("data/new/y.npy"), "3");
  EXPECT_EQ(read(out, "y.npy"), "3"); // its own output comes first
  EXPECT_EQ(content("kernels/y.npy"), "1");
  SnippetFiles typed(FileRules{});
  EXPECT_EQ(save(typed, "t.npy", "4"), "");
  EXPECT_EQ(content("work/t.npy"), "4");
}

TEST_F(SnippetFilesTest, ReplacesWhatItMade) {
  write("kernels/old.npy", "precious");
  {
    SnippetFiles files(rules_);
    EXPECT_EQ(save(files, "old.npy", "x"), "file-exists");
    EXPECT_EQ(save(files, "own.npy", "1"), "");
    EXPECT_EQ(save(files, "own.npy", "2"), "");
  }
  SnippetFiles again(rules_); // a later run of the same snippet
  EXPECT_EQ(save(again, "own.npy", "3"), "");
  rules_.snippet = "../kernels/b.py";
  SnippetFiles other(rules_);
  EXPECT_EQ(save(other, "own.npy", "x"), "file-exists");
  EXPECT_EQ(content("kernels/own.npy"), "3");
  write("kernels/own.npy", "by the user since");
  EXPECT_EQ(save(again, "own.npy", "x"), "file-exists");
  EXPECT_EQ(content("kernels/own.npy"), "by the user since");
  EXPECT_EQ(content("kernels/old.npy"), "precious");
  write("home/saved", "not a record\n[1,2]\n{}\n");
  EXPECT_EQ(save(other, "own.npy", "x"), "file-exists");
}

TEST_F(SnippetFilesTest, ReplacesWhatItsUserLets) {
  write("kernels/old.npy", "precious");
  SnippetFiles files(rules_);
  std::string asked;
  bool answer = false;
  files.ask = [&](const std::string &path) { return asked = path, answer; };
  EXPECT_EQ(save(files, "old.npy", "x"), "file-exists");
  EXPECT_EQ(asked, (root_ / "kernels" / "old.npy").string());
  answer = true;
  EXPECT_EQ(save(files, "old.npy", "new"), "");
  EXPECT_EQ(content("kernels/old.npy"), "new");
  rules_.overwrite = true;
  rules_.snippet = "../kernels/b.py";
  SnippetFiles let(rules_);
  EXPECT_EQ(save(let, "old.npy", "newer"), "");
  fs::remove(root_ / "kernels" / "old.npy");
  write("work/far.npy", "precious");
  fs::create_symlink(root_ / "work" / "far.npy", root_ / "kernels" / "old.npy");
  EXPECT_EQ(save(let, "old.npy", "x"), "file-access"); // no run writes through a link
  EXPECT_EQ(content("work/far.npy"), "precious");
}

TEST_F(SnippetFilesTest, KeepsInMemoryWhereNothingIsWritten) {
  rules_.keepsInMemory = true;
  write("kernels/old.npy", "precious");
  SnippetFiles files(rules_);
  EXPECT_EQ(save(files, "old.npy", "in memory"), "");
  EXPECT_EQ(read(files, "old.npy"), "in memory");
  EXPECT_EQ(save(files, "../../x.npy", "x"), "file-access"); // the same rules apply
  EXPECT_EQ(content("kernels/old.npy"), "precious");
  files.setKeepsInMemory(false);
  EXPECT_EQ(read(files, "old.npy"), "precious");
}

TEST_F(SnippetFilesTest, NamesShowWhatTheyAre) {
  SnippetFiles files(rules_);
  for (const std::string &name :
       {std::string("a.npy\0.npy", 10), std::string("a\n.npy"), std::string("a\x1b[2J.npy"), std::string(""),
        std::string("a\xe2\x80\xae.npy"), std::string("\xff.npy"), std::string(5000, 'a') + ".npy"}) {
    EXPECT_EQ(save(files, name, "x"), "file-access");
    EXPECT_EQ(read(files, name), "file-access");
  }
  EXPECT_EQ(save(files, std::string(300, 'a') + ".npy", "x"), "unwritable-file");
  EXPECT_EQ(save(files, "µ 中.npy", "x"), "");
  EXPECT_EQ(save(files, "~.npy", "x"), ""); // an ordinary character
  EXPECT_TRUE(fs::exists(root_ / "kernels" / "~.npy"));
}

TEST_F(SnippetFilesTest, AProgramHasNoRules) {
  SnippetFiles files({.anywhere = true});
  write("data/y.npy", "data");
  EXPECT_EQ(read(files, "../data/y.npy"), "data");
  EXPECT_EQ(save(files, "../data/y.npy", "new"), "");
  EXPECT_EQ(content("data/y.npy"), "new");
  EXPECT_EQ(save(files, std::string("y\0.npy", 6), "x"), "unreadable-file");
}

TEST_F(SnippetFilesTest, AFolderMoreIsReadWhileItsFileIsOpen) {
  SnippetFiles files(rules_);
  write("data/y.npy", "data");
  const std::string name = (root_ / "data" / "y.npy").string();
  {
    SnippetFiles::Opened opened(files, root_ / "data" / "y.npy");
    EXPECT_EQ(read(files, name), "data");
    EXPECT_EQ(save(files, name, "x"), "file-access");
  }
  EXPECT_EQ(read(files, name), "file-access");
}

TEST_F(SnippetFilesTest, AnErrorTellsNoTextOfAForeignFile) {
  Diagnostics problems = {{Severity::Error, "syntax", {Source::make("passwd", "root:x:0"), 0, 4}, "no `root:x:0`", {}}};
  auto foreign = unusableFile("a dump", "passwd", {}, problems, true).error();
  EXPECT_EQ(render(foreign).find("root"), std::string::npos);
  auto own = unusableFile("a dump", "passwd", {}, problems, false).error();
  EXPECT_EQ(own[0].message.find("root"), std::string::npos);
  EXPECT_EQ(own[0].kind, "unusable-file");
  ASSERT_EQ(own[0].notes.size(), 1u);
}

} // namespace
} // namespace lanescope::repl
