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

void judge_identities(const std::vector<optim::RecordingIdentities>& identities, optim::RunVerdict& verdict) {
  for (const optim::RecordingIdentities& one : identities) {
    if (one.open.empty()) continue;
    const optim::OpenIdentity& first = one.open.front();
    const std::string worse =
        std::isnan(first.worse_by) ? "" : fmt::format(" (2 ln Λ = {:.2g} for one against the other)", first.worse_by);
    const std::string others =
        one.open.size() > 1
            ? fmt::format(", and {} other pair{}", one.open.size() - 1, one.open.size() == 2 ? "" : "s")
            : std::string();
    verdict.doubt(
        fmt::format("{}: particles {} and {} may be exchanged in all frames{}{}", one.recording, first.one, first.other,
                    worse, others),
        "write start positions under `system` that are nearer to the recorded ones, or name the points of the "
        "first frames (`identities: partly`)");
  }
}

}  // namespace pithball::app
