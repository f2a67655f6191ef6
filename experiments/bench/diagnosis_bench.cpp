#include "experiments/bench/diagnosis_bench.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app/base/new_file.hpp"
#include "app/run/diagnose_run.hpp"
#include "app/run/recording_run.hpp"
#include "datasets/capture/capture.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "optim/diagnosis/diagnosis.hpp"
#include "optim/fit.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

/// A fault in the recording of a motion, or in its assumed initial state.
struct MeasurementFault {
  std::string name;                             ///< "camera turned"
  std::string value;                            ///< `optim::Candidate::value` of this fault: "placement_rotation"
  void (*spoil)(datasets::Capture&) = nullptr;  ///< applies the fault to a correct recording
  double push = 0;  ///< velocity along x and y that the recorded body has at its start, but the fit does not [m/s]
  bool is_camera = false;  ///< whether the recording consists of pixels
};

/// Returns ten faults: a clock 5 ms late, 5 ms early, or 0.5 % fast; a recording turned by 1°, moved by 2 mm along each
/// axis, or 1 % too large; a drift of 6 mm; a marker 6 mm off; a push of 3 cm/s; and a focal length that is wrong by 2
/// %.
const std::vector<MeasurementFault>& measurement_faults();

/// Returns the fault with this name; null if there is none.
const MeasurementFault* find_measurement_fault(const std::string& name);

/// Writes the recording as the pixels of a camera 1.6 m in front of it, whose focal length is 2 % longer than that of
/// `camera_settings`.
void write_pixels(const datasets::Capture& capture, const std::filesystem::path& file);

/// Returns the settings of a recording by that camera, as items of a YAML mapping.
std::string camera_settings();

namespace {

using datasets::Capture;
using sim::Points;
using sim::Vec3;

void delay(Capture& seen) { seen.time.array() += 5e-3; }

/// Also removes the first frame, which would precede the simulation.
void hasten(Capture& seen) {
  seen.time = (seen.time.tail(seen.time.size() - 1).array() - 5e-3).matrix().eval();
  seen.positions.erase(seen.positions.begin());
  if (!seen.present.empty()) seen.present.erase(seen.present.begin());
  if (!seen.frame_numbers.empty()) seen.frame_numbers.erase(seen.frame_numbers.begin());
}

void quicken(Capture& seen) { seen.time *= 1.005; }

void turn(Capture& seen) {
  const sim::Mat3 R = Eigen::AngleAxisd(std::acos(-1.0) / 180, Vec3::UnitY()).toRotationMatrix();
  for (Points& x : seen.positions) x = R * x;
}

void move(Capture& seen) {
  for (Points& x : seen.positions) x.colwise() += Vec3(2e-3, -2e-3, 2e-3);
}

void stretch(Capture& seen) {
  for (Points& x : seen.positions) x *= 1.01;
}

void let_drift(Capture& seen) {
  const double length = seen.time[seen.time.size() - 1] - seen.time[0];
  for (sim::Index f = 0; f < seen.frames(); ++f)
    seen.positions[f].colwise() += 6e-3 * ((seen.time[f] - seen.time[0]) / length - 0.5) * Vec3(1, 1, -1).normalized();
}

void move_one(Capture& seen) {
  for (Points& x : seen.positions) x.col(x.cols() / 2) += 6e-3 * Vec3(1, 1, -1).normalized();
}

/// Camera of the recordings: image [px], distance [m], and its focal length relative to that in the file.
constexpr double focal_length = 900, center_x = 640, center_y = 480, distance = 1.6, longer = 1.02;

}  // namespace

const std::vector<MeasurementFault>& measurement_faults() {
  static const std::vector<MeasurementFault> faults{
      {"clock late", "clock_offset", delay},
      {"clock early", "clock_offset", hasten},
      {"clock fast", "clock_scale", quicken},
      {"camera turned", "placement_rotation", turn},
      {"origin moved", "placement_translation", move},
      {"scale", "placement_scale", stretch},
      {"drift", "drift", let_drift},
      {"marker moved", "marker_offset", move_one},
      {"push", "start_velocity", nullptr, 0.03},
      {"focal length", "focal_length", nullptr, 0, true},
  };
  return faults;
}

const MeasurementFault* find_measurement_fault(const std::string& name) {
  const auto found = std::ranges::find(measurement_faults(), name, &MeasurementFault::name);
  return found == measurement_faults().end() ? nullptr : &*found;
}

