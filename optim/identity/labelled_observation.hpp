#pragma once
#include <vector>

#include "optim/identity/assignment_model.hpp"

namespace pithball::optim {

/// The observation of one M step: marker i is in frame t at the weighted mean of its detections,
///    z̄_ti = Σ_j w_tij z_tj / W,   W = Σ_j w_tij,   with standard deviation σ/√W,
/// so that least squares on it are those of the expected log likelihood. Samples with W below 0.02 are missing. Where
/// detections have variances of their own, σ² is their weighted mean, each weight divided by it.
Observation weigh_detections(const Observation& observation, const Detections& detections, const AssignmentModel& model,
                             const std::vector<FrameMarginals>& marginals);

/// Everything that one E step finds of a recording.
struct SettledAssignment {
  DetectionRates rates;                    ///< fitted to the marginals
  PredictedReadings predicted;             ///< where the model has its particles
  std::vector<FrameMarginals> marginals;   ///< F
  std::vector<std::vector<Index>> events;  ///< F×M, the best joint event of each frame (`find_best_event`)
};

/// The observation with one detection for each marker, that of the best joint event. What the assignment leaves open
/// is missing information (Louis, J. R. Stat. Soc. B 44, 1982): of each component
///    1/σ² → w/R − Var_w(d)/(s R)²,   d_j = z_j − h,   Var_w(d) = Σ_j w_j d_j² − (Σ_j w_j d_j)²,
/// sample by sample, which leaves out its part between particles; s is the scale of the residuals. A component that
/// keeps less than a tenth is missing.
Observation label_detections(const Observation& observation, const Detections& detections, const AssignmentModel& model,
                             const SettledAssignment& settled);

}  // namespace pithball::optim
