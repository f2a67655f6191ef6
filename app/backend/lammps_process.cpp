#include "app/backend/lammps_process.hpp"

#include <unistd.h>

#include "app/backend/backend.hpp"
#include "app/base/child_process.hpp"
#include "datasets/text/text_scan.hpp"

namespace pithball::app {

std::filesystem::path find_lammps() {
  return find_program({{"lmp"}, "PITHBALL_LAMMPS", "lammps", "backend lammps: the molecular dynamics program LAMMPS"});
}

std::string LammpsOutput::after(const std::string& mark) const {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return std::string(datasets::trim(std::string_view(text).substr(begin, text.find('\n', begin) - begin)));
}

double LammpsOutput::number_after(const std::string& mark) const {
  const std::string rest = after(mark);
  for (const std::string_view word : datasets::split_words(rest))
    if (word != "|") return datasets::parse_number(word).value_or(0);
  return 0;
}

void run_lammps(const std::filesystem::path& program, const std::filesystem::path& deck, LammpsOutput& output) {
  ChildProcess lammps({program.string(), "-in", deck.string(), "-log", "none"}, {STDOUT_FILENO}, backend_patience);
  for (std::string part = lammps.read(); !part.empty(); part = lammps.read()) output.text += part;
  output.ok = lammps.finish() == 0;
}

}  // namespace pithball::app
