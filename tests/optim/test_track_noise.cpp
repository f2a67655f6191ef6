#include "optim/observation/track_noise.hpp"

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <random>

#include "optim/measurement/kinds/angle.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/filmed.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::contains;
using pithball::test::filmed;

namespace {

/// Three markers that swing by 10 cm at about 1 Hz, filmed with 50 Hz and normal noise.
Observation swinging_recording(double noise, unsigned seed, Index frames = 60) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return filmed(3, frames, 50, [&](Index m, int a, double t) {
    return 0.1 * std::sin((5 + static_cast<double>(m)) * t + a) + noise * normal(random);
  });
}

}  // namespace

TEST_CASE("track_noise: an alternating error on a parabola has the exact scatter of its third differences",
          "[optim][noise][reference]") {
  // Δᵖ of ± e is ± 2ᵖ e: σ² = 4ᵖ e²/C(2p, p), least at p = 3: 3.2 e².
  const double e = 1e-3;
  const Observation o = filmed(1, 50, 10, [&](Index, int a, double t) {
    return (std::lround(10 * t) % 2 == 0 ? e : -e) + (a + 1) * t * t - 2 * t;
  });
  const TrackNoise noise = estimate_track_noise("film", o);
  CHECK(noise.source == NoiseSource::Differences);
  CHECK(noise.all.order == 3);
  CHECK(noise.all.sigma == Approx(std::sqrt(3.2) * e).epsilon(1e-9));
  CHECK(noise.all.differences == 3 * 47);
  CHECK(noise.all.degrees == Approx(3 * 47 * 400.0 / 924).epsilon(1e-12));
  CHECK(noise.markers.at(0).sigma == Approx(noise.all.sigma).epsilon(1e-12));
}

TEST_CASE("track_noise: of white noise on a swing it finds as much as it promises, frames missing or not",
          "[optim][noise][coverage]") {
  for (const bool gaps : {false, true}) {
    int inside = 0, seen = 0, split = 0;
    double mean = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
      Observation o = swinging_recording(2e-3, seed);
      if (gaps)
        for (std::size_t f = 9; f < o.times.size(); f += 10) o.positions[f].col(1).setConstant(NAN);
      const TrackNoise noise = estimate_track_noise("film", o);
      if (noise.source == NoiseSource::Differences) ++seen;
      if (noise.by_marker || noise.by_component) ++split;
      const double ratio = std::pow(noise.all.sigma / 2e-3, 2);
      mean += ratio / 400;
      if (std::abs(ratio - 1) < 1.96 * std::sqrt(2 / noise.all.degrees)) ++inside;
    }
    INFO("inside " << inside << ", seen " << seen << ", mean ratio " << mean);
    // 95 % of 400 is 380, ± 4.4; the choice among orders takes a part of a standard error. A binomial with 92 % stays
    // above 350 but for one case in a thousand.
    CHECK(inside > 350);
    CHECK(seen == 400);
    CHECK(split == 0);
    CHECK(mean == Approx(1).margin(0.05));
  }
}

TEST_CASE("track_noise: an exact motion shows no noise, whatever its unit", "[optim][noise]") {
  const Observation exact = swinging_recording(0, 1), noisy = swinging_recording(2e-3, 1);
  const TrackNoise none = estimate_track_noise("film", exact), some = estimate_track_noise("film", noisy);
  CHECK(none.source == NoiseSource::Limit);
  CHECK(none.all.sigma < 1e-6 * none.motion);
  CHECK(contains(none.sentence(), "no detectable noise"));
  for (const double length : {1e-6, 1e3})
    for (const double time : {1e-6, 1.0, 1e6}) {
      const auto scaled = [&](Observation o) {
        for (sim::Points& x : o.positions) x *= length;
        for (double& t : o.times) t *= time;
        return estimate_track_noise("film", o);
      };
      CHECK(scaled(exact).source == NoiseSource::Limit);
      const TrackNoise same = scaled(noisy);
      CHECK(same.source == NoiseSource::Differences);
      CHECK(same.all.order == some.all.order);
      CHECK(same.all.sigma == Approx(length * some.all.sigma).epsilon(1e-9));
      CHECK(same.motion == Approx(length * some.motion).epsilon(1e-9));
    }
}

