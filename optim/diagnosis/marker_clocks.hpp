#pragma once
#include <Eigen/SparseCore>
#include <cstddef>
#include <optional>
#include <string>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/score_test.hpp"

namespace pithball::optim {

/// A clock for each marker of a recording.
struct MarkerClocks {
  std::size_t recording = 0;      ///< its number
  Eigen::SparseMatrix<double> G;  ///< ∂r/∂(clock offset of one marker), R × markers
};

/// Two groups of a recording's markers, each with a clock of its own, as a candidate.
struct GroupedClocks {
  CandidateEffect effect;  ///< β: the clock offsets of the first group and of the others
  double p = 1;            ///< of one clock for all, whatever the grouping
};

/// Divides the markers of a recording into two groups by their clocks and tests whether these differ. With the lags of
/// all markers sorted, the division is the one whose groups differ most beside their errors; the first group is the one
/// farther from the recording's clock. As the recordings choose the groups, p is that of any contrast between the M
/// markers (Scheffé, Biometrika 40, 1953): the gain of the difference beside a clock for all, in units of chance, over
/// M − 1, is compared with F of M − 1 numbers. Empty where fewer than two markers show a clock.
std::optional<GroupedClocks> group_marker_clocks(const ResolvedFit& fit, const FittedEnd& end,
                                                 const MarkerClocks& clocks, const ScoreTester& tester);

/// A clock offset [s], or scale, in the file, and what a test predicts of it.
struct PredictedClock {
  double held,  ///< in the file
      shift,    ///< its predicted change
      error;    ///< the standard error of that
};

/// Bounds of a clock value that contain the predicted one and the one in the file.
struct ClockBounds {
  double lower,  ///< smallest value
      upper;     ///< largest value

  /// Five standard errors on either side of the prediction, at least the length of the step, which may be wrong by as
  /// much.
  explicit ClockBounds(const PredictedClock& clock);

  /// "[0.998, 1]", rounded outward, so that what lies within them lies within what is written.
  std::string text() const;
};

/// "clock: {offset: [-8 ms, 0 ms]}": bounds that contain the predicted offset and the one in the file. Leaves out early
/// frames that probably precede the start of the simulation, which no frame may do; empty if those are all, and with
/// Brownian motion, beside which no clock is fitted.
std::string clock_key(const PredictedClock& clock, const Observation& observation);

}  // namespace pithball::optim
