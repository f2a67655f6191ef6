#include "experiments/paper/result_path.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/yaml/quantity.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::paper {

using namespace app;

namespace {

using nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& path, const std::string& required) {
  throw InvalidArgument({"", "", required, "'" + path + "'", "write run/rows[method=imex_euler]/seconds"});
}

/// One step: a key, and what the chosen item of the list there must hold.
struct Step {
  std::string key;
  std::vector<std::pair<std::string, std::string>> members;
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Step read_step(const std::string& text, const std::string& path) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos) return {text, {}};
  if (text.back() != ']') reject(path, "a step of a path must end after its ']'");
  Step step{text.substr(0, open), {}};
  std::string rest = text.substr(open + 1, text.size() - open - 2);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string member = rest.substr(0, comma);
    const std::size_t equals = member.find('=');
    if (equals == std::string::npos) reject(path, "brackets in a path must hold name=value");
    step.members.emplace_back(trimmed(member.substr(0, equals)), trimmed(member.substr(equals + 1)));
    if (comma == std::string::npos) return step;
    rest = rest.substr(comma + 1);
  }
}

std::vector<Step> read_path(const std::string& path) {
  std::vector<Step> steps;
  std::string text;
  bool inside = false;  // brackets, where a '/' is a letter like any other
  for (const char c : path + "/") {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c != '/' || inside) {
      text += c;
      continue;
    }
    if (text.empty()) reject(path, "a path must not have empty steps");
    steps.push_back(read_step(text, path));
    text.clear();
  }
  if (inside || steps.empty()) reject(path, "a path must close its brackets");
  return steps;
}

bool has_value(const ordered_json& item, const std::string& name, const std::string& value) {
  const auto found = item.find(name);
  if (found == item.end()) return false;
  if (!found->is_number()) return found->is_string() ? *found == value : found->dump() == value;
  const std::optional<double> wanted = read_plain_number(value);
  return wanted && std::abs(found->get<double>() - *wanted) <= 1e-9 * std::abs(*wanted);
}

const ordered_json* find_key(const ordered_json& from, const std::string& key) {
  if (from.is_array()) {
    const bool number = !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    return number && std::stoul(key) < from.size() ? &from[std::stoul(key)] : nullptr;
  }
  if (!from.is_object()) return nullptr;
  const auto found = from.find(key);
  return found == from.end() ? nullptr : &*found;
}

}  // namespace

const ordered_json* find_result(const ordered_json& result, const std::string& path) {
  const ordered_json* at = &result;
  for (const Step& step : read_path(path)) {
    if (!step.key.empty()) at = find_key(*at, step.key);
    if (at && !step.members.empty()) {
      const auto fits = [&](const ordered_json& item) {
        return item.is_object() && std::ranges::all_of(step.members, [&](const auto& member) {
                 return has_value(item, member.first, member.second);
               });
      };
      const auto found = at->is_array() ? std::find_if(at->begin(), at->end(), fits) : at->end();
      at = at->is_array() && found != at->end() ? &*found : nullptr;
    }
    if (!at) return nullptr;
  }
  return at;
}

}  // namespace pithball::experiments::paper
