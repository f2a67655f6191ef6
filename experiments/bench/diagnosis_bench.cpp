#include "experiments/bench/diagnosis_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <random>
#include <set>

#include "app/base/temporary_folder.hpp"
#include "app/run/diagnose_run.hpp"
#include "app/run/recording_run.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "experiments/bench/measurement_faults.hpp"
#include "optim/diagnosis/diagnosis.hpp"
#include "optim/fit.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// A body whose charge and stiffness are fitted.
struct DiagnosedBody {
  const char* system;              ///< with places for masses, charge [nC] and stiffnesses
  double mass, charge, stiffness;  ///< of a particle [g]; [nC]; [N/m]
  const char* charge_at;           ///< of 2 uC beside it [m]
};

const DiagnosedBody diagnosed_bodies[] = {
    {"  mesh: {{chain: {{length: 0.6, segments: 19}}}}\n  pinned: [0]\n  springs: {{stiffness: {2}, damping: 0.05}}\n"
     "  mass: {0}\n  charge: {1} nC\n",
     2, 80, 30, "[0.35, 0.15, -0.2]"},
    {"  mesh: {{grid: {{size: [0.7, 0.7], segments: [7, 7], bend: false}}, rotate: {{axis: [1, 0, 0], angle: 90 "
     "degrees}}}}\n"
     "  pinned: [top]\n  springs: {{stiffness: {2}, damping: 0.2}}\n  mass: {0}\n  charge: {1} nC\n",
     1.6, 70, 10, "[0.1, 0.3, -0.1]"},
    {"  mesh: {{torus: {{major_radius: 0.3, minor_radius: 0.1, segments: [18, 8], diagonals: both}}}}\n"
     "  pinned: [0, 1, 2]\n  springs: {{stiffness: {2}, damping: 0.3}}\n  mass: {0}\n  charge: {1} nC\n",
     0.7, 25, 60, "[0.1, 0.5, 0.3]"},
};

/// One number for all, or a list.
std::string numbers_text(const std::vector<double>& numbers, const std::string& unit) {
  if (numbers.size() == 1) return fmt::format("{}{}", numbers[0], unit);
  return fmt::format("[{}{}]", fmt::join(numbers, unit + ", "), unit);
}

/// The body with these masses [g] and stiffnesses [N/m].
std::string body_text(const DiagnosedBody& body, const std::vector<double>& masses, double charge,
                      const std::vector<double>& stiffnesses) {
  return fmt::format(
      "name: diagnosed\nsystem:\n{}forces:\n  - gravity: [0, 0, -9.81]\n  - coulomb\n  - point_charge: {{charge: 2 uC, "
      "position: {}}}\n  - drag: {{linear: 0.2 g/s}}\nsimulation: {{integrator: imex_midpoint, time_step: 4 ms, "
      "duration: 1.6}}\n",
      fmt::format(fmt::runtime(body.system), numbers_text(masses, " g"), charge, numbers_text(stiffnesses, "")),
      body.charge_at);
}

ExperimentDocument diagnosed_document(const std::string& text, const std::filesystem::path& folder) {
  return {parse_yaml(text, "bench diagnosis"), folder};
}

/// One recording with its fault, and what a diagnosis should name.
class FaultyRecording {
 public:
  FaultyRecording(const MadeFault& fault, Index number, std::uint64_t seed)
      : body_(diagnosed_bodies[number % 3]), random_(seed * 1000003 + static_cast<std::uint64_t>(number)) {
    const Experiment probe =
        read_experiment(diagnosed_document(body_text(body_, {body_.mass}, body_.charge, {body_.stiffness}), "."));
    model_ = std::make_unique<sim::Model>(probe.scenario.model);
    masses_.assign(static_cast<std::size_t>(model_->particles()), body_.mass);
    stiffnesses_.assign(model_->springs().size(), body_.stiffness);
    for (Index i = 0; i < model_->particles(); ++i)
      if (!model_->is_held(i)) free_.push_back(i);
    for (Index m = 0; m < 40; ++m) seen_.insert(any_free());
    sits_.assign(seen_.begin(), seen_.end());
    make(fault);
  }

