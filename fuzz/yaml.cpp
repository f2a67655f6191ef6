#include "app/yaml/tree.hpp"
#include "fuzz/target.hpp"

/// A document is written as it was read: a run folder's run.yaml means the experiment that was run.
void pithball::fuzz::yaml(std::string_view bytes, const std::string&) {
  const std::string written = app::to_yaml(app::parse_yaml(std::string(bytes), "input.yaml"));
  require(app::to_yaml(app::parse_yaml(written, "written.yaml")) == written, "a written document reads as the same");
}
