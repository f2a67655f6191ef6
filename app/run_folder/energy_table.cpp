#include "app/run_folder/energy_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "datasets/text/text_scan.hpp"

namespace pithball::app {
namespace {

std::string header() {
  return fmt::format("step,time,elastic,coulomb,interaction,external,kinetic,total,{},numerical",
                     fmt::join(sim::loss_names, ","));
}
constexpr std::size_t losses_at = 8, columns = losses_at + sim::loss_names.size() + 1;

}  // namespace

EnergyTable::EnergyTable(const std::filesystem::path& file) : file_(file), out_(file) {
  out_ << header() << "\n" << std::flush;
}

EnergyTable::EnergyTable(const std::filesystem::path& file, std::uintmax_t kept) : file_(file) {
  std::filesystem::resize_file(file, kept);
  out_.open(file, std::ios::app);
}

void EnergyTable::add(const sim::EnergyRow& row) {
  out_ << fmt::format("{},{},{},{},{},{},{},{}", row.step, row.t, row.elastic, row.coulomb, row.interaction,
                      row.external, row.kinetic, row.total());
  for (std::size_t k = 0; k < sim::loss_names.size(); ++k) out_ << fmt::format(",{}", row.losses[k]);
  out_ << fmt::format(",{}\n", row.numerical) << std::flush;
}

void EnergyTable::close() {
  out_.close();
  if (!out_) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file_.string()));
}

void visit_energy_rows(const std::filesystem::path& file,
                       const std::function<bool(const sim::EnergyRow& row, std::uintmax_t end)>& visit) {
  const std::string first = header() + "\n";
  if (datasets::read_beginning(file.string(), first.size()) != first) return;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line) && !in.eof()) {  // a line that ends with the file has no line end: not whole
    std::istringstream cells(line);
    std::vector<double> numbers;
    for (std::string cell; std::getline(cells, cell, ',');)
      numbers.push_back(datasets::parse_number(cell).value_or(NAN));
    if (numbers.size() != columns) return;
    sim::Losses losses;
    for (std::size_t k = 0; k < sim::loss_names.size(); ++k) losses[k] = numbers[losses_at + k];
    const sim::EnergyRow row{.step = static_cast<sim::Index>(numbers[0]),
                             .t = numbers[1],
                             .elastic = numbers[2],
                             .coulomb = numbers[3],
                             .interaction = numbers[4],
                             .external = numbers[5],
                             .kinetic = numbers[6],
                             .losses = losses,
                             .numerical = numbers.back()};
    if (!visit(row, static_cast<std::uintmax_t>(in.tellg()))) return;
  }
}

std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file) {
  std::vector<sim::EnergyRow> rows;
  visit_energy_rows(file, [&](const sim::EnergyRow& row, std::uintmax_t) {
    rows.push_back(row);
    return true;
  });
  return rows;
}

}  // namespace pithball::app
