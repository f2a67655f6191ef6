#include "optim/identity/identity_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/fit/search.hpp"
#include "sim/core/stop.hpp"

namespace pithball::optim {
namespace {

constexpr double most_widening = 100;  // a fit that is farther off says nothing of single places
constexpr int most_identity_rounds = 30;
constexpr double least_detected = 0.5;  // while the motion is wrong, missing particles are no fault of the detector

/// Returns the parameter that alone sets an entry of a scenario's flat values; −1: there is none.
Index parameter_of(const ParameterMap& map, std::size_t recording, Index entry) {
  for (const ParameterEntry& one : map.entries(static_cast<Index>(recording)))
    if (one.index == entry && one.shares.size() == 1) return one.shares.front().parameter;
  return -1;
}

}  // namespace

IdentitySearch::IdentitySearch(const FitProblem& problem, const std::vector<Detections>& detections,
                               const MinimizerWatch& watch)
    : problem_(problem), detections_(detections), watch_(watch), map_(make_parameter_map(problem)) {
  models_.resize(detections.size());
  for (std::size_t s = 0; s < detections.size(); ++s)
    if (detections[s].are_open()) models_[s].emplace(detections[s], problem.observations[s]);
}

Vector IdentitySearch::exchanged_start(Vector start, std::size_t recording,
                                       const std::pair<Index, Index>& markers) const {
  const diff::Scenario& scenario = problem_.scenarios[recording];
  const std::vector<Marker>& all = problem_.observations[recording].markers;
  const Index one = all[markers.first].vertices.front().first, other = all[markers.second].vertices.front().first;
  for (const Index offset : {scenario.position_offset(), scenario.velocity_offset()})
    for (Index a = 0; a < 3; ++a) {
      const Index k = parameter_of(map_, recording, offset + 3 * one + a),
                  l = parameter_of(map_, recording, offset + 3 * other + a);
      if (k >= 0 && l >= 0) std::swap(start[k], start[l]);
    }
  return start;
}

FitProblem IdentitySearch::problem_with(std::vector<Observation> observations, bool is_final) const {
  FitProblem other = problem_;
  other.observations = std::move(observations);
  if (!is_final && !other.loss.is_robust()) other.loss = RobustLoss("cauchy");
  return other;
}

std::vector<Observation> IdentitySearch::linked_observations(
    const std::vector<std::vector<std::vector<Index>>>& linked) const {
  std::vector<Observation> observations = problem_.observations;
  for (std::size_t s = 0; s < observations.size(); ++s) {
    if (!models_[s]) continue;
    observations[s].positions = positions_of(detections_[s].frames, linked[s]);
    observations[s].present.clear();
    observations[s].noise.sample_factor.clear();
  }
  return observations;
}

std::optional<Vector> IdentitySearch::fit_linked(std::vector<Observation> observations, const Vector& start) {
  FitProblem linked = problem_with(std::move(observations), false);
  if (start != map_.initial()) {
    const MinimizerReport found = search_from(linked, map_, start, evaluations_, watch_.silent());
    if (found.status == MinimizerStatus::Failed) return {};
    return found.theta;
  }
  const ResolvedFit fit(std::move(linked));
  const SearchReport found = search(fit, {watch_, {}});
  evaluations_ += found.evaluations;
  if (found.best.status == MinimizerStatus::Failed || found.best.theta.size() != map_.size()) return {};
  return found.best.theta;
}

std::vector<PredictedReadings> IdentitySearch::predict(const Vector& theta) const {
  std::vector<PredictedReadings> predicted(models_.size());
  for (std::size_t s = 0; s < models_.size(); ++s) {
    if (!models_[s]) continue;
    const auto number = static_cast<Index>(s);
    Observation seen = problem_.observations[s];
    seen.recording_frame = map_.recording_frame(theta, number);
    const diff::Scenario scenario = map_.scatter(theta, number);
    predicted[s] = predict_readings(scenario, seen, {});
    const bool is_delayed = seen.instrument && seen.instrument->delay(Vec3::Ones()).count != 0;
    if (is_delayed) predicted[s] = predict_readings(scenario, seen, predicted[s].places);
  }
  return predicted;
}

double IdentitySearch::first_widening(const std::vector<PredictedReadings>& predicted,
                                      const std::vector<std::vector<std::vector<Index>>>& linked) const {
  constexpr double usual = 1.5;  // of a fit that is right
  double widest = 1;
  for (std::size_t s = 0; s < models_.size(); ++s) {
    if (!models_[s]) continue;
    std::vector<double> squares;
    for (std::size_t f = 0; f < linked[s].size(); ++f)
      for (std::size_t m = 0; m < linked[s][f].size(); ++m) {
        const auto marker = static_cast<Index>(m);
        if (linked[s][f][m] < 0 || !predicted[s].is_read(f, marker, models_[s]->components())) continue;
        squares.push_back(models_[s]->distance(f, linked[s][f][m], marker, predicted[s].places[f].col(marker)));
      }
    if (squares.empty()) continue;
    // Half of the tracks may be wrong at their ends: the lower third is of those that are right.
    const auto third = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 3);
    std::ranges::nth_element(squares, third);
    const double scale = std::sqrt(*third / static_cast<double>(models_[s]->components().size()));
    if (scale > usual) widest = std::max(widest, 2 * scale);
  }
  return std::min(widest, most_widening);
}

