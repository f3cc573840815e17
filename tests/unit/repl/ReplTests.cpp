// Google Test's main with one more option: `--update` rewrites the transcripts in samples/transcripts.
#include "Transcripts.h"

#include <gtest/gtest.h>

#include <string_view>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    lanescope::repl::test::updateTranscripts |= std::string_view(argv[i]) == "--update";
  return RUN_ALL_TESTS();
}
