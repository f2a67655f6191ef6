#include "optim/screening/sample_findings.hpp"

#include <map>

#include "optim/measurement/kinds/angle.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/filmed.hpp"
#include "tests/optim/screened_recordings.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using namespace pithball::test;

namespace {

/// What is put into a recording, and what is to be found.
enum class Fault { Outliers, Placeholders, Repeats, Fills, MovingAverage };

RecordingPlan random_plan(unsigned seed) {
  std::mt19937 random(seed * 7919 + 1);
  RecordingPlan plan;
  plan.seed = seed;
  plan.motion = all_motions[random() % all_motions.size()];
  plan.kind = measurement_kinds()[random() % measurement_kinds().size()]->name;
  plan.noise = static_cast<NoiseColor>(random() % 4);  // white, none, rounded with and without it
  plan.markers = 1 + static_cast<Index>(random() % 5);
  plan.frames = std::lround(3 * std::pow(500.0 / 3, static_cast<double>(random() % 1000) / 999));
  plan.even = random() % 3 != 0;
  return plan;
}

std::string names_of(const std::vector<Finding>& findings) {
  std::string names;
  for (const Finding& finding : findings)
    names += std::string(to_string(finding.kind)) + ": " + finding.sentence + "; ";
  return names;
}

bool has(const std::vector<Finding>& findings, FindingKind kind) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.kind == kind; });
}

/// Of recordings 1 to `count`, how many have a finding that is not allowed.
int false_alarms(unsigned count, const std::function<void(RecordingPlan&)>& change,
                 const std::vector<FindingKind>& allowed) {
  int alarms = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    RecordingPlan plan = random_plan(seed);
    change(plan);
    std::vector<Finding> findings = find_in_samples(record(plan).observation);
    std::erase_if(findings, [&](const Finding& finding) {
      return std::find(allowed.begin(), allowed.end(), finding.kind) != allowed.end();
    });
    if (findings.empty()) continue;
    UNSCOPED_INFO("seed " << seed << " " << plan.kind << ": " << names_of(findings));
    ++alarms;
  }
  return alarms;
}

/// Puts a fault into 2 % of the samples, or smooths all of them.
FindingKind spoil(PlannedRecording& made, Fault fault, unsigned seed) {
  Observation& o = made.observation;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto frames = static_cast<Index>(o.times.size()), markers = static_cast<Index>(o.markers.size());
  const auto any = [&](Index count) { return static_cast<Index>(random() % static_cast<unsigned long>(count)); };
  const auto components = static_cast<Index>(kind_of(o).components.size());
  const Index samples = frames * markers / 50;
  switch (fault) {
    case Fault::Outliers:
      for (Index k = 0; k < samples; ++k) {
        const Index frame = any(frames), marker = any(markers);
        Vec3 off = Vec3::Zero();
        for (Index a = 0; a < components; ++a) off[a] = normal(random);
        o.positions[frame].col(marker) += 10 * made.sigma * off.normalized();
      }
      return FindingKind::Outlier;
    case Fault::Placeholders:
      for (Index k = 0; k < samples; ++k)
        o.positions[any(frames)]
            .col(any(markers))
            .head(components)
            .setConstant(std::array{0, -1, -999, -9999}[seed % 4]);
      return FindingKind::Placeholder;
    case Fault::Repeats:
      for (Index k = 0; k < frames / 50; ++k) {
        const Index frame = 1 + any(frames - 1);
        o.positions[frame] = o.positions[frame - 1];
      }
      return FindingKind::Repeats;
    case Fault::Fills: {
      const Index length = std::max<Index>(3, frames / 50), first = 1 + any(frames - length - 1), marker = any(markers);
      const Vec3 before = o.positions[first - 1].col(marker), after = o.positions[first + length].col(marker);
      for (Index k = 0; k < length; ++k) {
        const double part = (o.times[first + k] - o.times[first - 1]) / (o.times[first + length] - o.times[first - 1]);
        o.positions[first + k].col(marker) = before + part * (after - before);
      }
      return FindingKind::Fill;
    }
    case Fault::MovingAverage: {
      const Index half = 2 + any(4);
      std::vector<Points> smooth;
      for (Index f = half; f + half < frames; ++f) {
        Points sum = Points::Zero(3, markers);
        for (Index k = -half; k <= half; ++k) sum += o.positions[f + k];
        smooth.push_back(sum / static_cast<double>(2 * half + 1));
      }
      o.times.resize(smooth.size());
      o.positions = std::move(smooth);
      return FindingKind::Correlated;
    }
  }
  return FindingKind::Unit;
}

