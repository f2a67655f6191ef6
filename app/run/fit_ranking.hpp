#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/result/fit_record.hpp"

namespace pithball::app {

/// One of several fits to the same recordings.
struct RankedFit {
  std::string name;                         ///< of its run folder
  std::string status;                       ///< of the fit, as in fit.json
  std::size_t parameters = 0;               ///< number of fitted values, nuisance parameters included
  double chi_square = not_known,            ///< Σ r² of its residuals in units of sigma
      reduced = not_known;                  ///< χ²/ν
  double aicc = not_known,                  ///< smaller is better; only differences have a meaning
      bic = not_known;                      ///< likewise
  optim::PositionErrors validation_frames,  ///< of frames that were not fitted
      validation_markers;                   ///< of markers that were not fitted
};

/// Several fits, best AICc first.
struct FitRanking {
  std::vector<RankedFit> fits;   ///< best AICc first
  long coordinates = 0;          ///< n, fitted
  double effective = not_known;  ///< n_eff = n (1 − ρ)/(1 + ρ), with the ρ of the fit with the smallest χ²
  bool known_sigma = false;      ///< `absolute_sigma` of all fits
};

/// Ranks models of the same recordings by information criteria with the effective sample size,
///    AICc = D + 2k + 2k(k + 1)/(n_eff − k − 1),   BIC = D + k ln n_eff   (Burnham & Anderson 2002, chapter 2),
/// with D = n_eff ln(χ²/n) and k the number of fitted values and the unknown scale of sigma; for an absolute sigma
/// D = χ² n_eff/n and k the fitted values. Throws InvalidArgument if a folder is no finished fit, or the fits are of
/// different data.
FitRanking rank_fits(const std::vector<std::filesystem::path>& folders);

/// The document that `pithball compare FIT1 FIT2 … --json` prints.
nlohmann::ordered_json to_json(const FitRanking& ranking);

}  // namespace pithball::app
