#include "app/run/rank_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/run_folder/finished_fit.hpp"
#include "optim/fit/report.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

struct ReadFit {
  fs::path folder;
  FitRecord fit;
  bool known_sigma = false;
  long coordinates = 0;
};

ReadFit read_fit_of(const fs::path& folder) {
  const Run run = read_run(folder);
  ReadFit found{folder, finished_fit(run), false, 0};
  const Tree* known = find_at(run.document.root, "fit.residual.absolute_sigma");
  found.known_sigma = known && known->text == "true";
  const auto undetermined = static_cast<long>(found.fit.estimates.weak_directions.size());
  found.coordinates =
      found.fit.goodness.quality.degrees + static_cast<long>(found.fit.estimates.parameters.size()) - undetermined;
  return found;
}

/// Rejects fits to different data or with different sigma: their χ² cannot be compared.
void require_same_data(const ReadFit& first, const ReadFit& other) {
  const auto reject = [&](const std::string& got, const std::string& remedy) {
    throw InvalidArgument({other.folder.string(), "recordings",
                           "must be fitted to the same coordinates with the same sigma as " + first.folder.string(),
                           got, remedy});
  };
  if (first.coordinates != other.coordinates)
    reject(fmt::format("{} coordinates instead of {}", other.coordinates, first.coordinates),
           "fit the same recordings, frames and markers");
  if (first.known_sigma != other.known_sigma)
    reject("another absolute_sigma", "write the same `absolute_sigma` in both files");
  if (first.fit.recordings.size() != other.fit.recordings.size())
    reject(fmt::format("{} recordings instead of {}", other.fit.recordings.size(), first.fit.recordings.size()),
           "list the same recordings");
  for (std::size_t s = 0; s < first.fit.recordings.size(); ++s) {
    const auto &a = first.fit.recordings[s], &b = other.fit.recordings[s];
    if (a.name != b.name) reject("'" + b.name + "' instead of '" + a.name + "'", "list the same recordings");
    if (a.sigma != b.sigma) reject("another sigma of '" + b.name + "'", "write the same `sigma` in both files");
  }
}

/// Estimates the number of independent residuals from the fit with the smallest χ², whose residuals are closest to the
/// noise.
double count_independent(const std::vector<ReadFit>& fits) {
  const ReadFit& best =
      *std::ranges::min_element(fits, {}, [](const ReadFit& one) { return one.fit.goodness.quality.chi_square; });
  const optim::ErrorReport& errors = best.fit.estimates.uncertainty;
  // With a loss, the scale of the residuals is unknown and is estimated (`compute_posterior`).
  const bool is_given = best.known_sigma && std::isnan(errors.loss_threshold);
  return optim::count_independent(static_cast<double>(best.coordinates), errors,
                                  is_given ? best.fit.goodness.quality.reduced() : 1);
}

RankedFit rank(const ReadFit& one, const optim::ComparedData& data) {
  RankedFit row;
  row.name = one.folder.string();
  row.status = to_string(one.fit.verdict.status);
  row.parameters = one.fit.estimates.parameters.size();
  row.chi_square = one.fit.goodness.quality.chi_square;
  row.reduced = one.fit.goodness.quality.reduced();
  row.validation_frames = one.fit.goodness.errors.validation_frames;
  row.validation_markers = one.fit.goodness.errors.validation_markers;
  const optim::InformationCriteria criteria =
      compute_criteria(data, row.chi_square, static_cast<double>(row.parameters));
  row.aicc = criteria.aicc;
  row.bic = criteria.bic;
  return row;
}

}  // namespace

FitRanking rank_fits(const std::vector<fs::path>& folders) {
  std::vector<ReadFit> fits;
  for (const fs::path& folder : folders) {
    fits.push_back(read_fit_of(folder));
    require_same_data(fits.front(), fits.back());
  }
  FitRanking ranking;
  ranking.coordinates = fits.front().coordinates;
  ranking.known_sigma = fits.front().known_sigma;
  ranking.effective = count_independent(fits);
  for (const ReadFit& one : fits)
    ranking.fits.push_back(
        rank(one, {static_cast<double>(ranking.coordinates), ranking.effective, ranking.known_sigma}));
  // Fits with too many parameters for an AICc come last.
  const auto place = [](const RankedFit& one) {
    return std::pair(std::isnan(one.aicc), std::isnan(one.aicc) ? one.bic : one.aicc);
  };
  std::ranges::stable_sort(ranking.fits, {}, place);
  return ranking;
}

}  // namespace pithball::app
