#pragma once
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"

namespace pithball::optim {

/// What the samples of a recording show by themselves, without a body: faults first, each kind in the order of markers.
/// Time is linear in the number of samples. Passes follow one another, each without the samples found before: full
/// turns, placeholders, repeats, filled stretches, outliers, and at last the noise of what is left.
///
/// `file_scale`: by component, the unit of the file's numbers in that of the kind, negative where the file's axis
/// points the other way, so that keys and sentences show the numbers of the file ("missing: [-999]").
std::vector<Finding> find_in_samples(const Observation& observation, const Vec3& file_scale = Vec3::Ones());

}  // namespace pithball::optim
