#include "optim/screening/sample_findings.hpp"

#include <algorithm>
#include <cmath>

#include "optim/screening/full_turns.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

std::vector<Finding> find_in_samples(const Observation& observation, const Vec3& /*file_scale*/) {
  std::vector<Finding> findings;
  std::vector<TrackSamples> tracks = take_samples(observation);
  for (TrackSamples& samples : tracks)
    if (std::optional<Finding> found = find_full_turns(observation, samples)) findings.push_back(std::move(*found));
  return findings;
}

}  // namespace pithball::optim
