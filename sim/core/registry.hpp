#pragma once
#include <deque>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"

namespace pithball::sim {

/// The kinds of one thing by their `name`, in the order in which they are listed: forces, shapes, export formats. A
/// program may add its own before it reads the first experiment; later, or while other threads read, it must not.
template <class Kind>
class Registry {
 public:
  /// `what`: the key or option that takes such a name, for errors.
  Registry(std::string what, std::vector<Kind> kinds)
      : what_(std::move(what)), kinds_(std::make_move_iterator(kinds.begin()), std::make_move_iterator(kinds.end())) {}

  auto begin() const { return kinds_.begin(); }         ///< in the order of the list
  auto end() const { return kinds_.end(); }             ///< past the last
  std::size_t size() const { return kinds_.size(); }    ///< number of kinds
  const Kind& front() const { return kinds_.front(); }  ///< the first, which is the default where there is one
  const Kind& operator[](std::size_t i) const { return kinds_[i]; }  ///< by index, from 0

  /// All names, in the order of the list.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Kind& kind : kinds_) all.emplace_back(kind.name);
    return all;
  }
  /// The kind of this name; null if there is none.
  const Kind* find(std::string_view name) const {
    for (const Kind& kind : kinds_)
      if (kind.name == name) return &kind;
    return nullptr;
  }
  /// The kind of this name. Throws InvalidArgument with all names if there is none.
  const Kind& at(const std::string& name) const {
    if (const Kind* found = find(name)) return *found;
    throw InvalidArgument({"", what_, "must be one of " + joined(names()), name, "choose one of them"});
  }
  /// Adds a kind as the last. Throws InvalidArgument if its name is empty or taken.
  const Kind& add(Kind kind) {
    if (std::string_view(kind.name).empty() || find(kind.name))
      throw InvalidArgument({"", what_, "must have a name of its own", kind.name, "choose another name"});
    return kinds_.emplace_back(std::move(kind));
  }

 private:
  std::string what_;
  std::deque<Kind> kinds_;  // kinds do not move when others are added
};

}  // namespace pithball::sim
