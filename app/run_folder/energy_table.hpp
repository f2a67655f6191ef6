#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// Writes energy.csv: step, time [s], and in [J] the elastic, Coulomb, interaction, external and kinetic energy, their
/// total, the energy removed since step 0 by each kind of loss (`sim::loss_names`) and by the integration error. Rows
/// are written as they come, with enough digits to be read back bit for bit.
class EnergyTable {
 public:
  /// Creates or replaces the file and writes its header.
  explicit EnergyTable(const std::filesystem::path& file);
  /// Continues a table after its first `kept` bytes; the rest is truncated.
  EnergyTable(const std::filesystem::path& file, std::uintmax_t kept);
  /// Appends a row; errors are noticed by `close`.
  void add(const sim::EnergyRow& row);
  /// Throws std::runtime_error on a write error.
  void close();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
};

/// Visits the rows of an energy.csv in order, each with its end in the file [bytes], until the visitor returns false or
/// a line is incomplete, as after a killed run.
void visit_energy_rows(const std::filesystem::path& file,
                       const std::function<bool(const sim::EnergyRow& row, std::uintmax_t end)>& visit);

/// All rows of an energy.csv, up to the first incomplete line, as after a killed run.
std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file);

}  // namespace pithball::app
