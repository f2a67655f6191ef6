#pragma once
#include <filesystem>

#include "app/spec/fit_spec.hpp"
#include "optim/fit/identify.hpp"

namespace pithball::app {

/// Where a prediction holds: θ at the start of the fit, or (`run` not empty) at the estimates in fit.json of a finished
/// fit's folder. Throws InvalidArgument if that fit had other parameters, or found none.
optim::Vector prediction_point(const optim::ParameterMap& map, const std::filesystem::path& run);

/// What the recordings of an experiment, those that are made and those that are planned, would tell at θ. Planned
/// recordings are filled with the motion that is simulated there.
optim::IdentifyReport identify_recordings(const FitSpec& spec, const optim::Vector& theta);

}  // namespace pithball::app
