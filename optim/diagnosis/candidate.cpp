#include "optim/diagnosis/candidate.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "optim/fit/judged_starts.hpp"
#include "optim/fit/problem.hpp"
#include "optim/observation/free_diffusion.hpp"
#include "optim/parameter/value_entries.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Values that are tested for each particle or spring.
constexpr std::array element_values{"mass", "charge", "stiffness", "rest_length"};

bool varies(const std::vector<Parameter>& fitted, const std::string& value, EntrySharing sharing) {
  return std::ranges::any_of(fitted, [&](const Parameter& p) {
    return p.value == value && p.entries.sharing == sharing && p.entries.selected.empty() &&
           p.entries.components.empty();
  });
}

/// The entries of a value in the scenarios that have it.
struct GivenEntries {
  ValueEntries in_first;  ///< of these scenarios
  Vector given;           ///< their values there
  bool differ = false;    ///< whether other scenarios have other values
};

GivenEntries find_entries(const std::vector<diff::Scenario>& scenarios, const std::string& value) {
  GivenEntries all;
  for (const diff::Scenario& scenario : scenarios) {
    ValueEntries found = find_value_entries(scenario, value);
    if (found.entries.empty()) continue;
    const Vector values = scenario.physical_values();
    Vector given(static_cast<Index>(found.entries.size()));
    for (std::size_t k = 0; k < found.entries.size(); ++k) given[k] = values[found.entries[k].index];
    if (all.in_first.entries.empty()) {
      all.in_first = std::move(found);
      all.given = std::move(given);
    } else if (given.size() != all.given.size() || given != all.given) {
      all.differ = true;
    }
  }
  return all;
}

Parameter declare(const std::string& value, EntrySharing sharing) {
  Parameter parameter;
  parameter.value = value;
  parameter.entries.sharing = sharing;
  parameter.range.transform = Transform::Kind::Identity;
  return parameter;
}

std::string concern_word(Concern concern) {
  switch (concern) {
    case Concern::Computation:
      return "computation";
    case Concern::Measurement:
      return "measurement";
    case Concern::Model:
      return "model";
  }
  return "";
}

std::string owner_word(sim::ValueOwner owner) {
  return owner == sim::ValueOwner::Particle ? "particle" : owner == sim::ValueOwner::Spring ? "spring" : "term";
}

}  // namespace

Vector Candidate::stepped(const Vector& step) const {
  if (!is_positive) return held + step;
  return held.binaryExpr(
      step, [](double before, double change) { return change < 0 ? before / (1 - change / before) : before + change; });
}

HeldValues find_held_values(const std::vector<Parameter>& fitted, const std::vector<diff::Scenario>& scenarios) {
  std::set<std::string> names;
  HeldValues held;
  for (const diff::Scenario& scenario : scenarios)
    for (const sim::ValueBlock& block : scenario.model.values().blocks())
      if (!block.key_time && block.size > 0) names.insert(block.name);
  for (const std::string& name : names) {
    const auto [entries, given, differ] = find_entries(scenarios, name);
    if (std::ranges::any_of(entries.entries, [](const ValueEntry& e) { return e.key_time.has_value(); })) continue;
    const bool is_absent_charge = entries.scaling == sim::ValueScaling::Charge && given.isZero(0);
    if (is_absent_charge) continue;  // the motion depends on products of charges: no effect to first order at 0
    if (!varies(fitted, name, EntrySharing::All)) {
      const bool of_term = entries.owner == sim::ValueOwner::Term;
      Parameter whole = declare(name, of_term ? EntrySharing::None : EntrySharing::All);
      whole.factor = differ || (!of_term && (given.array() != given[0]).any());  // values keep their ratios
      held.whole.push_back(std::move(whole));
    }
    if (std::ranges::find(element_values, name) != element_values.end() && given.size() > 1 &&
        !varies(fitted, name, EntrySharing::None))
      held.elements.push_back(declare(name, EntrySharing::None));
  }
  return held;
}

CandidateColumns list_candidates(const ParameterMap& map) {
  CandidateColumns found;
  const std::vector<ParameterInfo>& all = map.info();
  for (std::size_t k = 0; k < all.size();) {
    const ParameterInfo& first = all[k];
    std::size_t end = k + 1;
    while (end < all.size() && all[end].declaration == first.declaration && all[end].group == first.group) ++end;
    const ValueEntries entries = find_value_entries(map.scenarios().front(), first.value);
    Candidate& candidate = found.candidates.emplace_back();
    candidate.name = end - k > 1 ? first.name.substr(0, first.name.rfind('.')) : first.name;
    candidate.value = first.value;
    candidate.unit = first.unit;
    candidate.owner = entries.owner;
    const bool is_alone = (k == 0 || all[k - 1].declaration != first.declaration) &&
                          (end == all.size() || all[end].declaration != first.declaration);
    if (is_alone)
      candidate.name = first.value;  // "gravity", not "gravity[0]"
    else if (!first.group.empty())
      candidate.item = std::stol(first.group);
    candidate.held.resize(static_cast<Index>(end - k));
    for (std::size_t j = k; j < end; ++j) candidate.held[j - k] = all[j].initial;
    candidate.one_sided = end - k == 1 && first.lower == first.initial;
    candidate.is_positive = end - k == 1 && first.lower >= 0 && first.initial > 0;
    found.first.push_back(static_cast<Index>(k));
    k = end;
  }
  found.first.push_back(static_cast<Index>(all.size()));
  return found;
}

