#include "optim/identity/labelled_observation.hpp"

#include <cmath>

namespace pithball::optim {
namespace {

/// Returns the observation without positions.
Observation without_samples(const Observation& observation) {
  Observation labelled = observation;
  labelled.present.clear();
  const auto markers = static_cast<Index>(labelled.markers.size());
  for (Points& frame : labelled.positions) frame = Points::Constant(3, markers, NAN);
  labelled.noise.sample_factor.assign(labelled.positions.size(), Points::Ones(3, markers));
  return labelled;
}

}  // namespace

Observation weigh_detections(const Observation& observation, const Detections& detections, const AssignmentModel& model,
                             const std::vector<FrameMarginals>& marginals) {
  constexpr double least_weight = 0.02;
  Observation labelled = without_samples(observation);
  for (std::size_t f = 0; f < marginals.size(); ++f) {
    const Eigen::MatrixXd& pair = marginals[f].pair;
    for (Index i = 0; i < pair.rows(); ++i) {
      if (!(pair.row(i).sum() >= least_weight)) continue;
      for (const int a : model.components()) {
        double information = 0, sum = 0;
        for (Index j = 0; j < pair.cols(); ++j) {
          if (!(pair(i, j) > 0)) continue;
          const double one = pair(i, j) / std::pow(model.sigma(f, j, i, a), 2);
          information += one;
          sum += one * detections.frames[f].places(a, j);
        }
        labelled.positions[f](a, i) = sum / information;
        labelled.noise.sample_factor[f](a, i) = 1 / std::sqrt(information) / observation.noise.component_sigma(i, a);
      }
    }
  }
  return labelled;
}

Observation label_detections(const Observation& observation, const Detections& detections, const AssignmentModel& model,
                             const SettledAssignment& settled) {
  constexpr double least_kept = 0.1;
  Observation labelled = without_samples(observation);
  const double scale = settled.rates.scale;
  for (std::size_t f = 0; f < settled.marginals.size(); ++f) {
    const Eigen::MatrixXd& pair = settled.marginals[f].pair;
    for (Index i = 0; i < pair.rows(); ++i) {
      const Index chosen = settled.events[f][i];
      if (chosen < 0) continue;
      for (const int a : model.components()) {
        double complete = 0, squares = 0, mean = 0;
        for (Index j = 0; j < pair.cols(); ++j) {
          if (!(pair(i, j) > 0)) continue;
          const double R = std::pow(model.sigma(f, j, i, a), 2);
          const double score = (detections.frames[f].places(a, j) - settled.predicted.places[f](a, i)) / R;
          complete += pair(i, j) / R;
          squares += pair(i, j) * score * score;
          mean += pair(i, j) * score;
        }
        const double whole = 1 / std::pow(model.sigma(f, chosen, i, a), 2);
        const double kept = complete - (squares - mean * mean) / (scale * scale);
        if (!(kept >= least_kept * whole)) continue;
        labelled.positions[f](a, i) = detections.frames[f].places(a, chosen);
        labelled.noise.sample_factor[f](a, i) = 1 / std::sqrt(kept) / observation.noise.component_sigma(i, a);
      }
    }
  }
  return labelled;
}

}  // namespace pithball::optim
