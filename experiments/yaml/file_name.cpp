#include "experiments/yaml/file_name.hpp"

#include <cstdlib>

namespace pithball::experiments {
namespace {

namespace fs = std::filesystem;

fs::path data_set_folder(const std::string& name) {
  const char* data = std::getenv("PITHBALL_DATA");
  if (data && fs::is_directory(fs::path(data) / name)) return fs::path(data) / name;
  return fs::path("datasets/external") / name;
}

}  // namespace

fs::path read_file_name(Node& node, std::string_view key, std::string_view meaning, bool required) {
  if (node.describing()) {
    node.document(key, "file name, or {dataset: NAME, path: FILE}", required ? "required" : "optional", meaning);
    return {};
  }
  if (node.is_map(key)) {
    Node reference = node.form(key);
    const std::string name = reference.text("dataset", "");
    const fs::path file = fs::absolute(data_set_folder(name) / reference.text("path", ""));
    if (!fs::exists(data_set_folder(name)))
      reference.refuse("dataset", "must be a data set that is on this machine", "'" + name + "'",
                       "run `pithball data get " + name + "`, or name the folder that holds it in PITHBALL_DATA");
    if (!fs::exists(file)) reference.refuse("path", "must be a file of the data set", "'" + file.string() + "'", "look into its README.md");
    return file;
  }
  const std::string name = node.text(key, meaning);
  const fs::path file = (node.folder() / name).lexically_normal();
  if (!fs::exists(file)) node.refuse(key, "must be an existing file", "'" + name + "'", "names are relative to the folder of the experiment file");
  node.fill(key, "\"" + file.string() + "\"");
  return file;
}

}  // namespace pithball::experiments