int detections(Fault fault, unsigned count) {
  int found = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    RecordingPlan plan = random_plan(seed + 5000);
    plan.noise = NoiseColor::White;
    plan.frames = 200 + static_cast<Index>(seed * 37 % 300);
    plan.markers = 1 + static_cast<Index>(seed % 4);
    if (fault == Fault::MovingAverage) plan.even = true;
    PlannedRecording made = record(plan);
    const FindingKind wanted = spoil(made, fault, seed);
    const std::vector<Finding> findings = find_in_samples(made.observation);
    if (has(findings, wanted))
      ++found;
    else
      UNSCOPED_INFO("seed " << seed << " " << plan.kind << ": " << names_of(findings));
  }
  return found;
}

/// A string of markers that swings, with 1 mm noise and 50 frames a second.
Observation swinging_markers(Index markers = 3, Index frames = 120, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return filmed(markers, frames, 50, [&](Index m, int a, double t) {
    return 0.2 + 0.1 * std::sin((5 + static_cast<double>(m)) * t + a) + 1e-3 * normal(random);
  });
}

const Finding& only(const std::vector<Finding>& findings) {
  INFO(names_of(findings));
  REQUIRE(findings.size() == 1);
  return findings.front();
}

}  // namespace

TEST_CASE("sample_findings: clean recordings of every kind and motion have none", "[optim][screening]") {
  const auto as_it_is = [](RecordingPlan&) {};
  const auto colored = [](RecordingPlan& plan) {
    plan.noise = NoiseColor::Autoregressive;
    plan.persistence = 0.5 + 0.45 * (plan.seed % 10) / 9;
  };
  const auto heavy = [](RecordingPlan& plan) { plan.noise = NoiseColor::StudentT; };
  CHECK(false_alarms(150, as_it_is, {}) <= 3);
  CHECK(false_alarms(50, colored, {FindingKind::Correlated}) <= 1);
  CHECK(false_alarms(50, heavy, {FindingKind::Outlier}) <= 1);
}

TEST_CASE("sample_findings: ten of a thousand clean recordings have any at most", "[optim][screening][slow]") {
  CHECK(false_alarms(1000, [](RecordingPlan&) {}, {}) <= 10);
  CHECK(false_alarms(300,
                     [](RecordingPlan& plan) {
                       plan.noise = NoiseColor::Autoregressive;
                       plan.persistence = 0.5 + 0.45 * (plan.seed % 10) / 9;
                     },
                     {FindingKind::Correlated}) <= 3);
  CHECK(false_alarms(300, [](RecordingPlan& plan) { plan.noise = NoiseColor::StudentT; }, {FindingKind::Outlier}) <= 3);
}

TEST_CASE("sample_findings: a number of any size that stands for lost samples is a placeholder", "[optim][screening]") {
  for (const double number : {-1.0, 999.0, 1e5, 1e8, 1e12, 1e20, 1e30, 2147483647.0}) {
    CAPTURE(number);
    Observation o = swinging_markers();
    for (const std::size_t frame : {20, 21, 22, 60, 90}) o.positions[frame].col(1).setConstant(number);
    const std::vector<Finding> findings = find_in_samples(o);
    INFO(names_of(findings));
    REQUIRE(has(findings, FindingKind::Placeholder));
  }
}

