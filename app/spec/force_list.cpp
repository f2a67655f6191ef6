#include "app/spec/force_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/spec/mesh_source.hpp"
#include "app/yaml/named.hpp"
#include "app/yaml/particle_list.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/force/chain_joint.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/selected_force.hpp"

namespace pithball::app {
namespace {

/// The particles that feel a force, ascending; empty: all.
std::vector<Index> read_selected(Node& item, const Body& body) {
  const ItemSpace space = body.particles();
  std::vector<Index> selected =
      read_particles(item, "select", "particles that feel the force, and between which it acts (default: all)",
                     space.count, *space.groups);
  if (selected.empty() && item.has("select") && !item.describing())
    item.reject("select", "must select at least one particle", "none", "omit it to select all, or remove the force");
  std::sort(selected.begin(), selected.end());
  return selected;
}

/// The force on these particles alone. One that joins certain particles, as bending does, cannot leave some of them
/// out.
std::shared_ptr<sim::ForceTerm> selected_force(Node& item, std::shared_ptr<sim::ForceTerm> term,
                                               const std::vector<Index>& selected) {
  if (const auto* stiff = term->as<sim::StiffPotential>(); stiff && !stiff->couplings().empty())
    item.reject("select", "must not be given for a force that joins particles of the mesh", term->traits().name,
                "leave it out; the force's own keys choose a part");
  return std::make_shared<sim::SelectedForce>(std::move(term), selected);
}

const sim::ForceInfo& find_force(const std::string& name) {
  return *std::ranges::find(sim::forces(), name, &sim::ForceInfo::name);
}

/// Whether two trees say the same, wherever they are written.
bool says_same(const Tree& a, const Tree& b) {
  return a.kind == b.kind && a.text == b.text &&
         std::ranges::equal(a.entries, b.entries,
                            [](const Tree& x, const Tree& y) { return x.key == y.key && says_same(x, y); });
}

bool share_particles(const std::vector<Index>& a, const std::vector<Index>& b) {
  if (a.empty() || b.empty()) return true;  // all
  return std::ranges::any_of(a, [&](const Index particle) { return std::ranges::binary_search(b, particle); });
}

/// Whether the second of two items of one force adds to the first without a place or a law of its own.
bool repeats(const ListedForce& a, const ListedForce& b) {
  if (a.name != b.name || !share_particles(a.selected, b.selected)) return false;
  if (says_same(a.settings, b.settings)) return true;
  return find_force(a.name).is_single &&
         std::ranges::any_of(a.terms, [&](const std::string& term) { return std::ranges::count(b.terms, term) > 0; });
}

}  // namespace

std::vector<std::string> ForceList::notes() const {
  std::vector<std::string> notes;
  std::vector<bool> is_noted(items.size(), false);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::size_t times = 1;
    for (std::size_t j = i + 1; j < items.size(); ++j)
      if (!is_noted[j] && repeats(items[i], items[j])) {
        is_noted[j] = true;
        ++times;
      }
    if (times > 1 && !is_noted[i])
      notes.push_back(fmt::format("{} is listed {}: {} act", items[i].name,
                                  times == 2 ? "twice" : fmt::format("{} times", times), times == 2 ? "both" : "all"));
  }
  for (const ListedForce& item : items) {
    const auto replaced = std::ranges::find_if(items, [&](const ListedForce& other) {
      return other.name == find_force(item.name).replaces && share_particles(item.selected, other.selected);
    });
    const std::string note = replaced == items.end()
                                 ? ""
                                 : fmt::format(
                                       "{} is listed beside {}, which is the same force with other settings: "
                                       "both act",
                                       item.name, replaced->name);
    if (!note.empty() && std::ranges::count(notes, note) == 0) notes.push_back(note);
  }
  return notes;
}

ForceList read_forces(Node& root, const Body& body) {
  ForceList list;
  const sim::Polygons drawn{body.mesh.vertices, body.mesh.faces};
  const auto add = [&](Node& item, const sim::ForceInfo& force, Node settings, ListedForce& listed) {
    YamlSettings reader(std::move(settings), body.particles(), body.edge_space(), read_polygons, &drawn);
    for (auto& term : force.make(reader)) {
      listed.terms.push_back(term->traits().name);
      if (!listed.selected.empty()) term = selected_force(item, std::move(term), listed.selected);
      list.terms.push_back(std::move(term));
    }
  };
  for (Node& item : root.items("forces", "forces in addition to the springs: a list of `name: settings`")) {
    if (item.describing()) {
      for (const sim::ForceInfo& force : sim::forces()) {
        item.document(force.name, "force", "optional", force.summary);
        ListedForce any;
        add(item, force, item.form(force.name), any);
      }
      read_selected(item, body);
      continue;
    }
    const Named named = read_named(item, "force", names_of(sim::forces()),
                                   "begin each force with its own dash; only `select` may stand beside it", "select");
    ListedForce listed{.name = named.name, .settings = {}, .selected = {}, .terms = {}};
    if (named.settings.tree()) listed.settings = *named.settings.tree();
    if (!item.is_scalar()) listed.selected = read_selected(item, body);
    add(item, find_force(named.name), named.settings, listed);
    list.items.push_back(std::move(listed));
  }
  for (auto& joint : sim::make_chain_joints(list.terms, body.mesh.vertices)) list.terms.push_back(std::move(joint));
  return list;
}

}  // namespace pithball::app
