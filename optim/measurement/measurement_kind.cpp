#include "optim/measurement/measurement_kind.hpp"

#include "sim/core/text.hpp"

namespace pithball::optim {

std::string MeasurementKind::shown(double value) const {
  return formatted("%.3g %s", shown_unit.factor * value, shown_unit.name.c_str());
}

OtherAxes describe_vector_axes(const Mat3& axes, const std::array<std::string, 3>& written) {
  const std::array<std::string, 3> names{"x", "y", "z"};
  std::vector<std::string> mirrored, exchanged;
  std::array<std::string, 3> now;  // axes of the file that become x, y, z
  for (int a = 0; a < 3; ++a) {
    if (axes(a, a) < 0) mirrored.push_back(names[a]);
    if (axes(a, a) == 0) exchanged.push_back(names[a]);
    for (int b = 0; b < 3; ++b) {
      if (axes(b, a) == 0) continue;
      const bool is_negative = written[b].starts_with('-');
      now[a] = (is_negative != (axes(b, a) < 0) ? "-" : "") + (is_negative ? written[b].substr(1) : written[b]);
    }
  }
  const std::string key = "axes: [" + now[0] + ", " + now[1] + ", " + now[2] + "]";
  if (exchanged.empty())
    return {(mirrored.size() == 1 ? "axis " : "axes ") + in_words(mirrored) +
                (mirrored.size() == 1 ? " is mirrored" : " are mirrored"),
            key};
  return {"axes " + in_words(exchanged) + " are " + (exchanged.size() == 2 ? "exchanged" : "permuted") +
              (axes.minCoeff() < 0 ? " with a change of sign" : ""),
          key};
}

}  // namespace pithball::optim