// The frames are too few for the vibration, and most of the track shows only the noise.
TEST_CASE("sample_findings: a vibration that dies away is no outlier, and a spike after it is one",
          "[optim][screening]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Observation o = filmed(2, 180, 30, [&](Index m, int a, double t) {
      const double phase = a + 0.3 * seed + static_cast<double>(m);
      return 0.05 * std::sin(5 * t + phase) + 0.01 * std::exp(-2 * t) * std::cos(107 * t + phase) +
             1.5e-4 * normal(random);
    });
    const std::vector<Finding> clean = find_in_samples(o);
    INFO(names_of(clean));
    CHECK(!has(clean, FindingKind::Outlier));
    o.positions[150](1, 0) += 5e-3;
    const std::vector<Finding> spoilt = find_in_samples(o);
    REQUIRE(has(spoilt, FindingKind::Outlier));
    for (const Finding& finding : spoilt)
      if (finding.kind == FindingKind::Outlier) CHECK(finding.frames == std::vector<Index>{150});
  }
}

TEST_CASE("sample_findings: faults in 2 % of the samples are found", "[optim][screening]") {
  for (const Fault fault : {Fault::Outliers, Fault::Placeholders, Fault::Repeats, Fault::Fills, Fault::MovingAverage})
    CHECK(detections(fault, 30) >= 27);
}

TEST_CASE("sample_findings: faults in 2 % of the samples are found in 190 of 200 recordings",
          "[optim][screening][slow]") {
  for (const Fault fault : {Fault::Outliers, Fault::Placeholders, Fault::Repeats, Fault::Fills, Fault::MovingAverage})
    CHECK(detections(fault, 200) >= 190);
}

TEST_CASE("sample_findings: a fast motion is no correlated noise", "[optim][screening]") {
  int alarms = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {  // periods of 5 to 9 frames, that decay
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const Observation o = filmed(2, 200, 50, [&](Index m, int a, double t) {
      const double cycles = 50.0 / (5 + 0.1 * seed + static_cast<double>(m));
      return 0.2 + 0.005 * std::exp(-0.3 * t) * std::sin(2 * std::numbers::pi * cycles * t + a) + 8e-4 * normal(random);
    });
    alarms += !find_in_samples(o).empty();
  }
  CHECK(alarms <= 1);
}

TEST_CASE("sample_findings: a placeholder is shown as the file has it, with its frames and key", "[optim][screening]") {
  // Millimeters in the file, and its y axis points the other way: −999 is −0.999 m, and 0.999 m.
  Observation o = swinging_markers();
  for (const std::size_t f : {7U, 8U, 40U}) o.positions[f].col(1) = Vec3(-0.999, 0.999, -0.999);
  const std::vector<Finding> findings = find_in_samples(o, Vec3(1e-3, -1e-3, 1e-3));
  const Finding& found = only(findings);
  CHECK(found.kind == FindingKind::Placeholder);
  CHECK(found.marker == "1");
  CHECK(found.frames == std::vector<Index>{7, 8, 40});
  CHECK(found.key == "missing: [-999]");
  CHECK(contains(found.sentence, "frames 7 to 8 and 40 of '1' are exactly (-999, -999, -999)"));
  CHECK(is_fault(found.kind));
}

TEST_CASE("sample_findings: a tracker's own number is found where it comes again, and zeros at the first frame",
          "[optim][screening]") {
  Observation o = swinging_markers();
  for (const std::size_t f : {20U, 21U, 60U, 90U}) o.positions[f].col(0) = Vec3(0.64, 0.512, 0.1);
  CHECK(only(find_in_samples(o)).key == "missing: [0.64, 0.512, 0.1]");
  Observation zeros = swinging_markers();
  for (const std::size_t f : {0U, 2U, 50U}) zeros.positions[f].col(2).setZero();
  CHECK(only(find_in_samples(zeros)).frames == std::vector<Index>{0, 2, 50});
}

