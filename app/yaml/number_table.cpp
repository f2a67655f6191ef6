#include "app/yaml/number_table.hpp"

#include <numeric>

#include "app/yaml/file_name.hpp"
#include "datasets/text/csv_table.hpp"

namespace pithball::app {

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
