#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/optimize_spec.hpp"
#include "optim/design/optimal_design.hpp"
#include "optim/design/recording_information.hpp"

namespace pithball::app {

/// What a search for a design starts from.
struct DesignTask {
  const ExperimentDocument& document;      ///< with whole recordings
  const FitSpec& written;                  ///< the fit as the document states it
  const OptimizeSpec& optimize;            ///< section `plan.optimize` of the document
  const optim::EarlierEstimates& earlier;  ///< empty: recordings that exist count themselves
};

/// A recording that a design can have: a combination of the values in `over`, and frames.
struct DesignSetting {
  std::size_t combination = 0;  ///< number of the combination of values in `over`, the first key fastest
  double rate = 0,              ///< frames per second [1/s]
      duration = 0;             ///< of the recording [s]
  Index frames = 0;             ///< its cost
};

/// Numbers of all `vary`, one after another, each as a fraction of its interval, 0 to 1.
using DesignNumbers = optim::Vector;

/// The candidate recordings of a task, and what each determines: one run for each combination of values gives the
/// information of every marker at every rate and duration.
class DesignCandidates {
 public:
  /// Lists the candidates; runs nothing. What the task refers to must outlive this object.
  explicit DesignCandidates(const DesignTask& task);

  /// Every combination at every rate and duration that make at least two frames.
  const std::vector<DesignSetting>& settings() const { return settings_; }
  /// The numbers in the file.
  const DesignNumbers& start() const { return start_; }
  /// Number of simulations so far.
  long runs() const { return runs_; }
  /// Reasons of the combinations that could not be simulated, one sentence each.
  const std::vector<std::string>& failures() const { return failures_; }
  /// Whether a combination could be simulated with the numbers of the last `run_all` or `run_some`.
  bool can_run(std::size_t combination) const { return outcomes_[combination] != nullptr; }

  /// Runs these combinations with these numbers.
  void run_some(const DesignNumbers& numbers, const std::vector<std::size_t>& combinations);
  /// Runs all of them.
  void run_all(const DesignNumbers& numbers);

  /// A block for each particle (or marker, if they stay as written) with its information from recordings of all these
  /// settings, in the space [θ shared by all recordings, own values of each recording].
  optim::BlockPool pool(const std::vector<std::size_t>& settings) const;
  /// The criterion in that space. Throws InvalidArgument if it names no parameter, or own values of one recording where
  /// there can be several.
  optim::Criterion criterion() const;

  /// The recordings of a design. `markers`: numbers of blocks.
  std::vector<DesignedRecording> recordings(const std::vector<std::size_t>& settings, const std::vector<Index>& markers,
                                            const DesignNumbers& numbers) const;

 private:
  /// A combination after its run.
  struct Outcome {
    optim::RecordingInformation information;
    std::vector<optim::ParameterInfo> parameters;
    std::vector<Index> place;  ///< of each parameter: shared ones from 0, own ones after them
    Index shared = 0, own = 0;
  };
  std::vector<std::pair<std::string, Tree>> values_of(std::size_t combination, const DesignNumbers& numbers) const;
  std::unique_ptr<Outcome> run(std::size_t combination, const DesignNumbers& numbers);
  const Outcome& any_run() const;

  DesignTask task_;
  std::size_t combinations_ = 1;
  std::vector<DesignSetting> settings_;
  DesignNumbers start_;
  std::vector<std::unique_ptr<Outcome>> outcomes_;
  std::vector<std::string> failures_;
  long runs_ = 0;
};

/// A design as numbers of settings and blocks of DesignCandidates.
struct FoundDesign {
  std::vector<std::size_t> settings;  ///< of each recording
  optim::ChosenBlocks markers;        ///< blocks of DesignCandidates::pool
  DesignNumbers numbers;              ///< of all `vary`, as fractions of their intervals
  /// Mean standard errors with the numbers in the file, divided by those of the found ones; 1: none are better.
  double waveform_gain = 1;
  long evaluations = 0;  ///< of the criterion
};

/// Searches for the design with the smallest criterion: recordings greedily and by exchange, each with its own choice
/// of markers; then the numbers that vary, by projected gradients from the file and from cosines over the interval;
/// then recordings and markers again. Throws InvalidArgument if no candidate can be simulated, or none is within the
/// budget.
FoundDesign search_design(const OptimizeSpec& optimize, DesignCandidates& candidates);

}  // namespace pithball::app