TEST_CASE("track_noise: frames at uneven times scatter as even ones do", "[optim][noise]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> jitter(-0.2, 0.2);
  Observation o = swinging_recording(0, 3, 400);
  std::normal_distribution<double> normal;
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    o.times[f] += 0.02 * jitter(random);
    for (Index m = 0; m < 3; ++m)
      for (int a = 0; a < 3; ++a)
        o.positions[f](a, m) = 0.1 * std::sin((5 + static_cast<double>(m)) * o.times[f] + a) + 1e-3 * normal(random);
  }
  const TrackNoise noise = estimate_track_noise("film", o);
  CHECK(noise.source == NoiseSource::Differences);
  CHECK(noise.all.sigma == Approx(1e-3).epsilon(4 / std::sqrt(2 * noise.all.degrees)));
}

TEST_CASE("track_noise: values that are rounded scatter by their step at least", "[optim][noise]") {
  // Centimeters with three digits, as programs that track write them; at rest nothing scatters but for one digit.
  Observation o = swinging_recording(0, 1);
  const auto round_to = [&](double step) {
    for (sim::Points& x : o.positions) x = (x / step).array().round() * step;
  };
  for (std::size_t f = 0; f < o.times.size(); ++f) o.positions[f] *= 1e-2;
  round_to(1e-5);
  const TrackNoise rounded = estimate_track_noise("film", o);
  CHECK(rounded.quantum == Approx(1e-5).epsilon(1e-6));
  CHECK(rounded.all.sigma == Approx(1e-5 / std::sqrt(12.0)).epsilon(0.2));
  for (std::size_t f = 0; f < o.times.size(); ++f) o.positions[f].setConstant(f == 20 ? 0.01001 : 0.01);
  const TrackNoise still = estimate_track_noise("film", o);
  CHECK(still.source == NoiseSource::Quantization);
  CHECK(still.all.sigma == Approx(1e-5 / std::sqrt(12.0)).epsilon(1e-6));
  CHECK(quantization_step({{0.3, 0.9, 2.1, NAN}, {5, 5.9}}) == Approx(0.3).epsilon(1e-9));
  CHECK(quantization_step({{0.3, 0.91234567, 2.11111, 0.7654321, 0.123456789}}) == 0);
  CHECK(quantization_step({{1, 1, 1}}) == 0);
}

TEST_CASE("track_noise: of a computed fall all values are multiples, but none is rounded", "[optim][noise]") {
  const auto fall = [](double digits) {
    return filmed(1, 50, 50, [digits](Index, int a, double t) {
      const double z = 1 - 4.905 * t * t;
      return a < 2 ? 0 : digits > 0 ? std::round(z * digits) / digits : z;
    });
  };
  for (const double digits : {0.0, 1e9, 1e6}) {  // written with so many; 4.905/50² has six after the point
    CAPTURE(digits);
    const TrackNoise noise = estimate_track_noise("film", fall(digits));
    CHECK(noise.quantum == 0);
    CHECK_FALSE(contains(noise.sentence(), "resolution"));
    CHECK(noise.all.sigma < 1e-6 * noise.motion);
  }
  const TrackNoise coarse = estimate_track_noise("film", fall(1e3));  // a real step of 1 mm
  CHECK(coarse.quantum == Approx(1e-3).epsilon(1e-6));
  CHECK(coarse.source == NoiseSource::Quantization);
}

TEST_CASE("track_noise: a constant beside columns that scatter is named, in an exact motion it is one",
          "[optim][noise]") {
  for (const double noise : {0.0, 1e-3}) {
    Observation o = swinging_recording(noise, 5);
    for (sim::Points& x : o.positions) x(2, 1) = 0;
    const TrackNoise found = estimate_track_noise("film", o);
    REQUIRE(found.constant.size() == (noise > 0 ? 1 : 0));
    if (noise > 0) CHECK(found.constant[0] == std::pair<Index, int>(1, 2));
    if (noise > 0) CHECK(found.all.sigma == Approx(1e-3).epsilon(0.3));
  }
}

