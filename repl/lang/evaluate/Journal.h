// The changes of a running entry to lists, dicts and arrays that existed before it, for undoing them.
#pragma once

#include "repl/lang/values/Value.h"

#include <vector>

namespace lanescope::repl {

class Journal {
public:
  /// Records the content of a list, dict or array.
  void save(const Value &container);
  /// Restores all recorded contents, newest first.
  void undo();

private:
  struct Saved {
    Value container, copy;
  };
  std::vector<Saved> saved_;
};

} // namespace lanescope::repl
