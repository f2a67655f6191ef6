#include "app/run/design_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/run/identify_run.hpp"
#include "app/spec/planned_spec.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

constexpr std::size_t most_combinations = 2000;  // each is a run

}  // namespace

DesignCandidates::DesignCandidates(const DesignTask& task) : task_(task) {
  const OptimizeSpec& optimize = task.optimize;
  for (const DesignAxis& axis : optimize.over) combinations_ *= axis.values.size();
  if (combinations_ > most_combinations)
    throw InvalidArgument({task.document.root.place.text(), "plan.optimize.over",
                           fmt::format("must make at most {} combinations", most_combinations),
                           fmt::format("{}", combinations_), "list fewer values"});
  for (std::size_t combination = 0; combination < combinations_; ++combination)
    for (const double rate : optimize.rates)
      for (const double duration : optimize.durations)
        if (const auto frames = static_cast<Index>(count_frames(rate, duration)); frames > 1)
          settings_.push_back({combination, rate, duration, frames});
  std::vector<double> start;
  for (const DesignVariable& variable : optimize.vary)
    for (const double number : variable.start) start.push_back((number - variable.min) / (variable.max - variable.min));
  start_ = Eigen::Map<const optim::Vector>(start.data(), static_cast<Index>(start.size()));
  outcomes_.resize(combinations_);
}

std::vector<std::pair<std::string, Tree>> DesignCandidates::values_of(std::size_t combination,
                                                                      const DesignNumbers& numbers) const {
  std::vector<std::pair<std::string, Tree>> values;
  for (const DesignAxis& axis : task_.optimize.over) {
    values.emplace_back(axis.path, axis.values[combination % axis.values.size()]);
    combination /= axis.values.size();
  }
  const double* next = numbers.data();
  for (const DesignVariable& variable : task_.optimize.vary) {
    std::vector<double> own(variable.start.size());
    for (double& number : own) number = variable.min + *next++ * (variable.max - variable.min);
    values.emplace_back(variable.path, with_numbers(variable, own.data()));
  }
  return values;
}

std::unique_ptr<DesignCandidates::Outcome> DesignCandidates::run(std::size_t combination,
                                                                 const DesignNumbers& numbers) {
  const OptimizeSpec& optimize = task_.optimize;
  const DesignedRecording all{task_.written.recordings[optimize.recording].name, optimize.rates.back(),
                              optimize.durations.back(), optimize.candidates, values_of(combination, numbers)};
  const ExperimentDocument document =
      design_document(task_.document, task_.written, optimize, {all}, !task_.earlier.empty());
  const FitSpec spec = read_fit(document, FitPurpose::Prediction);
  const auto index = static_cast<std::size_t>(std::ranges::find(spec.recordings, all.name, &Recording::name) -
                                              spec.recordings.begin());
  ++runs_;
  const optim::Vector theta = optim::start_at(spec.fit->map(), task_.earlier);
  const optim::ResolvedFit fit(with_simulated_positions(spec, theta));
  optim::RecordingInformation information(fit, theta, index, task_.earlier);
  if (!information.failure().empty()) {
    failures_.push_back(information.failure());
    return nullptr;
  }
  auto outcome = std::make_unique<Outcome>(Outcome{std::move(information), fit.map().info(), {}, 0, 0});
  const auto is_own = [&](const optim::ParameterInfo& info) { return info.recording == all.name; };
  for (const optim::ParameterInfo& info : outcome->parameters) outcome->shared += is_own(info) ? 0 : 1;
  Index shared = 0;
  for (const optim::ParameterInfo& info : outcome->parameters)
    outcome->place.push_back(is_own(info) ? outcome->shared + outcome->own++ : shared++);
  return outcome;
}

void DesignCandidates::run_some(const DesignNumbers& numbers, const std::vector<std::size_t>& combinations) {
  failures_.clear();
  for (std::unique_ptr<Outcome>& outcome : outcomes_) outcome.reset();
  for (const std::size_t combination : combinations)
    if (!outcomes_[combination]) outcomes_[combination] = run(combination, numbers);
}

