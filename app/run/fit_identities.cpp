#include "app/run/fit_identities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/quoted_cell.hpp"
#include "optim/identity/find_identities.hpp"

namespace pithball::app {

bool has_open_identities(const FitSpec& spec) {
  return std::ranges::any_of(spec.recordings,
                             [](const Recording& recording) { return recording.motion.detections.are_open(); });
}

IdentifiedFit find_fit_identities(const FitSpec& spec, const optim::MinimizerWatch& watch) {
  std::vector<optim::Detections> detections;
  for (const Recording& recording : spec.recordings) detections.push_back(recording.motion.detections);
  optim::FoundIdentities found = optim::find_identities(spec.problem(), detections, watch);
  IdentifiedFit identified{spec, std::move(found.recordings)};
  optim::FitProblem problem = spec.problem();
  problem.observations = found.observations;
  for (std::size_t s = 0; s < spec.recordings.size(); ++s)
    identified.spec.recordings[s].observation = std::move(found.observations[s]);
  identified.spec.fit = std::make_shared<const optim::ResolvedFit>(std::move(problem));
  return identified;
}

std::string identity_table(const FitSpec& spec, const std::vector<optim::RecordingIdentities>& identities) {
  std::string table = "recording,frame,detection,particle,probability,chosen\n";
  for (const optim::RecordingIdentities& one : identities) {
    const auto recording = std::ranges::find(spec.recordings, one.recording, &Recording::name);
    const optim::Observation& seen = recording->observation;
    const std::string name = quoted_cell(one.recording);
    for (const optim::DetectionIdentity& what : one.identities) {
      const Index frame = seen.frame_numbers.empty() ? what.frame : seen.frame_numbers[what.frame];
      table += fmt::format("{},{},{},{},{:.6g},{}\n", name, frame, what.detection,
                           what.marker < 0 ? "" : quoted_cell(seen.markers[what.marker].name), what.probability,
                           what.is_chosen ? 1 : 0);
    }
  }
  return table;
}

namespace {

/// How the motion left the points behind, in a phrase; empty: it did not.
std::string say_left_behind(const optim::RecordingIdentities& one, std::size_t frames) {
  constexpr double least_detected = 0.5, longest_loss = 0.2;
  const auto longest = std::ranges::max_element(one.losses, {}, &optim::IdentityLoss::frames);
  const bool is_lost =
      longest != one.losses.end() && static_cast<double>(longest->frames) > longest_loss * static_cast<double>(frames);
  if (!is_lost && one.detection_rate >= least_detected) return {};
  std::string said =
      fmt::format("{}: {} of {} detections belong to a particle", one.recording, one.assigned, one.detections);
  if (is_lost)
    said += fmt::format(", and particle {} is lost in frames {} to {}, though in the picture", longest->particle,
                        longest->first, longest->last);
  return said;
}

}  // namespace

void judge_identities(const FitSpec& spec, const std::vector<optim::RecordingIdentities>& identities,
                      optim::RunVerdict& verdict) {
  for (const optim::RecordingIdentities& one : identities) {
    const auto recording = std::ranges::find(spec.recordings, one.recording, &Recording::name);
    if (std::string left = say_left_behind(one, recording->observation.times.size()); !left.empty())
      verdict.doubt(std::move(left),
                    "look at the frames where it is lost; start nearer to the truth, or fit linked tracks (`links`)");
    if (one.open.empty()) continue;
    const optim::OpenIdentity& first = one.open.front();
    const std::string worse =
        std::isnan(first.worse_by) ? "" : fmt::format(" (2 ln Λ = {:.2g} for one against the other)", first.worse_by);
    const std::string others =
        one.open.size() > 1 ? fmt::format(", and {} other pair{}", one.open.size() - 1, one.open.size() == 2 ? "" : "s")
                            : std::string();
    verdict.doubt(
        fmt::format("{}: particles {} and {} may be exchanged in all frames{}{}", one.recording, first.one, first.other,
                    worse, others),
        "write start positions under `system` that are nearer to the recorded ones, or name the points of the "
        "first frames (`identities: partly`)");
  }
}

}  // namespace pithball::app
