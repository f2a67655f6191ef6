#pragma once
#include <string>
#include <vector>

#include "optim/uncertainty/recording_shifts.hpp"

namespace pithball::optim {

class ResolvedFit;

/// How the readings of a fit's recordings can be shifted: those of kinds whose readings have a place in space or in an
/// image. R rows.
ShiftRows find_shift_rows(const ResolvedFit& fit, const RowOrder& order, Index rows);

/// Adds shifts and drifts of recordings that the residuals show to the errors of θ (RecordingShifts). Returns a
/// sentence for each recording and kind of shift: "hang: the recording seems shifted by 2.1 ± 0.1 mm along x (p =
/// 1e-09), which the intervals include; `placement: {fit: translation}` would fit it, unless clock, scale or model
/// cause it". `rows`, `scores` and `errors`: those of the fit.
std::vector<std::string> carry_shifts(const ResolvedFit& fit, const FitRows& rows, const Scores& scores,
                                      AllErrors& errors);

}  // namespace pithball::optim