TEST_CASE("track_noise: what doubles are rounded by is no noise", "[optim][noise]") {
  // At rest, but for the last digit of one coordinate.
  const TrackNoise rest = estimate_track_noise(
      "rest", filmed(2, 60, 50, [](Index m, int a, double t) {
        return m == 1 && a == 2 && std::lround(50 * t) % 3 == 0 ? std::nextafter(3.0, 4.0) : static_cast<double>(m + a);
      }));
  CHECK(rest.source == NoiseSource::Residuals);
  CHECK(rest.motion == 0);
  CHECK(rest.constant.empty());
  // A computed motion at so many frames a second that only rounding is left of its differences.
  const TrackNoise fast = estimate_track_noise(
      "fast", filmed(1, 400, 2e4, [](Index, int a, double t) { return a == 0 ? 1 + 0.1 * std::sin(6 * t) : 0.0; }));
  CHECK(fast.source == NoiseSource::Limit);
  CHECK(fast.constant.empty());
}

TEST_CASE("track_noise: components and markers that scatter otherwise have their own sigma", "[optim][noise]") {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  Observation depth = filmed(3, 80, 50, [&](Index, int a, double t) {
    return 0.1 * std::sin(5 * t) + (a == 1 ? 5e-3 : 1e-3) * normal(random);
  });
  const TrackNoise components = estimate_track_noise("film", depth);
  CHECK(components.by_component);
  CHECK_FALSE(components.by_marker);
  CHECK(contains(components.sentence(), "components differ"));
  take_sigma(components, depth);
  CHECK(depth.noise.origin == SigmaOrigin::Tracks);
  CHECK(depth.noise.component_sigma(2, 0) == Approx(1e-3).epsilon(0.25));
  CHECK(depth.noise.component_sigma(2, 1) == Approx(5e-3).epsilon(0.25));

  Observation far = filmed(3, 80, 50, [&](Index m, int, double t) {
    return 0.1 * std::sin(5 * t) + (m == 1 ? 5e-3 : 1e-3) * normal(random);
  });
  far.noise.sigma[0] = 0.5e-3;
  const TrackNoise markers = estimate_track_noise("film", far);
  CHECK(markers.by_marker);
  CHECK_FALSE(markers.by_component);
  take_sigma(markers, far);
  CHECK(far.noise.sigma[0] == 0.5e-3);  // as written
  CHECK(far.noise.sigma[1] == Approx(5e-3).epsilon(0.25));
  CHECK(far.noise.sigma[2] == Approx(1e-3).epsilon(0.25));
  CHECK(far.noise.factor.size() == 0);

  // x of one marker and y of another: two markers, and no components beside them.
  Observation split = filmed(2, 80, 50, [&](Index m, int a, double t) {
    return a != m ? NAN : 0.1 * std::sin(5 * t) + (m == 1 ? 5e-3 : 1e-3) * normal(random);
  });
  const TrackNoise each = estimate_track_noise("film", split);
  CHECK(each.by_marker);
  CHECK_FALSE(each.by_component);
  CHECK(each.sigma(0, 0) == Approx(1e-3).epsilon(0.4));
  CHECK(each.sigma(1, 1) == Approx(5e-3).epsilon(0.4));
}

TEST_CASE("track_noise: a few frames say nothing, and recordings get comparable sigmas", "[optim][noise]") {
  std::vector<TrackNoise> all;
  for (const Index frames : {6, 60}) all.push_back(estimate_track_noise("film", swinging_recording(2e-3, 4, frames)));
  CHECK(all[0].source == NoiseSource::Residuals);
  CHECK(contains(all[0].sentence(), "27 contiguous differences, fewer than 30"));
  settle_noise(all);
  CHECK(all[0].all.sigma == Approx(2e-3).epsilon(0.3));  // mostly that of the other

  std::vector<TrackNoise> exact{estimate_track_noise("a", swinging_recording(0, 1)),
                                estimate_track_noise("b", swinging_recording(0, 1, 90))};
  settle_noise(exact);
  CHECK(exact[0].all.sigma == exact[1].all.sigma);
  CHECK(exact[0].all.sigma >= 0.99e-6 * exact[1].motion);
  Observation o = swinging_recording(0, 1);
  take_sigma(exact[0], o);
  CHECK(o.noise.origin == SigmaOrigin::Guess);

  const auto resting = [](double size) {
    return estimate_track_noise("rest", filmed(2, 40, 10, [=](Index m, int a, double) { return size * (m + a); }));
  };
  std::vector<TrackNoise> still{resting(1)}, nowhere{resting(0)};
  settle_noise(still);
  CHECK(still[0].all.sigma == Approx(1e-6 * std::sqrt(0.75)).epsilon(1e-9));
  settle_noise(nowhere);
  CHECK(std::isnan(nowhere[0].all.sigma));
}

