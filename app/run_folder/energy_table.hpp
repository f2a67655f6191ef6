#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// Writes energy.csv: step, time [s], and [J] elastic, coulomb, interaction, external, kinetic, their total, what each
/// kind of loss has taken out since step 0 (`sim::loss_names`) and what the steps' error has; every row as it comes,
/// numbers so that reading gives the same bits.
class EnergyTable {
 public:
  explicit EnergyTable(const std::filesystem::path& file);
  /// Goes on with a table after its first `kept` bytes; the rest is cut off.
  EnergyTable(const std::filesystem::path& file, std::uintmax_t kept);
  void add(const sim::EnergyRow& row);
  /// Throws std::runtime_error if something could not be written.
  void close();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
};

/// Shows the rows of an energy.csv in order, with where each ends in the file [bytes], until it is told to stop by
/// false or a line is not whole, as a killed run leaves it.
void visit_energy_rows(const std::filesystem::path& file,
                       const std::function<bool(const sim::EnergyRow& row, std::uintmax_t end)>& visit);

/// All rows of an energy.csv; stops before the first line that is not whole, as a killed run leaves it.
std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file);

}  // namespace pithball::app
