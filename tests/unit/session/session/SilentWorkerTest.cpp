// A session reports to its user that the GPU's worker does not answer.
#include "repl/session/Session.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

TEST(SilentWorker, IsRemarkedOn) {
  Diagnostics remarks;
  Session session({.kernels = {.device = "gpu", .worker = "sleep 3.5; echo no such queue >&2; exit 3"},
                   .remarks = [&](const Diagnostics &all) { remarks.insert(remarks.end(), all.begin(), all.end()); }});
  Result<void> done = session.run(Source::make("a.py", "@kernel(grid=(1,), num_threads=1)\n"
                                                       "def seven(out: Out((128,), i32)):\n"
                                                       "  out[...] = broadcasted_iota(i32, (128,), 0)\n"
                                                       "run(seven)\n"));
  ASSERT_FALSE(done);
  EXPECT_NE(lanescope::render(done.error()).find("no such queue"), std::string::npos);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, "worker-silent");
  EXPECT_EQ(remarks[0].severity, Severity::Note);
  EXPECT_NE(remarks[0].message.find("has said nothing for 3 s, since "), std::string::npos) << remarks[0].message;
  EXPECT_NE(remarks[0].message.find("while starting; Ctrl-C ends it"), std::string::npos) << remarks[0].message;
}

} // namespace
} // namespace lanescope::repl
