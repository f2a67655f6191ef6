#include "experiments/captured/captured_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/yaml/nearest.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/trunk_decay/study.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

const std::vector<CapturedCase>& captured_cases() {
  static const std::vector<CapturedCase> list{
      {"trunk_decay", trunk_decay::run_study, trunk_decay::to_text, trunk_decay::to_claims},
  };
  return list;
}

namespace fs = std::filesystem;

namespace {

constexpr const char* list_file = "claims.yaml";

}  // namespace

fs::path find_captured_folder() {
  const fs::path beside = fs::path(datasets::find_manifest()).parent_path();
  const fs::path source = beside.parent_path() / "experiments/captured";
  return fs::exists(source) ? source : beside / "captured";
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  std::error_code none;  // if there is no folder, there are no cases
  for (const fs::directory_entry& entry : fs::directory_iterator(find_captured_folder(), none))
    if (fs::exists(entry.path() / list_file)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

CaseFolder read_case_folder(const std::string& name_or_folder) {
  const std::vector<std::string> names = case_names();
  const bool known = std::ranges::find(names, name_or_folder) != names.end();
  const fs::path folder = known ? find_captured_folder() / name_or_folder : fs::path(name_or_folder);
  const fs::path file = folder / list_file;
  if (!fs::is_regular_file(file))
    throw InvalidArgument({"", "study",
                           fmt::format("must be one of {}, or a folder with a {}", joined(names), list_file),
                           "'" + name_or_folder + "'", app::suggestion(name_or_folder, names, "choose one of these")});
  ClaimList list = read_claim_list(file);
  if (list.items.size() != 1)
    throw InvalidArgument({file.string(), "items", "must contain exactly one item, the case",
                           fmt::format("{}", list.items.size()), "write a folder for each case"});
  CaseFolder found{fs::absolute(folder).lexically_normal().filename().string(), std::move(list.items.front())};
  if (found.name.empty()) found.name = fs::absolute(folder).lexically_normal().parent_path().filename().string();
  found.item.name = found.name;
  return found;
}

}  // namespace pithball::experiments
