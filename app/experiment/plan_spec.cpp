#include "app/experiment/plan_spec.hpp"

#include <algorithm>

#include "app/experiment/recording/recording_list.hpp"

namespace pithball::app {
namespace {

constexpr const char* as_written = "as written";

struct NamedChanges {
  std::string name;
  std::vector<Tree> changes;  ///< each an entry PATH: value
};

NamedChanges read_alternative(Node item) {
  NamedChanges alternative{item.text("name", "name of the alternative in the table", {}), {}};
  for (auto& [path, node] : item.entries_of(
           "set", "{PATH: value}", "required",
           "keys of this file that have another value in this alternative: {fit.recordings.0.planned.rate: 50}")) {
    // keys below it are read where they are inserted
    if (path == "plan" || path.rfind("plan.", 0) == 0)
      node.reject("", "must be a key outside `plan:`", "'" + path + "'", "write fit.recordings.0.planned.rate: 50");
    if (node.is_map() && !node.tree()->entries.empty())
      node.reject("", "must be a single value, as in `set: {PATH: value}`", "a mapping",
                  "write the whole path of each key: " + path + "." + node.tree()->entries.front().key + ": …");
    alternative.changes.push_back(*node.tree());
    alternative.changes.back().key = path;
  }
  return alternative;
}

std::vector<NamedChanges> read_alternatives(Node& root) {
  Node plan = root.child("plan", "alternative experiment designs, compared by predicted standard errors");
  std::vector<NamedChanges> list;
  for (Node& item :
       plan.items("alternatives", "alternatives, each with a name and the keys that differ from this file")) {
    list.push_back(read_alternative(item));
    const auto same = [&](const NamedChanges& other) { return other.name == list.back().name; };
    if (list.back().name == as_written || list.back().name == optimized_name ||
        std::count_if(list.begin(), list.end(), same) > 1)
      item.reject("name", "must differ from the other names in the table", "'" + list.back().name + "'",
                  "give each alternative a different name");
  }
  if (plan.describing())
    describe_optimize(plan);
  else
    plan.ignore("optimize");  // read by read_optimize
  return list;
}

/// Removes existing recordings, which an earlier fit has already used; returns false if none is left.
bool leave_planned(const FitSpec& spec, ExperimentDocument& document) {
  std::vector<Tree>& items = document.root.find("fit")->find("recordings")->entries;
  std::vector<Tree> planned;
  for (std::size_t s = 0; s < items.size(); ++s)
    if (spec.recordings[s].planned) planned.push_back(items[s]);
  items = std::move(planned);
  return !items.empty();
}

void add_alternative(const NamedChanges& named, ExperimentDocument own, PlanKnowledge knowledge, PlanSpec& plan) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (const Tree& change : named.changes) {
    set_at(own.root, change.key, change, change.place.text());
    changes.emplace_back(change.key, change.kind == Tree::Kind::Scalar ? change.text : shown(change));
  }
  FitSpec spec = read_fit(own, FitPurpose::Prediction);
  if (knowledge == PlanKnowledge::EarlierFit) {
    own = with_whole_recordings(own);
    if (!leave_planned(spec, own)) return;
    spec = read_fit(own, FitPurpose::Prediction);
  }
  plan.alternatives.push_back({named.name, std::move(changes), std::move(spec)});
}

}  // namespace

PlanSpec read_plan(const ExperimentDocument& document, PlanKnowledge knowledge) {
  reject_unlisted_keys(document);
  Reading reading(Tree(document.root), document.folder, document.inputs);
  Node root = reading.root();
  FitSpec first = read_fit(document, FitPurpose::Prediction);
  PlanSpec plan{first.base.name, first.filled, with_whole_recordings(document), std::move(first), {}, {}};
  if (find_at(document.root, "plan.optimize")) plan.optimize = read_optimize(plan.document, plan.written);
  std::vector<NamedChanges> list;
  if (root.is_written("plan")) {
    list = read_alternatives(root);
    for (const Tree& entry : document.root.entries) root.ignore(entry.key);  // read above
    reading.reject_unknown_keys();
  }
  if (knowledge == PlanKnowledge::File)
    plan.alternatives.push_back({as_written, {}, plan.written});
  else
    add_alternative({as_written, {}}, document, knowledge, plan);
  for (const NamedChanges& alternative : list) add_alternative(alternative, document, knowledge, plan);
  return plan;
}

void describe_plan(Node& root) { read_alternatives(root); }

}  // namespace pithball::app
