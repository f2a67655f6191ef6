#include "sim/field/analytic_field.hpp"

#include "fuzz/target.hpp"

/// `kind`: "space" for an expression in x, y, z, t, "radius" for one in r.
void pithball::fuzz::expression(std::string_view bytes, const std::string& kind) {
  if (kind == "radius") {
    const sim::RadialExpression read{std::string(bytes)};
    for (const double r : {0.0, 1e-3, 1.0, 1e200}) read.jet(r);
    return;
  }
  const sim::AnalyticPotential read{std::string(bytes)};
  for (const double s : {0.0, -1.0, 0.3, 1e200}) {
    read.potential({s, 0.5 * s, -s}, s);
    read.value({s, 0.5 * s, -s}, s);
    read.jacobian({s, 0.5 * s, -s}, s);
  }
}
