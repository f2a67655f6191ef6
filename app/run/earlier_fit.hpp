#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/result/prediction_record.hpp"
#include "optim/fit/earlier_estimates.hpp"

namespace pithball::app {

/// A finished fit from which a plan goes on.
struct EarlierFit {
  std::string folder;                 ///< empty: none
  optim::EarlierEstimates estimates;  ///< without `folder`: empty
  optim::IdentifyReport known;        ///< its estimates and errors in the form of a prediction
  std::vector<std::string> notes;     ///< doubts about it
};

/// The estimates of a run folder's fit with the covariance of its reported standard errors, without nuisance values and
/// without parameters that it did not identify. Throws InvalidArgument if it is no finished fit, or one whose search
/// failed.
EarlierFit read_earlier_fit(const std::filesystem::path& folder);

}  // namespace pithball::app
