#include "app/yaml/file_name.hpp"

#include <system_error>

#include "datasets/manifest/manifest.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// The folder of a data set; errors are reported at the place that names it.
fs::path find_data_set(const Node& reference, const std::string& name) {
  try {
    return datasets::find_dataset(datasets::load_manifest(), name);
  } catch (const InvalidArgument& error) {
    reference.reject("dataset", error.parts().required, error.parts().got, error.parts().remedy);
  }
}

/// A name that is too long or leads through a folder that is closed to us is none of a file.
bool is_there(const fs::path& file) {
  std::error_code unreachable;
  return fs::exists(file, unreachable);
}

}  // namespace

fs::path read_file_name(Node& node, std::string_view key, std::string_view meaning, bool required) {
  if (node.describing()) {
    node.document(key, "file name, or {dataset: NAME, path: FILE}", required ? "required" : "optional", meaning);
    return {};
  }
  std::error_code ignored;  // of a name that no file can have
  if (node.is_map(key)) {
    Node reference = node.form(key);
    const std::string name = reference.text("dataset", "");
    const fs::path file = fs::absolute(find_data_set(reference, name) / reference.text("path", ""));
    if (!is_there(file))
      reference.reject("path", "must be a file of the data set", "'" + file.string() + "'", "see its README.md");
    node.add_input(file);
    return file;
  }
  const std::string name = node.text(key, meaning);
  const fs::path file = (node.folder(key) / name).lexically_normal();
  if (!is_there(file))
    node.reject(key, "must be an existing file", "'" + name + "'",
                "file names are relative to the folder of the file that they are written in");
  node.fill(key, quoted_scalar(file.string()));
  node.add_input(file);
  return file;
}

}  // namespace pithball::app
