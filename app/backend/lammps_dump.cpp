#include "app/backend/lammps_dump.hpp"

#include <stdexcept>

#include "datasets/text/text_scan.hpp"

namespace pithball::app {

using sim::Index;

bool LammpsDump::read(sim::Points& x, sim::Points& v) {
  const auto is_whole_line = [&] { return std::getline(in_, line_) && !in_.eof(); };  // a killed run leaves half of one
  do
    if (!is_whole_line()) return false;
  while (line_.rfind("ITEM: ATOMS", 0) != 0);
  x.resize(3, particles_);
  v.resize(3, particles_);
  for (Index i = 0; i < particles_; ++i) {
    if (!is_whole_line()) return false;
    const auto words = datasets::split_words(line_);
    if (words.size() != 7 || datasets::parse_integer(words[0]) != i + 1)
      throw std::runtime_error("LAMMPS wrote '" + line_ + "' where particle " + std::to_string(i) + " was due");
    for (Index a = 0; a < 3; ++a) {
      const auto position = datasets::parse_number(words[1 + a]), velocity = datasets::parse_number(words[4 + a]);
      if (!position || !velocity) throw std::runtime_error("LAMMPS wrote '" + line_ + "', which are no numbers");
      x(a, i) = *position;
      v(a, i) = *velocity;
    }
  }
  return true;
}

}  // namespace pithball::app
