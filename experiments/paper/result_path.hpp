#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pithball::experiments::paper {

/// Finds a value in a result. A path is steps separated by '/': the key of an object, the number of a list's item, or a
/// key with `[name=value, …]` behind it, which chooses the first item of the list there whose members have these values
/// (numbers equal to 1e-9 of themselves, anything else as text): `release/rows[method=imex_euler,
/// time_step=0.15]/energy_error/mean`. Null if there is no such value; throws InvalidArgument for text that is no path.
const nlohmann::ordered_json* find_result(const nlohmann::ordered_json& result, const std::string& path);

}  // namespace pithball::experiments::paper
