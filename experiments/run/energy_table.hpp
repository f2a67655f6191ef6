#pragma once
#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

/// Writes energy.csv: step, time [s], and [J] elastic, coulomb, interaction, external, kinetic, their total, what each
/// kind of loss has taken out since step 0 (`sim::loss_names`) and what the steps' error has; every row as it comes,
/// numbers so that reading gives the same bits.
class EnergyTable {
 public:
  explicit EnergyTable(const std::filesystem::path& file);
  void add(const sim::EnergyRow& row);
  /// Throws std::runtime_error if something could not be written.
  void close();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
};

/// Rows of an energy.csv; stops before the first line that is not whole, as a killed run leaves it.
std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file);

}  // namespace pithball::experiments