  /// Writes the recording; the experiment of its fit, which does not know of the fault.
  std::string write(const MadeFault& fault, const std::filesystem::path& folder, const std::string& file) const {
    std::vector<double> true_masses = masses_, true_stiffnesses = stiffnesses_;
    if (heavy_ >= 0) true_masses[heavy_] *= 2;
    if (soft_ >= 0) true_stiffnesses[soft_] *= 0.2;
    const ExperimentDocument complete =
        diagnosed_document(body_text(body_, true_masses, body_.charge, true_stiffnesses), folder);
    const bool is_addition = !fault.addition.settings.empty();
    Experiment truth = read_experiment(is_addition ? with_addition(complete, fault.addition) : complete);
    RecordingSettings settings{.particles = sits_, .rate = 50, .noise = 2e-3, .seed = random_seed_};
    const MeasurementFault* measured = find_measurement_fault(fault.name);
    if (measured)
      for (const Index i : free_) truth.scenario.initial.v.col(i) += measured->push * sim::Vec3(1, 1, 0);
    MadeRecording made = record_motion(truth, settings, "bench diagnosis");
    if (!made.explanation.empty())
      throw InvalidArgument({"bench diagnosis", fault.name, "must be a run that ends", made.explanation, ""});
    if (measured && measured->spoil) measured->spoil(made.capture);
    const bool is_camera = measured && measured->is_camera;
    if (is_camera)
      write_pixels(made.capture, folder / file);
    else
      datasets::write_capture_csv(made.capture, (folder / file).string(), "");
    std::vector<double> stiffer = stiffnesses_;
    for (double& k : stiffer) k *= 1.4;
    std::string text = body_text(body_, masses_, 1.3 * body_.charge, stiffer);
    if (measured) text.replace(text.find("duration: 1.6"), 13, "duration: 1.7");  // a late clock has later frames
    return text +
           fmt::format("fit:\n  recordings: [{{file: {}, markers: [{}]{}}}]\n  parameters: [charge, stiffness]\n", file,
                       fmt::join(seen_, ", "), is_camera ? ", " + camera_settings() : "");
  }

  /// What a diagnosis should name.
  std::string name(const MadeFault& fault) const {
    if (heavy_ >= 0) return fmt::format("mass[{}]", heavy_);
    if (soft_ >= 0) return fmt::format("stiffness[{}]", soft_);
    if (const MeasurementFault* measured = find_measurement_fault(fault.name)) return measured->value;
    return slipped_to_ >= 0 ? fmt::format("marker toward particle {}", slipped_to_) : fault.name;
  }

  /// Whether a finding is the fault, or cannot be told from it.
  bool is(const MadeFault& fault, const optim::TestedCandidate& finding) const {
    const optim::Candidate& candidate = finding.candidate;
    if (const MeasurementFault* measured = find_measurement_fault(fault.name))
      return candidate.value == measured->value ||
             std::ranges::find(finding.same, measured->value) != finding.same.end();
    if (heavy_ >= 0) return candidate.value == "mass" && candidate.item == heavy_;
    if (soft_ >= 0) return candidate.value == "stiffness" && candidate.item == soft_;
    if (slipped_to_ >= 0) return candidate.value == "attachment" && candidate.item == slipped_to_;
    return !fault.addition.settings.empty() && fault.name == candidate.value;
  }

 private:
  Index any_free() { return free_[random_() % free_.size()]; }