void IdentitySearch::assign_at(const std::vector<PredictedReadings>& predicted, double widening,
                               IdentityEnd& end) const {
  end.assigned.resize(models_.size());
  for (std::size_t s = 0; s < models_.size(); ++s) {
    if (!models_[s]) continue;
    DetectionRates rates = end.assigned[s] ? end.assigned[s]->rates : models_[s]->first_rates();
    // Residuals that scatter by s already contain what a wider distribution is for.
    const auto marginals_now = [&] {
      return models_[s]->compute(predicted[s], rates, std::max(1.0, widening / rates.scale));
    };
    // Rates and marginals determine each other: the rates of a first guess would decide close calls otherwise.
    constexpr int passes = 2;
    SettledAssignment settled;
    settled.predicted = predicted[s];
    for (int pass = 0; pass < passes; ++pass) {
      rates = models_[s]->fit_rates(predicted[s], marginals_now());
      if (widening > 1) rates.detected = std::max(rates.detected, least_detected);
    }
    settled.marginals = marginals_now();  // of the same rates as the likelihood
    settled.rates = rates;
    for (const FrameMarginals& marginals : settled.marginals) settled.events.push_back(find_best_event(marginals));
    end.assigned[s] = std::move(settled);
  }
  ++end.rounds;
}

bool IdentitySearch::maximize(bool is_final, IdentityEnd& end) {
  std::vector<Observation> observations = problem_.observations;
  for (std::size_t s = 0; s < models_.size(); ++s)
    if (models_[s])
      observations[s] =
          weigh_detections(problem_.observations[s], detections_[s], *models_[s], end.assigned[s]->marginals);
  const auto is_empty = [](const Observation& one) {
    return std::ranges::all_of(one.positions, [](const Points& frame) { return frame.array().isNaN().all(); });
  };
  if (std::ranges::any_of(observations, is_empty)) return false;
  FitProblem weighted = problem_with(std::move(observations), is_final);
  constexpr int few_iterations = 5;  // a step uphill of the likelihood is enough for each round
  weighted.search.minimizer.max_iterations = std::min(few_iterations, weighted.search.minimizer.max_iterations);
  const MinimizerReport found = search_from(weighted, map_, end.theta, evaluations_, watch_.silent());
  if (found.status == MinimizerStatus::Failed || found.status == MinimizerStatus::Stopped) return false;
  end.theta = found.theta;
  return true;
}

void IdentitySearch::sum_likelihood(IdentityEnd& end) const {
  end.log_likelihood = 0;
  for (std::size_t s = 0; s < models_.size(); ++s)
    if (models_[s])
      end.log_likelihood +=
          models_[s]->log_likelihood(end.assigned[s]->predicted, end.assigned[s]->rates, end.assigned[s]->marginals);
}

IdentityEnd IdentitySearch::run(const std::vector<std::vector<std::vector<Index>>>& linked, const Vector& start) {
  IdentityEnd end;
  try {
    std::optional<Vector> theta = fit_linked(linked_observations(linked), start);
    if (!theta || watch_.is_stopped()) return end;
    end.theta = *std::move(theta);
    std::vector<PredictedReadings> predicted = predict(end.theta);
    double widening = first_widening(predicted, linked);
    std::vector<std::vector<std::vector<Index>>> before;
    while (end.rounds < most_identity_rounds) {
      assign_at(predicted, widening, end);
      std::vector<std::vector<std::vector<Index>>> now;
      for (const auto& one : end.assigned) now.push_back(one ? one->events : std::vector<std::vector<Index>>{});
      const bool is_settled = widening == 1 && now == before;
      before = std::move(now);
      if (is_settled) break;
      if (map_.size() > 0 && !maximize(widening == 1, end)) return end;
      predicted = predict(end.theta);
      widening = std::max(1.0, widening / 2);
    }
    sum_likelihood(end);
    end.is_found = !watch_.is_stopped();
  } catch (const sim::Stopped&) {  // the fit that follows sees the same request
  }
  return end;
}

}  // namespace pithball::optim
