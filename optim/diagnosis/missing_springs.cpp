#include "optim/diagnosis/missing_springs.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "sim/neighbors/auto_search.hpp"

namespace pithball::optim {
namespace {

/// Of median springs in a row: two, and what a stretched net adds to them.
constexpr double near_lengths = 2.1;

bool have_same_springs(const diff::Scenario& a, const diff::Scenario& b) {
  return a.model.particles() == b.model.particles() &&
         std::ranges::equal(a.model.springs(), b.model.springs(),
                            [](const sim::Spring& s, const sim::Spring& t) { return s.i == t.i && s.j == t.j; });
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// A body where it starts or rests, and the pairs of its particles.
class Pairs {
 public:
  explicit Pairs(const diff::Scenario& scenario)
      : model_(scenario.model), x_(scenario.rest_near ? *scenario.rest_near : scenario.initial.x) {
    for (const auto& [i, j] : model_.springs()) joined_.insert(std::minmax(i, j));
  }

  double length(const sim::Spring& pair) const { return (x_.col(pair.i) - x_.col(pair.j)).norm(); }

  /// Whether a spring could pull at one of them, and none does.
  bool is_open(Index i, Index j) const {
    return !joined_.contains({i, j}) && !(model_.is_held(i) && model_.is_held(j)) && x_.col(i) != x_.col(j);
  }

  /// All that are open, or none if they are more than `many`.
  std::vector<sim::Spring> all(Index many) const {
    std::vector<sim::Spring> open;
    for (Index i = 0; i < model_.particles(); ++i)
      for (Index j = i + 1; j < model_.particles(); ++j) {
        if (is_open(i, j)) open.push_back({i, j});
        if (static_cast<Index>(open.size()) > many) return {};
      }
    return open;
  }

  /// Those that are open and nearer than this.
  std::vector<sim::Spring> within(double cutoff) const {
    std::vector<sim::Spring> open;
    const auto list = sim::AutoSearch().find(x_, cutoff);
    for (Index i = 0; i < list->points(); ++i)
      for (const auto j : list->row(i))
        if (is_open(i, j)) open.push_back({i, static_cast<Index>(j)});
    return open;
  }

 private:
  const sim::Model& model_;
  const Points& x_;
  std::set<std::pair<Index, Index>> joined_;
};

}  // namespace

MissingSprings find_missing_springs(const std::vector<diff::Scenario>& scenarios, Index many) {
  const diff::Scenario& first = scenarios.front();
  const sim::Values& values = first.model.values();
  MissingSprings found;
  for (const char* strength : {"stiffness", "axial_stiffness"})
    if (values.find(strength)) found.value = strength;
  found.first = static_cast<Index>(first.model.springs().size());
  if (found.value.empty() || found.first == 0) return found;
  if (!std::ranges::all_of(scenarios, [&](const auto& other) { return have_same_springs(first, other); })) return found;
  const Pairs pairs(first);
  std::vector<double> lengths, shares;
  const auto rest_length = values[*values.find("rest_length")];
  for (Index e = 0; e < found.first; ++e) {
    const double length = pairs.length(first.model.springs()[e]);
    if (!(length > 0)) continue;  // one that begins in a point says nothing of others
    lengths.push_back(length);
    shares.push_back(rest_length[e] / length);
  }
  if (lengths.empty()) return found;
  std::vector<sim::Spring> open = pairs.all(many);
  if (open.empty()) open = pairs.within(near_lengths * median(lengths));
  const double share = median(shares);
  for (const sim::Spring& pair : open) found.springs.push_back({pair, share * pairs.length(pair)});
  return found;
}

std::vector<diff::Scenario> MissingSprings::added_to(std::vector<diff::Scenario> scenarios) const {
  if (springs.empty()) return scenarios;
  std::vector<sim::Spring> pairs;
  Vector rest_length(count());
  for (Index k = 0; const MissingSpring& spring : springs) {
    rest_length[k++] = spring.rest_length;
    pairs.push_back(spring.ends);
  }
  for (diff::Scenario& scenario : scenarios) scenario.model = scenario.model.with_springs(pairs, rest_length);
  return scenarios;
}

void MissingSprings::declare(std::vector<Parameter>& elements) const {
  if (springs.empty()) return;
  const auto numbers = [](Index from, Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), from);
    return all;
  };
  for (Parameter& parameter : elements)
    if (parameter.value == value || parameter.value == "rest_length") parameter.entries.selected = numbers(0, first);
  Parameter& own = elements.emplace_back();
  own.value = value;
  own.entries.sharing = EntrySharing::None;
  own.entries.selected = numbers(first, count());
  own.range.transform = Transform::Kind::Identity;
}

void MissingSprings::name(std::vector<Candidate>& candidates) const {
  for (std::size_t k = 0; k < springs.size(); ++k) {
    Candidate& candidate = candidates[candidates.size() - springs.size() + k];
    const sim::Spring& ends = springs[k].ends;
    candidate.name = "spring between " + std::to_string(ends.i) + " and " + std::to_string(ends.j);
    candidate.item = -1;
    candidate.missing = springs[k];
  }
}

}  // namespace pithball::optim
