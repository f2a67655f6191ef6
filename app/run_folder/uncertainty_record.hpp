#pragma once
#include <nlohmann/json_fwd.hpp>

#include "optim/fit/error_report.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::app {

/// fit.json's `uncertainty`: how the standard errors were computed (optim::ErrorReport).
nlohmann::ordered_json to_json(const optim::ErrorReport& report);
/// Reads it back. Throws nlohmann's exceptions on another document.
optim::ErrorReport read_error_report(const nlohmann::ordered_json& json);

/// The kind with this name. Throws InvalidArgument if there is none.
optim::ErrorKind read_error_kind(const nlohmann::ordered_json& json);
/// The method with this name. Throws InvalidArgument if there is none.
optim::IntervalMethod read_interval_method(const nlohmann::ordered_json& json);

}  // namespace pithball::app
