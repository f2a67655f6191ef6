#include "app/run/deviation_meter.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::app {

ReferenceScale scale_of(const std::vector<Sample>& reference) {
  ReferenceScale scale;
  double lowest = reference.front().energy, highest = lowest, kinetic = 0;
  for (const Sample& sample : reference) {
    lowest = std::min(lowest, sample.energy);
    highest = std::max(highest, sample.energy);
    kinetic = std::max(kinetic, sample.kinetic);
    scale.displacement = std::max(scale.displacement, (sample.x - reference.front().x).colwise().norm().maxCoeff());
  }
  const double largest = std::max(std::abs(lowest), std::abs(highest));
  scale.by_instant = lowest > 0 || highest < 0;
  if (largest > 1e-13 * kinetic) scale.energy = largest;
  return scale;
}

void DeviationMeter::add(const Sample& sample, const Sample& reference) {
  const double by = std::isnan(scale_.energy) ? unknown
                    : scale_.by_instant       ? std::abs(reference.energy)
                                              : scale_.energy;
  deviation_.time.push_back(sample.t);
  deviation_.energy_error.push_back(std::abs(sample.energy - reference.energy) / by);
  deviation_.position_error.push_back(std::sqrt((sample.x - reference.x).colwise().squaredNorm().mean()));
}

Deviation DeviationMeter::result(bool complete) const {
  Deviation result = deviation_;
  if (!complete || result.time.empty()) return result;
  const double count = result.time.size();
  double sum = 0, squares = 0, positions = 0;
  for (const double error : result.energy_error) sum += error;
  result.energy_mean = sum / count;
  for (const double error : result.energy_error) squares += std::pow(error - result.energy_mean, 2);
  result.energy_standard_deviation = std::sqrt(squares / count);
  result.energy_max = std::isnan(sum) ? unknown : std::ranges::max(result.energy_error);
  for (const double error : result.position_error) positions += error * error;
  result.position = std::sqrt(positions / count);
  if (scale_.displacement > 0) result.position_relative = result.position / scale_.displacement;
  return result;
}

}  // namespace pithball::app