TEST_CASE("track_noise: outliers and lost samples do not change it", "[optim][noise]") {
  const double clean = estimate_track_noise("film", swinging_recording(1e-3, 7, 80)).all.sigma;
  Observation one = swinging_recording(1e-3, 7, 80), lost = one, many = swinging_recording(1e-3, 7, 400);
  one.positions[40](0, 1) += 0.1;
  for (const std::size_t f : {3U, 20U, 21U, 60U}) lost.positions[f].col(1).setZero();
  std::mt19937 random(4);
  for (std::size_t k = 0; k < 96; ++k) many.positions[random() % 400].col(random() % 3).setConstant(-999);  // 8 %
  for (const Observation& o : {one, lost, many}) {
    const TrackNoise noise = estimate_track_noise("film", o);
    CHECK(noise.source == NoiseSource::Differences);
    CHECK(noise.all.sigma == Approx(clean).epsilon(0.1));
    CHECK(noise.all.apart > 0);
    CHECK_FALSE(noise.by_marker);
    CHECK(contains(noise.sentence(), "beyond 4 times the scatter"));
  }
}

TEST_CASE("track_noise: samples that are missing in every other frame, or an angle that wraps, leave it",
          "[optim][noise]") {
  Observation half = swinging_recording(1e-3, 5, 160), most = half;
  for (std::size_t f = 1; f < half.times.size(); f += 2) half.positions[f].col(0).setConstant(NAN);
  for (std::size_t f = 3; f < most.times.size(); f += 4) most.positions[f].setConstant(NAN);
  for (const Observation& o : {half, most}) {
    const TrackNoise noise = estimate_track_noise("film", o);
    CHECK(noise.source == NoiseSource::Differences);
    CHECK(noise.markers.at(0).differences >= least_differences);
    CHECK(noise.markers.at(0).sigma == Approx(1e-3).epsilon(4 / std::sqrt(2 * noise.markers.at(0).degrees)));
  }
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  Observation angle = filmed(1, 300, 100, [&](Index, int a, double t) {
    return a == 0 ? std::remainder(20 * t + 5e-3 * normal(random), 2 * std::acos(-1.0)) : NAN;
  });
  angle.instrument = make_angle_instrument({});
  const TrackNoise noise = estimate_track_noise("film", angle);
  CHECK(noise.all.apart < 3);
  CHECK(noise.all.sigma == Approx(5e-3).epsilon(4 / std::sqrt(2 * noise.all.degrees)));
}

