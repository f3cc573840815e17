// Questions about a layout that leave the array open: the answer names the array that it assumes.
#include "tests/unit/session/RemarkedSession.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

class GuessedArray : public RemarkedSession {
protected:
  std::string notes(const std::string &question) {
    Result<Value> answer = value(question);
    return answer ? notesOf("array-guessed") : render(answer.error());
  }
};

TEST_F(GuessedArray, WhatWasTakenIsSaid) {
  EXPECT_NE(notes("relayout(WGMMA, WGMMA_TRANSPOSED)").find("taken: shape=(64, 8), dtype=f32"), std::string::npos);
  EXPECT_NE(notes("relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64))").find("taken: dtype=f32"), std::string::npos);
  EXPECT_NE(notes("coalescing(WGMMA, dtype=f16)").find("taken: shape=(64, 8)"), std::string::npos);
}

TEST_F(GuessedArray, NothingIsSaidOfWhatIsTold) {
  EXPECT_EQ(notes("relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)"), "");
  EXPECT_EQ(notes("coalescing(WG_STRIDED((64, 64), 8), dtype=f16)"), ""); // the layout contains its shape
}

} // namespace
} // namespace lanescope::repl