TEST_CASE("sample_findings: frames written twice are one finding, a held marker another", "[optim][screening]") {
  // A camera of 25 frames a second in a file of 50, with six digits.
  Observation twice = swinging_markers(1);
  for (std::size_t f = 0; f < twice.times.size(); ++f) {
    if (f % 2 == 1) twice.positions[f] = twice.positions[f - 1];
    twice.positions[f] = (twice.positions[f] * 1e6).array().round() / 1e6;
  }
  const Finding doubled = only(find_in_samples(twice));
  CHECK(doubled.kind == FindingKind::Repeats);
  CHECK(doubled.number == 60);
  CHECK(doubled.key == "repeated_samples: mask");
  Observation held = swinging_markers();
  for (std::size_t f = 100; f < held.times.size(); ++f) held.positions[f].col(1) = held.positions[99].col(1);
  const Finding last = only(find_in_samples(held));
  CHECK(last.kind == FindingKind::Placeholder);
  CHECK(last.marker == "1");
  CHECK(last.frames.front() == 100);
  CHECK(last.frames.back() == 119);
}

TEST_CASE("sample_findings: an outlier is told from a kink of the same size", "[optim][screening]") {
  Observation o = swinging_markers(1);
  o.positions[50](0, 0) += 0.1;
  const Finding found = only(find_in_samples(o));
  CHECK(found.kind == FindingKind::Outlier);
  CHECK(found.frames == std::vector<Index>{50});
  CHECK(found.number == Approx(100).epsilon(0.25));
  CHECK(contains(found.sentence, "frame 50 of '0' is an outlier"));
  CHECK(contains(found.sentence, "mm from what the frames around predict"));
  Observation kink = swinging_markers(1), step = swinging_markers(1);
  for (std::size_t f = 50; f < kink.times.size(); ++f) {
    kink.positions[f](0, 0) += 0.1 * static_cast<double>(f - 50);
    step.positions[f](0, 0) += 0.1;
  }
  CHECK(names_of(find_in_samples(kink)).empty());
  CHECK(names_of(find_in_samples(step)).empty());
}

TEST_CASE("sample_findings: wrapped angles and pixels beyond the image are named", "[optim][screening]") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Observation angle = filmed(1, 200, 100, [&](Index, int a, double t) {
    return a == 0 ? std::remainder(5 * t + 5e-3 * normal(random), 2 * std::numbers::pi) : NAN;
  });
  angle.instrument = make_angle_instrument({});
  const Finding turn = only(find_in_samples(angle));
  CHECK(turn.kind == FindingKind::FullTurn);
  CHECK(turn.key == "unwrap: true");
  CHECK(turn.frames.size() == 2);
  Observation film = record({.seed = 4, .motion = MotionKind::Swing, .kind = "camera"}).observation;
  CHECK(names_of(find_in_samples(film)).empty());
  film.positions[3].col(0).head<2>() = Eigen::Vector2d(2000, 500);
  const Finding outside = only(find_in_samples(film));
  CHECK(outside.kind == FindingKind::OutsideImage);
  CHECK(contains(outside.sentence, "frame 3 of 'm0' is outside the image of 1920 × 1080"));
}

TEST_CASE("sample_findings: a filled gap and a marker that rests are named, a pinned recording is not",
          "[optim][screening]") {
  Observation o = swinging_markers();
  for (std::size_t k = 1; k <= 4; ++k)
    o.positions[30 + k].col(2) = o.positions[30].col(2) + 0.2 * k * (o.positions[35].col(2) - o.positions[30].col(2));
  const Finding fill = only(find_in_samples(o));
  CHECK(fill.kind == FindingKind::Fill);
  CHECK(fill.frames == std::vector<Index>{31, 32, 33, 34});
  Observation rest = swinging_markers();
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (sim::Points& x : rest.positions)
    x.col(0) = Vec3(1, 2, 3) + 1e-3 * Vec3(normal(random), normal(random), normal(random));
  const Finding resting = only(find_in_samples(rest));
  CHECK(resting.kind == FindingKind::Resting);
  CHECK(resting.marker == "0");
  CHECK_FALSE(is_fault(resting.kind));
}
