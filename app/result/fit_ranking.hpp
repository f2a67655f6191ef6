#pragma once
#include <string>
#include <vector>

#include "app/result/not_known.hpp"
#include "optim/verdict/position_errors.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// One of several fits to the same recordings.
struct RankedFit {
  std::string name;                         ///< of its run folder
  std::string status;                       ///< of the fit, as in fit.json
  std::size_t parameters = 0;               ///< number of fitted values, nuisance parameters included
  double chi_square = not_known,            ///< Σ r² of its residuals in units of sigma
      reduced = not_known;                  ///< χ²/ν
  double aicc = not_known,                  ///< smaller is better; NaN: too many values for n_eff
      bic = not_known;                      ///< likewise
  optim::PositionErrors validation_frames,  ///< of frames that were not fitted
      validation_markers;                   ///< of markers that were not fitted
};

/// Several fits, best AICc first: what `pithball compare FIT1 FIT2 … --json` prints.
struct FitRanking {
  std::vector<RankedFit> fits;   ///< best AICc first
  long coordinates = 0;          ///< n, fitted
  double effective = not_known;  ///< n_eff (optim::count_independent)
  bool known_sigma = false;      ///< `absolute_sigma` of all fits
};

/// An entry of `fits` in a ranking.
void fields(FieldVisitor& v, RankedFit& fit);
/// The whole ranking.
void fields(FieldVisitor& v, FitRanking& ranking);

}  // namespace pithball::app
