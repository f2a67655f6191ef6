#pragma once
#include <cmath>
#include <functional>
#include <string>

#include "optim/observation/observation.hpp"

namespace pithball::test {

/// A recording of M markers in F frames at this rate, each coordinate by a function of marker, component and time; its
/// sigma is not known.
inline optim::Observation filmed(sim::Index markers, sim::Index frames, double rate,
                                 const std::function<double(sim::Index, int, double)>& coordinate) {
  optim::Observation o;
  for (sim::Index m = 0; m < markers; ++m) o.markers.push_back({std::to_string(m), {{m, 1.0}}});
  o.noise.sigma = sim::Vector::Constant(markers, NAN);
  for (sim::Index f = 0; f < frames; ++f) {
    o.times.push_back(static_cast<double>(f) / rate);
    sim::Points x(3, markers);
    for (sim::Index m = 0; m < markers; ++m)
      for (int a = 0; a < 3; ++a) x(a, m) = coordinate(m, a, o.times.back());
    o.positions.push_back(x);
  }
  return o;
}

}  // namespace pithball::test