void DesignCandidates::run_all(const DesignNumbers& numbers) {
  std::vector<std::size_t> all(combinations_);
  std::iota(all.begin(), all.end(), 0);
  run_some(numbers, all);
}

const DesignCandidates::Outcome& DesignCandidates::any_run() const {
  const auto found = std::ranges::find_if(outcomes_, [](const auto& outcome) { return outcome != nullptr; });
  if (found == outcomes_.end())
    throw InvalidArgument({task_.document.root.place.text(), "plan.optimize",
                           "must have a candidate that can be simulated", failures_.empty() ? "" : failures_.front(),
                           "change the values in `over`, the durations or the time step"});
  return **found;
}

optim::BlockPool DesignCandidates::pool(const std::vector<std::size_t>& settings) const {
  const Outcome& first = any_run();
  const Index size = first.shared + first.own * static_cast<Index>(settings.size());
  optim::BlockPool pool{{}, Eigen::MatrixXd::Zero(size, size)};
  for (std::size_t r = 0; r < settings.size(); ++r) {
    const DesignSetting& setting = settings_[settings[r]];
    const Outcome& outcome = *outcomes_[setting.combination];
    std::vector<Index> place = outcome.place;
    for (Index& k : place)
      if (k >= outcome.shared) k += static_cast<Index>(r) * outcome.own;
    Eigen::MatrixXd known = outcome.information.known();
    for (Index i = 0; r > 0 && i < known.rows(); ++i)  // what all recordings share is known once
      for (Index k = 0; k < known.cols(); ++k)
        if (place[i] < outcome.shared && place[k] < outcome.shared) known(i, k) = 0;
    pool.known(place, place) += known;
    const Index every = std::lround(task_.optimize.rates.back() / setting.rate);
    const std::vector<Eigen::MatrixXd> markers = outcome.information.by_marker({every, setting.duration});
    pool.blocks.resize(markers.size(), Eigen::MatrixXd::Zero(size, size));
    for (std::size_t m = 0; m < markers.size(); ++m) pool.blocks[m](place, place) += markers[m];
  }
  return pool;
}

optim::Criterion DesignCandidates::criterion() const {
  const Outcome& outcome = any_run();
  const OptimizeSpec& optimize = task_.optimize;
  optim::Criterion criterion{optimize.optimality, {}};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < outcome.parameters.size(); ++k) {
    const optim::ParameterInfo& info = outcome.parameters[k];
    if (info.is_nuisance) continue;
    names.push_back(info.name);
    if (!optimize.parameter.empty() && info.name != optimize.parameter) continue;
    criterion.of.push_back(outcome.place[k]);
    if (optimize.recordings > 1 && outcome.place[k] >= outcome.shared)
      throw InvalidArgument({task_.document.root.place.text(), "plan.optimize.budget.recordings",
                             "must be 1 if a parameter belongs to one recording", "'" + info.name + "'",
                             "share it, or design one recording"});
  }
  if (criterion.of.empty())
    throw InvalidArgument({task_.document.root.place.text(), "plan.optimize.criterion.parameter",
                           "must be the name of a parameter", "'" + optimize.parameter + "'",
                           fmt::format("write one of {}", fmt::join(names, ", "))});
  return criterion;
}

std::vector<DesignedRecording> DesignCandidates::recordings(const std::vector<std::size_t>& settings,
                                                            const std::vector<Index>& markers,
                                                            const DesignNumbers& numbers) const {
  const OptimizeSpec& optimize = task_.optimize;
  const std::string& name = task_.written.recordings[optimize.recording].name;
  std::vector<Index> particles;
  if (!optimize.candidates.empty())
    for (const Index block : markers) particles.push_back(optimize.candidates[block]);
  std::vector<DesignedRecording> designed;
  for (const std::size_t s : settings)
    designed.push_back({designed.empty() ? name : fmt::format("{}-{}", name, designed.size() + 1), settings_[s].rate,
                        settings_[s].duration, particles, values_of(settings_[s].combination, numbers)});
  return designed;
}

}  // namespace pithball::app
