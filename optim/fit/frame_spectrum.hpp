#pragma once
#include <vector>

#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// Spectrum of numbers that belong to the rows of a residual, over the times of their frames, which may be uneven. A
/// series is one component of one marker of one recording; the power at a frequency f is
///    P(f) = Σ_series |Σ_frames y e^(−2πi f t)|².
/// Frames at even intervals Δt do not tell f from f + n/Δt, and neither does P.
class FrameSpectrum {
 public:
  /// The rows of this residual, at the simulated times of its samples.
  explicit FrameSpectrum(const TrajectoryResidual& residual);

  /// Number of rows, R.
  Index rows() const { return static_cast<Index>(series_.size()); }
  /// From the first to the last frame of the longest recording [s]. A line of the spectrum is 1/duration wide.
  double duration() const { return duration_; }
  /// P at f [Hz] of the numbers y (R), in their unit squared.
  double power(const Vector& y, double frequency) const;
  /// Frequencies [Hz] of the local maxima of P between two frequencies, highest first. They are looked for at intervals
  /// of 1/(4 duration), at no more than 4096 of them, and placed by a parabola.
  std::vector<double> peaks(const Vector& y, double lowest, double highest) const;

 private:
  struct SeenFrame {
    double time = 0;
    Index first = 0, end = 0;
  };
  std::vector<SeenFrame> frames_;
  std::vector<Index> series_;  // by row
  Index series_count_ = 0;
  double duration_ = 0;
};

}  // namespace pithball::optim
