#include "experiments/paper/paper_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/backend/backend.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/reading.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/paper/item_run.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::paper {

using namespace app;

namespace {

namespace fs = std::filesystem;

/// A name that is a folder's name too.
std::string read_name(Node& node) {
  const std::string name = node.text("name", "");
  const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos)
    node.reject("name", "must be small letters, digits and _", "'" + name + "'", "write figure_04");
  return name;
}

/// Exactly one of the keys, which says what the value is compared as.
std::string read_only_one(Node& node, const std::vector<std::string>& keys) {
  std::vector<std::string> written;
  for (const std::string& key : keys)
    if (node.is_written(key)) written.push_back(key);
  if (written.size() != 1)
    node.reject("", "must contain exactly one of " + joined(keys), written.empty() ? "none" : joined(written), "");
  return written.front();
}

ItemRun read_run(Node node) {
  ItemRun run;
  run.name = read_name(node);
  run.command = read_only_one(node, names_of_commands());
  run.file = node.text(run.command, "");
  if (find_command(run.command).reads_file) {
    run.file = node.folder(run.command) / run.file;
    if (!fs::is_regular_file(run.file))
      node.reject(run.command, "must name an experiment file", "'" + run.file.string() + "', which is not there", "");
  }
  run.whole_only = node.flag("whole_only", "", false);
  for (auto& [key, texts] :
       {std::pair{"set", &run.set}, {"quick", &run.quick}, {"show", &run.show}, {"needs", &run.needs}})
    if (node.is_written(key)) *texts = node.texts(key, "");
  for (const std::string& name : run.needs) {
    const auto same = [&](const auto& known) { return known.name == name; };
    if (!names_backend(name) && std::ranges::none_of(datasets::load_manifest().sets, same))
      node.reject("needs", "must name backends or data sets", "'" + name + "'", "");
  }
  return run;
}

/// A path into the results, whose first step must be a run of the item.
std::string read_path(Node& node, const char* key, const std::vector<ItemRun>& runs) {
  const std::string path = node.text(key, "");
  const std::string first = path.substr(0, path.find_first_of("/["));
  const auto named = [&](const ItemRun& run) { return run.name == first; };
  if (std::ranges::none_of(runs, named)) node.reject(key, "must begin with a run of the item", "'" + first + "'", "");
  return path;
}

/// How the claim's number is compared, and with what.
void read_comparison(Node& node, const std::vector<ItemRun>& runs, ListedClaim& listed) {
  Claim& claim = listed.claim;
  const std::string key = read_only_one(node, {"at_most", "at_least", "about", "is", "beats", "not_stated"});
  if (key == "is") {
    claim.kind = ClaimKind::Word;
    claim.expected = node.text(key, "");
  } else if (key == "beats") {
    claim.kind = ClaimKind::BetterThan;
    claim.rival = "the paper's method, here";
    listed.rival = read_path(node, "beats", runs);
  } else if (key == "not_stated") {
    if (!node.flag(key, "")) node.reject(key, "must be true", "false", "omit it and state the number");
  } else {
    const double number = node.number(key, claim.unit, "");
    claim.kind = key == "at_most" ? ClaimKind::AtMost : key == "at_least" ? ClaimKind::AtLeast : ClaimKind::Within;
    claim.expected = number;
    if (key == "about")
      claim.tolerance = node.number("within", "", "", {}, sim::ValueSign::Positive) * std::abs(number);
  }
}

ListedClaim read_claim(Node node, const std::vector<ItemRun>& runs) {
  ListedClaim listed;
  listed.claim.what = node.text("says", "");
  listed.claim.unit = node.text("unit", "", "");
  listed.find = read_path(node, "find", runs);
  if (node.is_written("over")) listed.over = read_path(node, "over", runs);
  read_comparison(node, runs, listed);
  const std::string reason = read_only_one(node, {"why", "differs"});
  (reason == "why" ? listed.claim.why : listed.claim.differs) = node.text(reason, "");
  if (reason == "differs" && listed.claim.kind == ClaimKind::NotStated)
    node.reject("differs", "must be given together with a stated number or word", "not_stated", "write why");
  listed.whole_only = node.flag("whole_only", "", false);
  return listed;
}

/// Rejects the second of two things of one name.
template <class Things>
void require_new_name(Node& node, const Things& earlier, const std::string& name) {
  const auto same = [&](const auto& other) { return other.name == name; };
  if (std::ranges::any_of(earlier, same))
    node.reject("name", "must differ from the others", "'" + name + "' again", "");
}

Item read_item(Node node) {
  Item item;
  item.name = read_name(node);
  item.title = node.text("title", "");
  item.about = node.text("about", "");
  for (Node& run : node.items("runs", "", true)) {
    ItemRun read = read_run(run);
    require_new_name(run, item.runs, read.name);
    item.runs.push_back(std::move(read));
  }
  for (Node& claim : node.items("claims", "", true)) item.claims.push_back(read_claim(claim, item.runs));
  return item;
}

}  // namespace

bool names_backend(const std::string& name) {
  return std::ranges::any_of(backends(), [&](const BackendInfo& backend) { return backend.name == name; });
}

fs::path find_paper_list() {
  const fs::path beside = fs::path(datasets::find_manifest()).parent_path();
  const fs::path source = beside.parent_path() / "experiments/paper/claims.yaml";
  return fs::exists(source) ? source : beside / "paper/claims.yaml";
}

std::vector<Item> read_paper_list(const fs::path& file) {
  Reading reading(parse_yaml_file(file.string()), fs::absolute(file).parent_path());
  Node root = reading.root();
  std::vector<Item> items;
  for (Node& node : root.items("items", "", true)) {
    Item item = read_item(node);
    require_new_name(node, items, item.name);
    items.push_back(std::move(item));
  }
  reading.reject_unknown_keys();
  return items;
}

std::vector<Item> chosen_items(const std::vector<Item>& all, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Item& item : all) known.push_back(item.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument({"", "ITEM", "must be one of " + joined(known), "'" + name + "'",
                             suggestion(name, known, "choose one of these")});
  std::vector<Item> chosen;
  for (const Item& item : all)
    if (names.empty() || std::ranges::find(names, item.name) != names.end()) chosen.push_back(item);
  return chosen;
}

}  // namespace pithball::experiments::paper
