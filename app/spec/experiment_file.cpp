#include "app/spec/experiment_file.hpp"

#include "app/spec/keys_page.hpp"
#include "app/yaml/include.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {

ExperimentDocument load_document(const std::string& file, const std::vector<Override>& overrides) {
  const std::filesystem::path whole = std::filesystem::absolute(file);
  if (!is_utf8(whole.string()))  // it stands in run.yaml, with the names of files beside it
    throw InvalidArgument({whole.string(), "", "must have a name in UTF-8, as required by YAML", "",
                           "rename the file, or the folder that holds it"});
  ExperimentDocument document{{}, whole.parent_path()};
  document.keys = &experiment_key_schema();
  document.root = read_with_includes(file);
  apply_overrides(overrides, document);
  return document;
}

ExperimentDocument parse_document(const std::string& text, const Source& source,
                                  const std::vector<Override>& overrides) {
  ExperimentDocument document{parse_yaml(text, source), source.folder};
  document.keys = &experiment_key_schema();
  if (const Tree* included = document.root.find("include"))
    throw InvalidArgument({included->key_place.text(), "include", "must be written in an experiment file", "",
                           "save the experiment as a file, or write its keys here"});
  apply_overrides(overrides, document);
  return document;
}

}  // namespace pithball::app
