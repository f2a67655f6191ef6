#include "app/run/design_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "optim/design/box_descent.hpp"

namespace pithball::app {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_gain = 1e-6;  // of the log of a mean error
constexpr int first_steps = 8, most_steps = 60;
constexpr int most_cosines = 4;

/// By what the next recording is chosen.
enum class Preference { Gain, GainPerFrame };

/// The choice of recordings and markers for given numbers.
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

  /// Adds the best recording that the budget admits; false: none lowers the criterion.
  bool add(Preference preference, FoundDesign& design) {
    FoundDesign best = design;
    double best_score = -infinity;
    for (std::size_t s = 0; s < candidates_.settings().size(); ++s) {
      std::vector<std::size_t> settings = design.settings;
      settings.push_back(s);
      if (!is_possible(settings)) continue;
      optim::ChosenBlocks markers = choose(settings, design.markers.blocks);
      if (!(markers.loss < design.markers.loss - least_gain)) continue;
      const double before = design.settings.empty() ? known_loss(settings) : design.markers.loss;
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

  /// Exchanges each recording for the best other one; whether any exchange lowered the criterion.
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

  /// Of what is known without any recording.
  double known_loss(const std::vector<std::size_t>& settings) const {
    const optim::BlockPool pool = candidates_.pool(settings);
    return optim::log_mean_error(criterion_, pool.known + optim::ridge_of(pool));
  }

  const OptimizeSpec& optimize_;
  const DesignCandidates& candidates_;
  const optim::Criterion criterion_;
  long evaluations_ = 0;
};

/// The criterion of a design with other numbers; ∞: cannot be simulated.
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

/// Numbers from which to search: those in the file; and for each list cosines with j half waves over it, because the
/// effect of a constant field often does not change at first when the field does.
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

/// Rounded to 1e-4 of the interval, as they are written.
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
  if (FoundDesign again = RecordingChoice(optimize, candidates).best(); again.markers.loss < design.markers.loss) {
    design.settings = std::move(again.settings);
    design.markers = std::move(again.markers);
    design.evaluations += again.evaluations;
  }
  return design;
}

}  // namespace pithball::app
