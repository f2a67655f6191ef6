#include "app/yaml/merge.hpp"

#include <utility>
#include <vector>

namespace pithball::app {

Tree merged(Tree base, const Tree& over) {
  if (base.kind != Tree::Kind::Map || over.kind != Tree::Kind::Map) return over;
  Tree result = over;  // with its own place
  result.entries = std::move(base.entries);
  for (const Tree& entry : over.entries) {
    Tree* below = result.find(entry.key);
    if (!below)
      result.entries.push_back(entry);
    else if (entry.kind == Tree::Kind::Null)
      result.entries.erase(result.entries.begin() + (below - result.entries.data()));
    else
      *below = merged(std::move(*below), entry);
  }
  return result;
}

}  // namespace pithball::app