void fields(FieldVisitor& v, MissingSpring& spring) {
  v.is("MissingSpring", "a spring that the model does not have");
  std::pair<Index, Index> ends{spring.ends.i, spring.ends.j};
  v("between", ends, "the particles that it would join");
  v.after_reading([&] { spring.ends = {ends.first, ends.second}; });
  v("rest_length", spring.rest_length, in("m"), "length without force");
}

void fields(FieldVisitor& v, Candidate& candidate) {
  v.is("Candidate", "a value, force, element, attachment or part of the measurement that the fit holds");
  v("name", candidate.name, "\"quadratic_drag\", \"stiffness[412]\"");
  v("value", candidate.value, "the value that it belongs to: \"stiffness\"");
  v("unit", candidate.unit, "unit of its numbers; empty: a factor or an attachment");
  v("recording", or_null(candidate.recording), "recording of a marker, or the one that was made so; null: all");
  v("owner",
    Word<sim::ValueOwner>{
        candidate.owner, {sim::ValueOwner::Particle, sim::ValueOwner::Spring, sim::ValueOwner::Term}, owner_word},
    "what the value belongs to");
  v("item", value_if(candidate.item >= 0, candidate.item),
    "number of the particle, spring, entry of forces or marker with an offset; null: all, or a missing spring");
  v("held", candidate.held, of_parameter, "the value in the fitted model");
  v("one_sided", candidate.one_sided, "whether it lies at 0 and is never negative");
  v("positive", candidate.is_positive, "whether it is positive, and stays so");
  v("concern",
    Word<Concern>{candidate.concern, {Concern::Computation, Concern::Measurement, Concern::Model}, concern_word},
    "what it concerns: the time step, how the recording was made or where the body started, or what acts");
  v("missing", candidate.missing, "the spring whose strength it is, if the model does not have it; else null");
  v("key", candidate.key, "what to write in the experiment file, where one line says it; else empty");
}

Evaluation run_changed(const CandidateEffect& effect, const Vector& theta, const Vector& beta, Vector& r) {
  try {
    return effect.run(theta, beta, r);
  } catch (const InvalidArgument& error) {
    return {error.what()};
  }
}

SeenAt::SeenAt(const ResolvedFit& fit, const Vector& theta) : observations(fit.problem().observations) {
  for (std::size_t s = 0; s < observations.size(); ++s) {
    Observation& o = observations[s];
    recording_frames.push_back(o.recording_frame);
    if (o.noise.thermal_energy > 0 && o.noise.diffusion.size() == 0)  // that of the values at which the fit begins
      o.noise.diffusion = compute_diffusion(fit.map().scenarios()[s], o);
    place(s, fit.map().recording_frame(theta, static_cast<Index>(s)));
  }
}

void SeenAt::place(std::size_t recording, const RecordingFrame& frame) {
  Observation& o = observations[recording];
  const double larger = frame.scale() / o.recording_frame.scale();
  o.noise.diffusion *= larger * larger;
  o.recording_frame = recording_frames[recording] = frame;
}

TrajectoryResidual SeenAt::residual_of(const std::vector<Parameter>& declarations,
                                       const std::vector<diff::Scenario>& scenarios) const {
  return {ParameterMap(scenarios, declarations, recording_frames), observations};
}

FittedEnd::FittedEnd(const ResolvedFit& fit, const Vector& at, const BoundedErrors& there)
    : theta(at), errors(there), scenarios(fit.map().scatter(at)), seen(fit, at) {}

Evaluation find_errors(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales,
                       BoundedErrors& errors) {
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  Vector r;
  Eigen::MatrixXd J;
  FitRows rows;
  Evaluation evaluation = trajectories.evaluate(theta, r, &J);
  if (evaluation.ok()) evaluation = make_fit_rows(fit, theta, r, J, scales.threshold, rows);
  if (evaluation.ok()) errors = compute_bounded_errors(fit, theta, std::move(rows), scales.data);
  return evaluation;
}

}  // namespace pithball::optim
