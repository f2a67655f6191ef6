#pragma once
#include <vector>

#include "app/run/comparison.hpp"

namespace pithball::app {

/// Scales by which errors are divided.
struct ReferenceScale {
  bool by_instant = true;   ///< energies by |E_ref| at each instant; else by the largest
  double energy = unknown;  ///< largest |E_ref| [J]; NaN if zero up to the rounding of kinetic energies
  double displacement = 0;  ///< largest distance of a particle from its start [m]
};

/// The scales from a reference's samples, the first of which is its start.
ReferenceScale scale_of(const std::vector<Sample>& reference);

/// Accumulates the deviation of a run from the reference.
class DeviationMeter {
 public:
  /// Starts without instants.
  explicit DeviationMeter(const ReferenceScale& scale) : scale_(scale) {}
  /// Adds an instant: the run and the reference at the same time.
  void add(const Sample& sample, const Sample& reference);
  /// `complete`: the run completed; otherwise there are no statistics, only the errors so far.
  Deviation result(bool complete) const;

 private:
  ReferenceScale scale_;
  Deviation deviation_;
};

}  // namespace pithball::app
