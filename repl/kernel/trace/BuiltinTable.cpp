#include "repl/kernel/trace/BuiltinTable.h"

namespace lanescope::repl {

BuiltinTable::BuiltinTable(Builtins first) {
  constexpr size_t kMoreToCome = 3; // times as many
  byName_.reserve(first.size() * kMoreToCome);
  for (Builtin &builtin : first)
    put(std::move(builtin));
}

void BuiltinTable::add(Builtins more) {
  for (Builtin &builtin : more) {
    if (builtin.group == "other")
      builtin.group = "kernels";
    put(std::move(builtin));
  }
}

void BuiltinTable::put(Builtin one) {
  Builtin &entry = entries_.emplace_back(std::move(one));
  auto [place, isNew] = byName_.try_emplace(entry.name, &entry);
  if (isNew)
    return;
  Builtin *before = place->second;
  byName_.erase(place); // its key is the name of the one before
  before->name.clear();
  byName_.emplace(entry.name, &entry);
}

Builtin *BuiltinTable::find(std::string_view name) {
  auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second;
}

Builtins BuiltinTable::take() && {
  Builtins all;
  all.reserve(byName_.size());
  for (Builtin &entry : entries_)
    if (!entry.name.empty())
      all.push_back(std::move(entry));
  return all;
}

} // namespace lanescope::repl