void write_pixels(const Capture& capture, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "t";
  for (std::size_t m = 0; m < capture.markers.size(); ++m) out << fmt::format(",u{0},v{0}", m);
  out << "\n";
  for (sim::Index f = 0; f < capture.frames(); ++f) {
    out << fmt::format("{:.9g}", capture.time[f]);
    for (const auto& x : capture.positions[f].colwise()) {
      // The camera looks along y, with z upward.
      const double depth = x[1] + distance, f_true = longer * focal_length;
      out << fmt::format(",{:.9g},{:.9g}", center_x + f_true * x[0] / depth, center_y - f_true * x[2] / depth);
    }
    out << "\n";
  }
}

std::string camera_settings() {
  return fmt::format(
      "measurement: {{camera: {{focal_length: {} px, image_size: [{}, {}], principal_point: [{}, {}]}}}}, placement: "
      "{{x_axis: [1, 0, 0], y_axis: [0, 0, -1], translation: [0, {}, 0]}}",
      focal_length, 2 * center_x, 2 * center_y, center_x, center_y, -distance);
}

using namespace app;

namespace {

/// A body whose charge and stiffness are fitted.
struct DiagnosedBody {
  const char* system;              ///< with placeholders for masses, charge [nC] and stiffnesses
  double mass, charge, stiffness;  ///< of a particle [g]; [nC]; [N/m]
  const char* charge_at;           ///< position of a charge of 2 uC beside the body [m]
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

/// Returns one number for all, or a list.
std::string numbers_text(const std::vector<double>& numbers, const std::string& unit) {
  if (numbers.size() == 1) return fmt::format("{}{}", numbers[0], unit);
  return fmt::format("[{}{}]", fmt::join(numbers, unit + ", "), unit);
}

/// Returns the body with these masses [g] and stiffnesses [N/m].
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

/// A recording with its fault, and the finding expected from a diagnosis.
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

  /// Writes the recording; returns the experiment of its fit, whose model does not include the fault.
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
    if (measured) text.replace(text.find("duration: 1.6"), 13, "duration: 1.7");  // a late clock delays frames
    return text +
           fmt::format("fit:\n  recordings: [{{file: {}, markers: [{}]{}}}]\n  parameters: [charge, stiffness]\n", file,
                       fmt::join(seen_, ", "), is_camera ? ", " + camera_settings() : "");
  }

  /// Returns the name of the finding expected from a diagnosis.
  std::string name(const MadeFault& fault) const {
    if (heavy_ >= 0) return fmt::format("mass[{}]", heavy_);
    if (soft_ >= 0) return fmt::format("stiffness[{}]", soft_);
    if (const MeasurementFault* measured = find_measurement_fault(fault.name)) return measured->value;
    return slipped_to_ >= 0 ? fmt::format("marker toward particle {}", slipped_to_) : fault.name;
  }

  /// Whether a finding is the fault, or cannot be distinguished from it.
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
    std::vector<std::pair<std::size_t, Index>> places;  // marker, and a neighbor of its particle
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
  std::set<Index> seen_;     ///< particles to which the fit attaches the markers
  std::vector<Index> sits_;  ///< particles to which the markers are really attached
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
  constexpr double much = std::numeric_limits<double>::infinity();  // amount of work: a diagnosis takes seconds
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

std::vector<Claim> diagnosis_claims(const MadeFault& fault, const DiagnosisFigures& figures) {
  const double recordings = figures.recordings;
  std::vector<Claim> claims;
  if (fault.name == "none") {
    constexpr double most = 0.04;  // 8 of 200; the significance level is 1 %
    const double chance = 4 * std::sqrt(most * (1 - most) / recordings),
                 stated = 4 * std::sqrt(most * (1 - most) / 200);
    claims.push_back(claim_at_most("complete model: alarms", figures.alarmed,
                                   std::ceil(recordings * (most + std::max(0.0, chance - stated))), "",
                                   "8 of 200 recordings at level 1 %, more by chance"));
  } else if (find_measurement_fault(fault.name)) {
    claims.push_back(claim_at_least(fault.name + ": it or what cannot be told from it stands first",
                                    figures.right_first, std::floor(0.85 * recordings), "", "17 of 20 recordings"));
    claims.push_back(claim_at_most(fault.name + ": a false force stands first", figures.force_first, 0, "", "none"));
  } else {
    claims.push_back(claim_at_least(fault.name + ": stands first", figures.right_first, std::floor(0.8 * recordings),
                                    "", "16 of 20 recordings"));
  }
  claims.push_back(
      claim_at_most(fault.name + ": cost in forward runs", figures.runs, 80, "", "one for each tangent or adjoint"));
  return claims;
}

}  // namespace pithball::experiments
