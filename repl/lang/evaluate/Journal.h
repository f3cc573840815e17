// What a running entry changed in lists, dicts and arrays that existed before it: enough to undo it.
#pragma once

#include "repl/lang/values/Value.h"

#include <vector>

namespace lanescope::repl {

class Journal {
public:
  /// Remembers the content of a list, dict or array.
  void save(const Value &container);
  /// Puts all remembered contents back, newest first.
  void undo();

private:
  struct Saved {
    Value container, copy;
  };
  std::vector<Saved> saved_;
};

} // namespace lanescope::repl
