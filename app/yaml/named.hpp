#pragma once
#include "app/yaml/node.hpp"

namespace pithball::app {

/// One choice among named things with settings of their own.
struct Named {
  std::string name;  ///< one of the known names
  Node settings;     ///< empty if only the name was written
};

/// The names of a registry's entries, in its order.
template <class Registry>
std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& entry : registry) names.push_back(entry.name);
  return names;
}

/// Reads `name: settings`, or the bare name if all settings have defaults. Throws InvalidArgument for anything else and
/// for unknown names; `kind` and `remedy` complete the message: "force", "begin each force with its own dash".
/// `beside`: a key that may stand beside the name, and is read by the caller.
Named read_named(Node& item, const std::string& kind, const std::vector<std::string>& known, const std::string& remedy,
                 std::string_view beside = {});

}  // namespace pithball::app
