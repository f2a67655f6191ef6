#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pithball::experiments {

/// Finds a value in a result. A path is steps separated by '/': the key of an object, the index of a list item, or a
/// key followed by `[name=value, …]`, which chooses the first item of the list there whose members have these values
/// (numbers equal to 1e-9 of themselves, anything else as text): `release/rows[method=imex_euler,
/// time_step=0.15]/energy_error/mean`. Null if there is no such value; throws InvalidArgument for text that is not a
/// path, or that finds several values.
const nlohmann::ordered_json* find_result(const nlohmann::ordered_json& result, const std::string& path);

/// The same for paths that lead to several values, in their order: the step `*` stands for every member of an object or
/// list, and a `*` in brackets, as in `fit/parameters[*, value=charge]/estimate`, for every item that has the values
/// beside it. Null stands for a value that is missing after a `*`; a path that leads nowhere gives a single null.
std::vector<const nlohmann::ordered_json*> find_results(const nlohmann::ordered_json& result, const std::string& path);

/// Whether a path may lead to several values.
bool finds_several(const std::string& path);

}  // namespace pithball::experiments
