// Which programs a window may run: trust in one file, text or folder does not extend to another.
#include "repl/program/Trust.h"
#include "repl/program/ProgramKind.h"
#include "repl/program/PythonCommand.h"

#include "core/data/Files.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

class TrustTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(root_ / "a" / "below");
    fs::create_directories(root_ / "b");
    for (const char *name : {"a/k.py", "a/l.py", "a/below/k.py", "b/k.py"})
      EXPECT_TRUE(core::writeFile(root_ / name, "text"));
  }

  const TemporaryFolder own_;
  const fs::path root_ = own_.path();
};

TEST_F(TrustTest, OfATextIsOfThatTextOfThatFile) {
  ProgramTrust trust(root_ / "state" / "trusted");
  EXPECT_FALSE(trust.trusts(root_ / "a/k.py", "text"));
  trust.trustText(root_ / "a/k.py", "text");
  EXPECT_TRUE(trust.trusts(root_ / "a/k.py", "text"));
  EXPECT_FALSE(trust.trusts(root_ / "a/k.py", "text "));
  EXPECT_FALSE(trust.trusts(root_ / "a/l.py", "text"));
  EXPECT_FALSE(ProgramTrust(root_ / "state" / "trusted").trusts(root_ / "a/k.py", "text"));
}

TEST_F(TrustTest, OfAFolderIsKeptAndReachesNoOther) {
  fs::path record = root_ / "state" / "trusted";
  ASSERT_TRUE(ProgramTrust(record).trustFolder(root_ / "a/k.py"));
  ProgramTrust trust(record);
  EXPECT_TRUE(trust.trusts(root_ / "a/k.py", "text"));
  EXPECT_TRUE(trust.trusts(root_ / "a/l.py", "another"));
  EXPECT_TRUE(trust.trusts(root_ / "b/../a/k.py", "text"));
  EXPECT_FALSE(trust.trusts(root_ / "b/k.py", "text"));
  EXPECT_FALSE(trust.trusts(root_ / "a/below/k.py", "text"));
  EXPECT_FALSE(trust.trusts(root_ / "a/none.py", "text"));
  fs::create_symlink(root_ / "b/k.py", root_ / "a/link.py");
  EXPECT_FALSE(trust.trusts(root_ / "a/link.py", "text"));
  ASSERT_TRUE(trust.trustFolder(root_ / "b/k.py")); // added to the earlier entries
  EXPECT_TRUE(ProgramTrust(record).trusts(root_ / "a/k.py", "text"));
  EXPECT_TRUE(ProgramTrust(record).trusts(root_ / "a/link.py", "text"));
}

TEST_F(TrustTest, RecordsThatAreNoneTrustNothing) {
  fs::path record = root_ / "trusted";
  for (const char *content : {"/", "\"a\"\n", "{}\n[\"/\"]\n7\n", "\"/\\u0000\"\n"}) {
    ASSERT_TRUE(core::writeFile(record, content));
    EXPECT_FALSE(ProgramTrust(record).trusts(root_ / "a/k.py", "text")) << content;
  }
  fs::remove(record);
  ASSERT_EQ(::mkfifo(record.c_str(), 0600), 0); // reading it must not block
  EXPECT_FALSE(ProgramTrust(record).trusts(root_ / "a/k.py", "text"));
}

TEST_F(TrustTest, FilesOfTheCommandLineRunWhateverTheyHold) {
  ProgramTrust trust;
  trust.trustFile(root_ / "a/k.py");
  EXPECT_TRUE(trust.trusts(root_ / "a/k.py", "text"));
  EXPECT_TRUE(trust.trusts(root_ / "a/k.py", "another"));
  EXPECT_FALSE(trust.trusts(root_ / "a/l.py", "text"));
}

TEST(ProgramKind, ImportsAreRead) {
  EXPECT_EQ(importsOf("import a.b as c, d\n  from e.f import g  # h\nx = 'import i'\nimport j; import k\n"),
            (std::vector<std::string>{"a.b", "d", "e.f", "j", "k"}));
  EXPECT_EQ(importsOf("try: import a\nexcept ImportError: from b import (\n  c)\nfrom .d import e\n"),
            (std::vector<std::string>{"a", "b", ".d"}));
}

TEST(ProgramKind, AProgramImportsOutsideOfTexts) {
  for (const char *program :
       {"import a", "x = 1; import a\n", "\xef\xbb\xbfimport a\n", "'''\n'''\nfrom a import b\n",
        "s = 'it\\'s'\nimport\ta\n", "x = [\n1]\nimport a\n", "if 1: import a\n", "s = 'unclosed\nimport a\n"})
    EXPECT_TRUE(isProgram(program)) << program;
  for (const char *snippet :
       {"", "'''\nimport a\n'''\n", "# import a\n", "s = 'import a'\n", "f(\nimport_a)\n", "important = 1\n",
        "from_ = 1\n", "x = \"\"\"\\\"\"\"\nimport a\n\"\"\"\n", "f = {1:\n  import_ }", "from x\n", "import"})
    EXPECT_FALSE(isProgram(snippet)) << snippet;
}

TEST(PythonCommand, NamesWhatIsMissing) {
  auto found = PythonCommand::find("/nowhere/python3");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().front().kind, "no-python");
}

} // namespace
} // namespace lanescope::repl
