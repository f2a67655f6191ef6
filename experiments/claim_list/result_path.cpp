#include "experiments/claim_list/result_path.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/yaml/quantity.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& path, const std::string& required) {
  throw InvalidArgument({"", "", required, "'" + path + "'", "write run/rows[method=imex_euler]/seconds"});
}

/// One step: a key, and the members that the chosen item of the list there must have.
struct Step {
  std::string key;
  std::vector<std::pair<std::string, std::string>> members;
  bool chooses = false;  ///< selects an item of the list there
  bool all = false;      ///< selects all matching items
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Step read_step(const std::string& text, const std::string& path) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos) return {text, {}, false, text == "*"};
  if (text.back() != ']') reject(path, "a step of a path must end after its ']'");
  Step step{text.substr(0, open), {}, true};
  std::string rest = text.substr(open + 1, text.size() - open - 2);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string member = trimmed(rest.substr(0, comma));
    const std::size_t equals = member.find('=');
    if (member == "*")
      step.all = true;
    else if (equals == std::string::npos)
      reject(path, "brackets in a path must hold name=value");
    else
      step.members.emplace_back(trimmed(member.substr(0, equals)), trimmed(member.substr(equals + 1)));
    if (comma == std::string::npos) return step;
    rest = rest.substr(comma + 1);
  }
}

std::vector<Step> read_path(const std::string& path) {
  std::vector<Step> steps;
  std::string text;
  int depth = 0;  // of brackets, in which '/' is an ordinary character; a value may contain brackets: name=charge[0]
  for (const char c : path + "/") {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c != '/' || depth > 0) {
      text += c;
      continue;
    }
    if (text.empty()) reject(path, "a path must not have empty steps");
    steps.push_back(read_step(text, path));
    text.clear();
  }
  if (depth != 0 || steps.empty()) reject(path, "a path must close its brackets");
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

bool fits(const ordered_json& item, const Step& step) {
  return item.is_object() && std::ranges::all_of(step.members, [&](const auto& member) {
           return has_value(item, member.first, member.second);
         });
}

/// Returns the values to which a step leads from one value; empty if there are none.
std::vector<const ordered_json*> follow(const ordered_json& from, const Step& step) {
  std::vector<const ordered_json*> found;
  if (step.key == "*" && !step.chooses) {
    for (const ordered_json& member : from) found.push_back(&member);
    return from.is_structured() ? found : std::vector<const ordered_json*>{};
  }
  const ordered_json* at = step.key.empty() ? &from : find_key(from, step.key);
  if (!at || !step.chooses) return at ? std::vector{at} : found;
  if (!at->is_array()) return found;
  for (const ordered_json& item : *at)
    if (fits(item, step) && (step.all || found.empty())) found.push_back(&item);
  return found;
}

}  // namespace

std::vector<const ordered_json*> find_results(const ordered_json& result, const std::string& path) {
  std::vector<const ordered_json*> places{&result};
  for (const Step& step : read_path(path)) {
    std::vector<const ordered_json*> next;
    for (const ordered_json* place : places) {
      const std::vector<const ordered_json*> found = place ? follow(*place, step) : std::vector<const ordered_json*>{};
      if (found.empty())
        next.push_back(nullptr);
      else
        next.insert(next.end(), found.begin(), found.end());
    }
    places = std::move(next);
  }
  return places;
}

bool finds_several(const std::string& path) {
  return std::ranges::any_of(read_path(path), [](const Step& step) { return step.all; });
}

const ordered_json* find_result(const ordered_json& result, const std::string& path) {
  if (finds_several(path)) reject(path, "a path to one value must not contain *");
  return find_results(result, path).front();
}

}  // namespace pithball::experiments
