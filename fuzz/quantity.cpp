#include "app/yaml/quantity.hpp"

#include <cmath>

#include "fuzz/target.hpp"

/// The first line is the wanted unit, the rest the quantity.
void pithball::fuzz::quantity(std::string_view bytes, const std::string&) {
  const std::size_t end = bytes.find('\n');
  const std::string_view unit = bytes.substr(0, end), text = end == bytes.npos ? "" : bytes.substr(end + 1);
  const app::Quantity read = app::read_quantity(text, unit);
  require(!read.problem.empty() || std::isfinite(read.value), "a quantity without a problem is finite");
  app::read_plain_number(text);
}