namespace {

using NoiselessTrack = std::function<double(Index, int, double)>;

/// Places of a double pendulum of two rods of 20 cm that tumbles from rest, by marker and component.
NoiselessTrack tumbling_pendulum(std::mt19937& random, Index frames, double rate) {
  std::uniform_real_distribution<double> angle(1.8, 3);
  const double length = 0.2, g = 9.81;
  using State = Eigen::Vector4d;  // two angles and their rates
  const auto rates = [=](const State& y) {
    const double d = y[0] - y[1], inertia = length * (3 - std::cos(2 * d)), w = y[2] * y[2], u = y[3] * y[3];
    return State(
        y[2], y[3],
        (-3 * g * std::sin(y[0]) - g * std::sin(y[0] - 2 * y[1]) - 2 * std::sin(d) * length * (u + w * std::cos(d))) /
            inertia,
        2 * std::sin(d) * (2 * w * length + 2 * g * std::cos(y[0]) + u * length * std::cos(d)) / inertia);
  };
  const auto steps = std::lround(std::ceil(500 / rate));
  const double h = 1 / (rate * static_cast<double>(steps));
  State y(angle(random), angle(random), 0, 0);
  std::vector<State> all;
  for (Index f = 0; f < frames; ++f) {
    all.push_back(y);
    for (long s = 0; s < steps; ++s) {
      const State a = rates(y), b = rates(y + h / 2 * a), c = rates(y + h / 2 * b), d = rates(y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
  }
  return [=](Index m, int a, double t) {
    const State& at = all[std::lround(t * rate)];
    const double second = static_cast<double>(m) / 2;
    const double x = std::sin(at[0]) + second * std::sin(at[1]), z = -std::cos(at[0]) - second * std::cos(at[1]);
    return length * (a == 0 ? 0.8 * x : a == 1 ? 0.6 * x : z);
  };
}

/// A motion by number: a swing, two frequencies, a damped swing, a fall, a body at rest, a double pendulum.
NoiselessTrack motion_of(int kind, std::mt19937& random, Index frames, double rate) {
  std::uniform_real_distribution<double> frequency(1, 4), phase(0, 6.28);
  if (kind == 5) return tumbling_pendulum(random, frames, rate);
  const double first = 6.28 * frequency(random) / (kind == 1 ? 2 : 1), second = 6.28 * frequency(random);
  const double start = phase(random), decay = kind == 2 ? 0.5 : 0;
  return [=](Index m, int a, double t) {
    const double place = 0.2 * static_cast<double>(m == a ? 1 : 0), shift = start + static_cast<double>(m) + 2 * a;
    if (kind == 3) return place + t * (1 - a) - (a == 2 ? 4.905 * t * t : 0);
    if (kind == 4) return place;
    return place + 0.1 * std::exp(-decay * t) * std::sin(first * t + shift) +
           (kind == 1 ? 0.04 * std::sin(second * t + 2 * shift) : 0);
  };
}

}  // namespace

TEST_CASE("track_noise: what it trusts is the noise, at every frame rate", "[optim][noise][coverage]") {
  const double sigma = 2e-3;
  const Index frames = 120;
  int trusted = 0, wrong = 0, sampled = 0, doubted = 0, denied = 0;
  for (const double rate : {3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 100.0})
    for (int kind = 0; kind < 6; ++kind)
      for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed + 100 * static_cast<unsigned>(kind) + 1000 * static_cast<unsigned>(rate));
        std::normal_distribution<double> normal;
        const NoiselessTrack motion = motion_of(kind, random, frames, rate);
        const TrackNoise noise = estimate_track_noise("film", filmed(3, frames, rate, [&](Index m, int a, double t) {
                                                        return motion(m, a, t) + sigma * normal(random);
                                                      }));
        const bool is_right = noise.all.sigma < 1.3 * sigma && noise.all.sigma > sigma / 1.3;
        const bool is_trusted = noise.all.trust == NoiseTrust::Trusted;
        const bool is_unknown = noise.all.trust == NoiseTrust::Unknown;
        trusted += is_trusted ? 1 : 0;
        wrong += is_trusted && !is_right ? 1 : 0;
        // At 40 frames per second 4 Hz have 10 frames per period; a pendulum that tumbles has overtones.
        const bool is_sampled = kind == 3 || kind == 4 || (rate >= 40 && kind != 5);
        sampled += is_sampled ? 1 : 0;
        doubted += is_sampled && !is_trusted ? 1 : 0;
        denied += is_sampled && is_unknown ? 1 : 0;
        CHECK(contains(noise.sentence(), "too far apart") == (noise.source == NoiseSource::Differences && is_unknown));
      }
  INFO("trusted " << trusted << ", wrong " << wrong << ", sampled " << sampled << ", doubted " << doubted << ", denied "
                  << denied);
  CHECK(wrong <= 0.01 * trusted);
  CHECK(doubted <= 0.01 * sampled);
  CHECK(denied <= 0.001 * sampled);
}
