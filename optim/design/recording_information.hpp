#pragma once
#include <string>
#include <vector>

#include "optim/fit/fit_prior.hpp"

namespace pithball::optim {

/// The frames of a recording that a design uses.
struct FrameChoice {
  Index every = 1;      ///< stride in frames, from the first
  double duration = 0;  ///< [s], from the first frame; frames at its end count
};

/// What one run of a fit's recordings tells about θ, where one recording is a candidate for a design. The information
/// of any choice of its markers and frames, M = Σ J_iᵀJ_i over their rows, follows from one Jacobian.
class RecordingInformation {
 public:
  /// Runs all recordings with tangents at θ. `candidate`: the recording to be designed, with all frames and markers
  /// that could be chosen. `failure` says whether the run succeeded.
  RecordingInformation(const ResolvedFit& fit, const Vector& theta, std::size_t candidate,
                       const EarlierEstimates& earlier = {});

  /// Why the model could not be simulated; empty on success, which all others below require.
  const std::string& failure() const { return failure_; }
  /// Information from all other recordings and from what is known before, P×P.
  const Eigen::MatrixXd& known() const { return known_; }
  /// Information from each marker of the candidate in these frames, P×P.
  std::vector<Eigen::MatrixXd> by_marker(const FrameChoice& frames) const;

 private:
  struct Sample {
    Index frame, marker, first_row, row_count;
    double since_first;  ///< [s]
  };
  std::string failure_;
  Eigen::MatrixXd known_, rows_;  ///< rows_: of the candidate
  std::vector<Sample> samples_;
  Index markers_ = 0;
};

}  // namespace pithball::optim