  void make(const MadeFault& fault) {
    random_seed_ = random_();
    if (fault.name == "heavy particle") heavy_ = any_free();
    if (fault.name == "soft spring") soft_ = static_cast<Index>(random_() % stiffnesses_.size());
    if (fault.name != "slipped marker") return;
    std::vector<std::pair<std::size_t, Index>> places;  // marker, particle that a spring joins to its own
    for (std::size_t m = 0; m < sits_.size(); ++m)
      for (const sim::Spring& spring : model_->springs())
        if (const bool from_i = spring.i == sits_[m]; from_i || spring.j == sits_[m])
          if (const Index other = from_i ? spring.j : spring.i; !model_->is_held(other)) places.emplace_back(m, other);
    const auto& [marker, place] = places[random_() % places.size()];
    slipped_to_ = sits_[marker] = place;
  }

  const DiagnosedBody& body_;
  std::mt19937_64 random_;
  std::uint64_t random_seed_ = 0;
  std::unique_ptr<sim::Model> model_;
  std::vector<double> masses_, stiffnesses_;
  std::vector<Index> free_;
  std::set<Index> seen_;     ///< where the fit supposes the markers
  std::vector<Index> sits_;  ///< where they are
  Index heavy_ = -1, soft_ = -1, slipped_to_ = -1;
};

}  // namespace

const std::vector<MadeFault>& made_faults() {
  static const std::vector<MadeFault> faults = [] {
    std::vector<MadeFault> all{
        {"none", {}},
        {"quadratic_drag", {.settings = "drag: {quadratic: 0.4 g/m}"}},
        {"soft spring", {}},
        {"heavy particle", {}},
        {"slipped marker", {}},
        {"image_plane_strength", {.settings = "image_plane: {point: [0, -1, 0], normal: [0, 1, 0]}"}},
        {"screening", {.settings = "screened_coulomb: {screening_length: 0.3 m}", .replaces = "coulomb"}},
        {"cubic_stiffness", {.settings = "springs: {cubic_stiffness: 2e4}", .of_system = true}},
        {"charge_leak_rate", {.settings = "charge_leak: {time_constant: 3 s}", .of_system = true}},
    };
    for (const MeasurementFault& fault : measurement_faults()) all.push_back({fault.name, {}});
    return all;
  }();
  return faults;
}

DiagnosisFigures measure_diagnosis(const MadeFault& fault, int recordings, std::uint64_t seed,
                                   const std::function<void(double)>& progress) {
  const TemporaryFolder folder("bench-diagnosis");
  DiagnosisFigures figures;
  std::vector<std::string> wrong(static_cast<std::size_t>(recordings));
  std::mutex adding;
  constexpr double much = std::numeric_limits<double>::infinity();  // of work: a diagnosis takes seconds
  sim::parallel_for(recordings, much, [&](Index r) {
    const FaultyRecording made(fault, r, seed);
    const std::string text = made.write(fault, folder.path(), fmt::format("{}.csv", r));
    const ExperimentDocument document = diagnosed_document(text, folder.path());
    const FitSpec spec = read_fit(document);
    const optim::FitReport report = optim::fit(*spec.fit);
    const optim::Diagnosis found =
        diagnose_fit(document, spec,
                     {report.theta, report.scales, report.verdict.status != optim::RunStatus::DoesNotFit}, {})
            .diagnosis;
    const std::lock_guard lock(adding);
    ++figures.recordings;
    const optim::EvaluationCounts& counts = found.evaluations;
    figures.runs += static_cast<double>(counts.forward + counts.tangent + counts.adjoint) / recordings;
    figures.alarmed += found.significant() > 0;
    const std::vector<const optim::TestedCandidate*> lacking = found.lacking();
    const bool is_right = !lacking.empty() && made.is(fault, *lacking.front());
    figures.right_first += is_right;
    figures.force_first += !lacking.empty() && !lacking.front()->candidate.comes_before_model();
    if (!is_right)
      wrong[r] = (lacking.empty() ? "nothing" : lacking.front()->candidate.name) + " instead of " + made.name(fault);
    progress(static_cast<double>(figures.recordings) / recordings);
  });
  std::ranges::copy_if(wrong, std::back_inserter(figures.wrong), [](const std::string& one) { return !one.empty(); });
  return figures;
}

}  // namespace pithball::experiments
