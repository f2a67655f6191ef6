#include "app/run/fit_screening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/base/estimate_text.hpp"
#include "app/run/run_judge.hpp"
#include "optim/screening/sample_findings.hpp"
#include "optim/screening/start_findings.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using optim::Finding;
using optim::FindingKind;

void add(const FitSpec& spec, const Recording& recording, std::vector<Finding> found,
         std::vector<RecordingFinding>& findings) {
  for (Finding& finding : found) {
    const bool answered =
        recording.screening.answers.answer(finding) || (spec.loss_is_written && finding.kind == FindingKind::Outlier);
    findings.push_back({recording.name, std::move(finding), answered});
  }
}

/// Whether a marker follows only held particles, and is therefore expected to rest.
bool is_held(const Recording& recording, const std::string& name) {
  const auto& markers = recording.observation.markers;
  const auto marker = std::ranges::find(markers, name, &optim::Marker::name);
  return marker != markers.end() && !marker->vertices.empty() &&
         std::ranges::all_of(marker->vertices,
                             [&](const auto& one) { return recording.own.scenario.model.is_held(one.first); });
}

/// Returns the keys that set the charge of pinned particles to zero, using groups of the body with only such particles.
std::string say_neutral(const Body& body, const std::vector<Index>& pinned, const std::string& charge) {
  const std::set<Index> all(pinned.begin(), pinned.end());
  std::set<Index> left = all;
  std::string neutral;
  for (const auto& [name, members] : body.vertex_groups) {
    const bool is_pinned = std::ranges::all_of(members, [&](Index particle) { return all.contains(particle); });
    const bool is_needed = std::ranges::any_of(members, [&](Index particle) { return left.contains(particle); });
    if (!is_pinned || !is_needed) continue;
    neutral += ", " + name + ": 0 C";
    for (const Index particle : members) left.erase(particle);
  }
  const std::string write =
      fmt::format("write `charge: {{all: {}{}}}`", charge, left.empty() ? neutral : ", hooks: 0 C");
  constexpr std::size_t most_listed = 12;
  if (left.empty()) return write;
  return write + (pinned.size() > most_listed
                      ? " with a group `hooks` of them"
                      : fmt::format(" and, below `groups`, `hooks: {{vertices: [{}]}}`", fmt::join(pinned, ", ")));
}

/// Finds pinned particles with the uniform charge of the body, because hooks and clamps seldom carry charge.
std::vector<Finding> find_charged_pinned(const Recording& recording) {
  const Body& body = recording.own.body;
  std::vector<Index> pinned;
  for (const sim::Held& held : body.held)
    if (!held.path) pinned.push_back(held.particle);
  const bool interact = std::ranges::any_of(recording.own.scenario.model.terms(), [](const auto& term) {
    return term->traits().energy == sim::EnergyKind::Coulomb;
  });
  const Vector& charges = body.charges.initial;
  const bool is_uniform = charges.size() > 0 && charges.minCoeff() == charges.maxCoeff();
  if (!interact || pinned.empty() || !is_uniform || charges[0] == 0 ||
      static_cast<Index>(pinned.size()) == charges.size())
    return {};
  const bool one = pinned.size() == 1;
  const std::string charge = quantity_text(charges[0], "C");
  return {{FindingKind::ChargedPinned,
           "",
           {},
           static_cast<double>(pinned.size()),
           fmt::format("{} {} the charge of all, {}; if hooks and clamps are neutral, {}",
                       one ? fmt::format("particle {}", pinned.front()) : fmt::format("{} particles", pinned.size()),
                       one ? "is pinned and has" : "are pinned and have", charge, say_neutral(body, pinned, charge)),
           ""}};
}

/// Returns the particles whose initial state is set by the recording instead of by `system`.
std::vector<Index> placed_by_recording(const Recording& recording) {
  std::vector<Index> placed;
  if (recording.start.is_written() || recording.observation.instrument) return placed;
  const sim::State& start = recording.own.scenario.initial;
  for (Index i = 0; i < start.x.cols(); ++i)
    if (start.x.col(i) != recording.own.body.mesh.vertices.col(i) ||
        start.v.col(i) != recording.own.body.velocities.col(i))
      placed.push_back(i);
  return placed;
}

