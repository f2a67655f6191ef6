#include "app/yaml/file_name.hpp"

#include <numeric>
#include <system_error>

#include "datasets/manifest/manifest.hpp"
#include "datasets/text/csv_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// Returns the folder of a data set; errors are reported at the line of the file that names it.
fs::path find_data_set(const Node& reference, const std::string& name) {
  try {
    return datasets::find_dataset(datasets::load_manifest(), name);
  } catch (const InvalidArgument& error) {
    reference.reject("dataset", error.parts().required, error.parts().got, error.parts().remedy);
  }
}

/// Whether the file exists; false if its name is too long or it lies in an inaccessible folder.
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
  std::error_code ignored;  // set for names that no file can have
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

sim::NumberTable read_number_table(Node& node, std::string_view key, std::string_view meaning,
                                   const std::vector<std::string>& columns, std::string_view reader) {
  const std::string file = read_file_name(node, key, meaning).string();
  if (node.describing()) return {};
  const bool named = !columns.empty();
  const auto cells = std::make_shared<const datasets::CsvTable>(file, named ? 1 : 0, 0);
  std::vector<Index> wanted;
  for (const std::string& column : columns) wanted.push_back(cells->find_column(column, std::string(reader)));
  if (!named) {
    wanted.resize(cells->columns());
    std::iota(wanted.begin(), wanted.end(), Index{0});
  }
  const bool names = !named && cells->cell(0, 0).text.find_first_of("0123456789") == std::string_view::npos;
  const Index first = names ? 1 : 0;
  Eigen::MatrixXd numbers(cells->rows() - first, static_cast<Index>(wanted.size()));
  for (Index row = 0; row < numbers.rows(); ++row)
    for (Index column = 0; column < numbers.cols(); ++column)
      numbers(row, column) = cells->number(first + row, wanted[column]);
  return {file, std::move(numbers), [=](Index row) { return cells->where(first + row); },
          [=](Index row, Index column) { return cells->where(first + row, wanted[column]); }};
}

}  // namespace pithball::app
