#include "optim/fit/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pithball::optim {

std::string to_string(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::Linear:
      return "linear";
    case IntervalMethod::Profile:
      return "profile";
    case IntervalMethod::Bootstrap:
      return "bootstrap";
    case IntervalMethod::Scan:
      return "scan";
  }
  return "";
}

std::string to_string(FitSolver solver) {
  switch (solver) {
    case FitSolver::LevenbergMarquardt:
      return "levenberg_marquardt";
    case FitSolver::Geodesic:
      return "geodesic";
    case FitSolver::GaussNewton:
      return "gauss_newton";
    case FitSolver::Lbfgs:
      return "lbfgs";
    case FitSolver::Automatic:
      return "auto";
  }
  return "";
}

FitSolver chosen_solver(FitSolver wanted, Index parameters) {
  constexpr Index tens = 30;
  if (wanted != FitSolver::Automatic) return wanted;
  return parameters < tens ? FitSolver::LevenbergMarquardt : FitSolver::Geodesic;
}

bool uses_jacobian(FitSolver solver) {
  return solver == FitSolver::LevenbergMarquardt || solver == FitSolver::Geodesic;
}

ParameterMap make_parameter_map(const FitProblem& problem) {
  std::vector<RecordingFrame> recording_frames;
  for (const Observation& observation : problem.observations) recording_frames.push_back(observation.recording_frame);
  return ParameterMap(problem.scenarios, problem.parameters, std::move(recording_frames));
}

FitProblem with_halved_step(FitProblem problem) {
  for (diff::Scenario& scenario : problem.scenarios) {
    scenario.time_step /= 2;
    scenario.steps *= 2;
  }
  return problem;
}

FitProblem at_stage(FitProblem problem, const SearchStage& stage) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s) {
    diff::Scenario& scenario = problem.scenarios[s];
    if (stage.integrator) scenario.integrator = *stage.integrator;
    if (stage.time_step) {
      const double steps = scenario.steps * scenario.time_step / *stage.time_step;
      scenario.steps = static_cast<Index>(std::ceil(steps - 1e-9));
      scenario.time_step = *stage.time_step;
    }
    Observation& observation = problem.observations[s];
    observation.validation.from = std::min(observation.validation.from, observation.recorded_time(stage.horizon));
  }
  if (stage.max_iterations) problem.search.minimizer.max_iterations = *stage.max_iterations;
  if (stage.function_tolerance) problem.search.minimizer.function_tolerance = *stage.function_tolerance;
  return problem;
}

}  // namespace pithball::optim
