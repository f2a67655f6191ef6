#include "app/run/design_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "app/experiment/recording/recording_list.hpp"
#include "app/run/prediction_run.hpp"
#include "optim/design/optimal_design.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

constexpr std::size_t most_combinations = 2000;  // each requires a run

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
    for (Index i = 0; r > 0 && i < known.rows(); ++i)  // count prior knowledge of shared parameters only once
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

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_gain = 1e-6;  // least improvement of the logarithm of the mean error
constexpr int first_steps = 8, most_steps = 60;
constexpr int most_cosines = 4;

/// The criterion by which the next recording is chosen.
enum class Preference { Gain, GainPerFrame };

/// Chooses recordings and markers for given numbers.
class RecordingChoice {
 public:
  RecordingChoice(const OptimizeSpec& optimize, const DesignCandidates& candidates)
      : optimize_(optimize), candidates_(candidates), criterion_(candidates.criterion()) {}

  FoundDesign best() {
    FoundDesign design = by(Preference::Gain);
    if (optimize_.recordings > 1) {
      FoundDesign other = by(Preference::GainPerFrame);
      if (other.markers.loss < design.markers.loss - least_gain) design = std::move(other);
    }
    design.evaluations = evaluations_;
    return design;
  }

 private:
  FoundDesign by(Preference preference) {
    FoundDesign design;
    design.markers.loss = infinity;
    while (static_cast<Index>(design.settings.size()) < optimize_.recordings && add(preference, design)) {
    }
    for (int pass = 0; pass < 10 && exchange(design); ++pass) {
    }
    return design;
  }

  /// Adds the best recording within the budget; false if none lowers the criterion.
  bool add(Preference preference, FoundDesign& design) {
    FoundDesign best = design;
    double best_score = -infinity;
    const double before = design.settings.empty() ? known_loss() : design.markers.loss;
    for (std::size_t s = 0; s < candidates_.settings().size(); ++s) {
      std::vector<std::size_t> settings = design.settings;
      settings.push_back(s);
      if (!is_possible(settings)) continue;
      optim::ChosenBlocks markers = choose(settings, design.markers.blocks);
      if (!(markers.loss < design.markers.loss - least_gain)) continue;
      const double gain = before - markers.loss;
      const double score =
          preference == Preference::Gain ? gain : gain / static_cast<double>(candidates_.settings()[s].frames);
      if (score <= best_score) continue;
      best_score = score;
      best.settings = std::move(settings);
      best.markers = std::move(markers);
    }
    const bool is_better = best.settings.size() > design.settings.size();
    design = std::move(best);
    return is_better;
  }

  /// Exchanges each recording for a better one; returns whether any exchange lowered the criterion.
  bool exchange(FoundDesign& design) {
    bool is_better = false;
    for (std::size_t r = 0; design.settings.size() > 1 && r < design.settings.size(); ++r)
      for (std::size_t s = 0; s < candidates_.settings().size(); ++s) {
        std::vector<std::size_t> settings = design.settings;
        settings[r] = s;
        if (settings == design.settings || !is_possible(settings)) continue;
        optim::ChosenBlocks markers = choose(settings, design.markers.blocks);
        if (!(markers.loss < design.markers.loss - least_gain)) continue;
        design.settings = std::move(settings);
        design.markers = std::move(markers);
        is_better = true;
      }
    return is_better;
  }

  bool is_possible(const std::vector<std::size_t>& settings) const {
    Index frames = 0;
    for (const std::size_t s : settings) {
      if (!candidates_.can_run(candidates_.settings()[s].combination)) return false;
      frames += candidates_.settings()[s].frames;
    }
    return !optimize_.frames || frames <= *optimize_.frames;
  }

  optim::ChosenBlocks choose(const std::vector<std::size_t>& settings, const std::vector<Index>& start) {
    const optim::BlockPool pool = candidates_.pool(settings);
    std::vector<Index> first = start;
    auto count = static_cast<Index>(pool.blocks.size());
    if (optimize_.candidates.empty()) {
      first.clear();
      for (Index b = 0; b < count; ++b) first.push_back(b);
    } else {
      count = optimize_.markers;
    }
    optim::ChosenBlocks chosen = optim::choose_blocks(pool, count, criterion_, first);
    evaluations_ += chosen.evaluations;
    return chosen;
  }

