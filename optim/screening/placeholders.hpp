#pragma once
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

/// Values written where a tracker had lost its marker: one value that repeats exactly in several places, or one that
/// programs use for this (0, −1, ±99, ±999, …), far from what the samples before and after predict.
///
/// The distance of a sample from its neighbors is the least of four: from the sample before, from the one after, and
/// from the line through the two before or after. On either side of a kink one of them is small, as it is where a
/// marker passes a value again and again, rests on it, or is rounded to it. Far is a distance of 8 times the 0.9
/// quantile of the distances of all other samples, and of 3 times the 0.95 quantile of their steps. Samples that rest
/// most of the time show no placeholder. Where readings may jump (velocities, accelerations, forces), 0 counts only
/// beside noise: a body at rest and an open contact read 0 exactly.
///
/// First whole samples are compared, then single components. `file_scale` as in `find_in_samples`. What is found is
/// taken away from `samples`.
std::vector<Finding> find_placeholders(const Observation& observation, const Vec3& file_scale, TrackSamples& samples);

}  // namespace pithball::optim
