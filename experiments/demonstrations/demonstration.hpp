#pragma once
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

/// A number of a demonstration beside what it must be.
struct DemonstrationFigure {
  std::string quantity;
  double value = 0, expected = 0;
  double tolerance = 0;  ///< largest |value − expected| that counts as right
  std::string unit;
  std::string why;  ///< where the expected value comes from

  bool holds() const;
};

/// What a finished run gives a demonstration to measure.
struct DemonstrationRun {
  const app::Experiment& experiment;
  const sim::Trajectory& trajectory;  ///< states and energies that were kept

  const sim::Model& model() const { return experiment.scenario.model; }
  /// The entries of the model's first block of values of that name.
  sim::Vector value(const std::string& name) const { return model().values()[model().values().find(name).value()]; }
};

/// A motion worth looking at, with numbers that show that it is right. Its experiment file NAME.yaml lies beside its
/// code.
struct Demonstration {
  const char* name;
  const char* summary;             ///< one sentence
  std::vector<const char*> quick;  ///< path.to.key=value: what makes it small
  std::vector<DemonstrationFigure> (*figures)(const DemonstrationRun&);
};

/// All of them.
const std::vector<Demonstration>& demonstrations();

/// The experiment of a demonstration, whole or small. Throws InvalidArgument if its file is missing.
app::Experiment demonstration_experiment(const Demonstration&, bool quick);

/// What became of one.
struct DemonstrationOutcome {
  std::string name, status;  ///< status as in summary.json
  sim::Index particles = 0, steps = 0;
  double seconds = 0;
  std::vector<DemonstrationFigure> figures;  ///< none where the run failed

  bool holds() const;
  double steps_per_second() const { return static_cast<double>(steps) / seconds; }
};

/// Outcomes as text: how large and how fast, and a line for each figure with what it must be, a verdict and why.
std::string text_of_demonstrations(const std::vector<DemonstrationOutcome>& outcomes);

}  // namespace pithball::experiments