  /// Returns the criterion from prior knowledge alone, without any recording. Where that is none, it depends on the
  /// ridge of a recording: the largest serves for all, so that their gains have one reference.
  double known_loss() const {
    double largest = -infinity;
    for (std::size_t s = 0; s < candidates_.settings().size(); ++s)
      if (is_possible({s})) {
        const optim::BlockPool pool = candidates_.pool({s});
        largest = std::max(largest, optim::log_mean_error(criterion_, pool.known + optim::ridge_of(pool)));
      }
    return largest;
  }

  const OptimizeSpec& optimize_;
  const DesignCandidates& candidates_;
  const optim::Criterion criterion_;
  long evaluations_ = 0;
};

/// Returns the criterion of a design with other numbers; ∞ if the design cannot be simulated.
double loss_of(const FoundDesign& design, const optim::Criterion& criterion, DesignCandidates& candidates,
               const DesignNumbers& numbers) {
  std::vector<std::size_t> combinations;
  for (const std::size_t s : design.settings) combinations.push_back(candidates.settings()[s].combination);
  candidates.run_some(numbers, combinations);
  for (const std::size_t combination : combinations)
    if (!candidates.can_run(combination)) return infinity;
  const optim::BlockPool pool = candidates.pool(design.settings);
  Eigen::MatrixXd total = pool.known + optim::ridge_of(pool);
  for (const Index block : design.markers.blocks) total += pool.blocks[block];
  return optim::log_mean_error(criterion, total);
}

/// Returns starting points of the search: the numbers in the file, and for each list, cosines with j half waves over
/// the list. A constant field alone is often a stationary point of the criterion.
std::vector<DesignNumbers> starts_of(const OptimizeSpec& optimize, const DesignNumbers& file) {
  std::vector<DesignNumbers> starts{file};
  for (int j = 1; j <= most_cosines; ++j) {
    DesignNumbers numbers = file;
    Index first = 0;
    for (const DesignVariable& variable : optimize.vary) {
      const auto count = static_cast<Index>(variable.start.size());
      for (Index k = 0; j < count && k < count; ++k)
        numbers[first + k] =
            0.5 + 0.45 * std::cos(std::numbers::pi * j * static_cast<double>(k) / static_cast<double>(count - 1));
      first += count;
    }
    if (numbers != file) starts.push_back(std::move(numbers));
  }
  return starts;
}

/// Rounds the numbers to 1e-4 of the interval, as they are written to the file.
DesignNumbers rounded(const DesignNumbers& numbers) { return (numbers * 1e4).array().round() / 1e4; }

void vary_numbers(const OptimizeSpec& optimize, DesignCandidates& candidates, FoundDesign& design) {
  const optim::Criterion criterion = candidates.criterion();
  const auto loss = [&](const DesignNumbers& numbers) {
    ++design.evaluations;
    return loss_of(design, criterion, candidates, numbers);
  };
  const double file = loss(candidates.start());
  optim::BoxDescent best{candidates.start(), file};
  for (const DesignNumbers& start : starts_of(optimize, candidates.start()))
    if (optim::BoxDescent found = optim::descend_in_box(loss, start, first_steps); found.value < best.value)
      best = std::move(found);
  best = optim::descend_in_box(loss, best.x, most_steps);
  const DesignNumbers numbers = rounded(best.x);
  const double value = loss(numbers);
  if (!(value < file - least_gain)) return;
  design.numbers = numbers;
  design.markers.loss = value;
  design.waveform_gain = std::exp(file - value);
}

}  // namespace

FoundDesign search_design(const OptimizeSpec& optimize, DesignCandidates& candidates) {
  candidates.run_all(candidates.start());
  FoundDesign design = RecordingChoice(optimize, candidates).best();
  design.numbers = candidates.start();
  if (optimize.vary.empty()) return design;
  vary_numbers(optimize, candidates, design);
  candidates.run_all(design.numbers);
  FoundDesign again = RecordingChoice(optimize, candidates).best();
  design.evaluations += again.evaluations;
  if (again.markers.loss < design.markers.loss) {
    design.settings = std::move(again.settings);
    design.markers = std::move(again.markers);
  }
  return design;
}

}  // namespace pithball::app
