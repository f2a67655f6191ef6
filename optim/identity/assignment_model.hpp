#pragma once
#include <array>
#include <vector>

#include "optim/identity/detections.hpp"
#include "optim/identity/marginals.hpp"

namespace pithball::optim {

/// The rates of a detector, fitted together with the assignment.
struct DetectionRates {
  double detected = 0.9;     ///< P_D: probability that a particle in the picture is detected
  double false_density = 0;  ///< λ: false detections per frame and unit of the space of readings
  double exchanged = 0.05;   ///< ε: probability that a detection has the name of another particle; `Partly` only
  double scale = 1;          ///< s: standard deviations of readings about the model, relative to those stated
  double volume = 0;         ///< V: of the space of readings in which detections lie
  /// Mean number of false detections in a frame, λ V.
  double false_per_frame() const { return false_density * volume; }
};

/// Where the particles of a recording would be read in each frame, by the model.
struct PredictedReadings {
  std::vector<Points> places;                 ///< F arrays 3×M; NaN: no reading
  std::vector<std::vector<bool>> in_picture;  ///< F×M: a particle elsewhere is missed without cost

  /// Whether a marker has a reading of these components.
  bool is_read(std::size_t frame, Index marker, const std::vector<int>& components) const {
    return places[frame].col(marker)(components).allFinite();
  }
};

/// Where a (fitted) scenario has the markers of a recording in its frames: the only function that says where particles
/// are. A motion that the model does not predict, such as a random walk, would be followed here, from each place where
/// a particle was detected. `known`: places for the delays of a rolling shutter, F arrays 3×M; NaN: unknown.
PredictedReadings predict_readings(const diff::Scenario& fitted, const Observation& observation,
                                   const std::vector<Points>& known);

/// Detections of a recording and the model of their assignment,
///    odds(i ↔ j) = P_D N(z_j; h_i, β² s² R_j)/λ · name / (1 − P_D),   name = 1 − ε or ε/(M − 1) (`Partly`), else 1.
/// A particle outside the picture has odds without 1 − P_D.
class AssignmentModel {
 public:
  /// Both must outlive this object. `observation`: its markers, instrument and noise.
  AssignmentModel(const Detections& detections, const Observation& observation);

  /// Rates before anything is assigned, from the number of detections.
  DetectionRates first_rates() const;
  /// Marginals of all frames, in order; `widening`: β ≥ 1.
  std::vector<FrameMarginals> compute(const PredictedReadings& predicted, const DetectionRates& rates,
                                      double widening) const;
  /// The rates that maximize the expected likelihood of these marginals. s is the robust scale, from the median of the
  /// distances of assigned detections; at least 1 where standard deviations were given.
  DetectionRates fit_rates(const PredictedReadings& predicted, const std::vector<FrameMarginals>& marginals) const;
  /// Logarithm of the likelihood of all detections, without that of their number of joint events that are too many.
  double log_likelihood(const PredictedReadings& predicted, const DetectionRates& rates,
                        const std::vector<FrameMarginals>& marginals) const;

  /// Standard deviation of a component of a detection of this marker, as stated.
  double sigma(std::size_t frame, Index detection, Index marker, int component) const;
  /// χ² of a detection about a place, with s = β = 1.
  double distance(std::size_t frame, Index detection, Index marker, const Vec3& place) const;
  const std::vector<int>& components() const { return components_; }  ///< those that were recorded

 private:
  /// χ² and log N without constants of a detection about a place, for the standard deviations times `scale`.
  struct Normal {
    double chi_square, log_density;
  };
  Normal compare(std::size_t frame, Index detection, Index marker, const Vec3& place, double scale) const;
  bool is_beyond(std::size_t frame, Index detection, Index marker, const Vec3& place, double scale) const;
  FrameOdds odds_of(std::size_t frame, const PredictedReadings& predicted, const DetectionRates& rates,
                    double widening) const;

  const Detections& detections_;
  const Observation& observation_;
  std::vector<int> components_;
  double volume_ = 1;
};

}  // namespace pithball::optim
