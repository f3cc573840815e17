// A session whose pictures and remarks a test can read after each expression.
#pragma once

#include "layouts/support/Text.h"
#include "repl/session/Session.h"
#include "repl/session/Show.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::repl {

class RemarkedSession : public testing::Test {
protected:
  RemarkedSession()
      : session_(
            {.onShow =
                 [this](const Shown &shown) {
                   shown_ = shown;
                   return true;
                 },
             .remarks = [this](const Diagnostics &all) { remarks_.insert(remarks_.end(), all.begin(), all.end()); }}) {}

  Result<Value> value(const std::string &expression) {
    remarks_.clear();
    shown_.reset();
    return session_.evaluate(Source::make("<1>", expression));
  }
  /// The remarks of one kind on the last expression, one per line.
  std::string notesOf(std::string_view kind) const {
    std::string out;
    for (const Diagnostic &remark : remarks_)
      if (remark.kind == kind)
        out += remark.message + "\n";
    return out;
  }

  Session session_;
  std::optional<Shown> shown_;
  Diagnostics remarks_;
};

} // namespace lanescope::repl
