#include "optim/fit/parameter_table.hpp"

#include <cmath>

namespace pithball::optim {
namespace {

/// The errors of a value.
void fill_parameter(double slope, const ParameterErrors& errors, FittedParameter& p) {
  p.identifiable = errors.identifiable;
  p.weak_direction = errors.weak_direction;
  p.standard_error = slope * errors.standard_error;
  p.errors.widest = errors.widest;
  p.errors.formal = slope * errors.formal;
  p.errors.robust = slope * errors.robust;
  p.errors.jackknife = slope * errors.jackknife;
  p.errors.random_effects = slope * errors.random_effects;
}

}  // namespace

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta) {
  const Vector estimate = map.physical(theta);
  const std::vector<BoundSide> sides = find_bounds(map, theta);
  std::vector<FittedParameter> table;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    FittedParameter p;
    p.name = info.name;
    p.value = info.value;
    p.scope.group = info.group;
    p.scope.recording = info.recording;
    p.scope.is_nuisance = info.is_nuisance;
    p.unit = info.unit;
    p.initial = info.initial;
    p.estimate = estimate[k];
    p.interval.at_bound = sides[k] != BoundSide::None;
    table.push_back(p);
  }
  return table;
}

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta,
                                      const std::vector<ParameterErrors>& errors, const std::vector<BoundSide>& sides) {
  std::vector<FittedParameter> table = tabulate(map, theta);
  const Vector slope = map.physical_derivative(theta);
  for (Index k = 0; k < map.size(); ++k) {
    fill_parameter(slope[k], errors[k], table[k]);
    if (!std::isnan(errors[k].half_width)) set_interval(map.info()[k], sides[k], theta[k], errors[k], table[k]);
  }
  return table;
}

}  // namespace pithball::optim
