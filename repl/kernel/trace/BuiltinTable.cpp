#include "repl/kernel/trace/BuiltinTable.h"

namespace lanescope::repl {

BuiltinTable::BuiltinTable(Builtins first) {
  constexpr size_t kMoreToCome = 3; // the factor by which the table is expected to grow
  byName_.reserve(first.size() * kMoreToCome);
  entries_.reserve(first.size() * kMoreToCome);
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
  auto [place, isNew] = byName_.try_emplace(one.name, entries_.size());
  if (!isNew) {
    entries_[place->second].name.clear();
    place->second = entries_.size();
  }
  entries_.push_back(std::move(one));
}

Builtin *BuiltinTable::find(std::string_view name) {
  auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &entries_[found->second];
}

Builtins BuiltinTable::take() && {
  std::erase_if(entries_, [](const Builtin &entry) { return entry.name.empty(); });
  return std::move(entries_);
}

} // namespace lanescope::repl