std::vector<Finding> screen_start(const FitSpec& spec, std::size_t s) {
  const Recording& recording = spec.recordings[s];
  optim::RecordingReading reading = recording.screening.reading;
  reading.placed_by_recording = placed_by_recording(recording);
  // If the start is far from the truth, a wrong unit may seem to be the cause.
  reading.left_by_parameters = [&spec, s] {
    return optim::left_by_parameters(spec.fit->residual().trajectories(), spec.fit->map().initial(), s);
  };
  // All samples of the spec are screened, even if they are not fitted: exchanged markers spoil a forecast, too.
  return optim::find_at_start(recording.own.scenario, recording.observation, reading);
}

}  // namespace

std::vector<std::string> FitScreening::sentences() const {
  std::vector<std::string> said;
  for (const RecordingFinding& one : open_faults(findings)) said.push_back(one.note());
  said.insert(said.end(), doubts.begin(), doubts.end());
  return said;
}

std::vector<RecordingFinding> screen_samples(const FitSpec& spec) {
  std::vector<RecordingFinding> findings;
  for (const Recording& recording : spec.recordings) {
    if (recording.planned || recording.motion.detections.are_open()) continue;  // there are no tracks of particles yet
    std::vector<Finding> found = optim::find_in_samples(recording.observation, recording.motion.capture.file_scale);
    std::erase_if(
        found, [&](const Finding& one) { return one.kind == FindingKind::Resting && is_held(recording, one.marker); });
    add(spec, recording, std::move(found), findings);
    add(spec, recording, find_charged_pinned(recording), findings);
  }
  return findings;
}

FitScreening screen_fit(const FitSpec& spec) {
  FitScreening screening{screen_samples(spec), spec.doubts};
  for (std::size_t s = 0; s < spec.recordings.size(); ++s) {
    const Recording& recording = spec.recordings[s];
    if (recording.planned || recording.motion.detections.are_open()) continue;
    std::vector<Finding> found = screen_start(spec, s);
    if (!found.empty()) {
      const auto [first, last] = spec.placement_doubts.equal_range(recording.name);
      for (auto doubt = first; doubt != last; ++doubt) std::erase(screening.doubts, doubt->second);
    }
    add(spec, recording, std::move(found), screening.findings);
  }
  // Other findings may accompany a correct fit; this one changes the fitted charge.
  for (const RecordingFinding& one : screening.findings)
    if (one.finding.kind == FindingKind::ChargedPinned && !one.answered)
      screening.doubts.push_back(one.sentence() + ", else `accept_findings: [charged_pinned]`");
  return screening;
}

void require_time_units(const FitScreening& screening) {
  for (const RecordingFinding& one : open_faults(screening.findings))
    if (one.finding.key == optim::times_in_ms)
      throw InvalidArgument(
          {one.recording, "times", "must be read in the unit that they have", "s for ms", one.remedy()});
}

void judge_findings(const std::vector<RecordingFinding>& findings, optim::RunVerdict& verdict) {
  const std::vector<RecordingFinding> open = open_faults(findings);
  // With wrong data, further causes of a misfit remain unknown.
  if (!open.empty() && verdict.status == optim::RunStatus::DoesNotFit) verdict.remedy = "then fit again";
  for (auto fault = open.rbegin(); fault != open.rend(); ++fault) verdict.question(fault->sentence(), fault->remedy());
}

void explain_failed_start(const FitSpec& spec, const optim::Vector& theta, optim::RunVerdict& verdict) {
  if (verdict.status != optim::RunStatus::Failed || !verdict.remedy.empty()) return;
  for (const diff::Scenario& scenario : spec.fit->map().scatter(theta)) {
    const JudgedRun run = judge_run(scenario, 1);
    if (run.is_complete) continue;
    verdict.why = fmt::format("cannot evaluate: recording '{}': {}", scenario.name, run.verdict.why);
    verdict.remedy = run.verdict.remedy;
    return;
  }
}

}  // namespace pithball::app
