#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "datasets/film/detection_errors.hpp"
#include "datasets/film/drawn_film.hpp"
#include "datasets/film/median_picture.hpp"
#include "datasets/film/picture_filter.hpp"
#include "datasets/film/spot_detector.hpp"
#include "datasets/film/spot_search.hpp"
#include "datasets/film/still_target.hpp"
#include "sim/core/counter_noise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::datasets;
using pithball::sim::CounterNoise;

namespace {

void require_filter() {
  if (!has_picture_filter())
    pithball::tests::skip("no OpenCV: `third_party/install_packages.sh film` installs it, then build again");
}

/// Balls like `kind`, one in each square of `pitch` pixels, at places that differ from frame to frame.
std::vector<DrawnBall> scattered(const DrawnScene& scene, DrawnBall kind, double pitch, std::uint64_t frame) {
  const CounterNoise place(7, 1);
  std::vector<DrawnBall> balls;
  for (double top = 0; top + pitch <= scene.height; top += pitch)
    for (double left = 0; left + pitch <= scene.width; left += pitch) {
      const std::uint64_t ball = balls.size();
      kind.x = left + pitch * (0.35 + 0.3 * place.uniform(frame, ball, 0));
      kind.y = top + pitch * (0.35 + 0.3 * place.uniform(frame, ball, 1));
      balls.push_back(kind);
    }
  return balls;
}

/// What a detector finds in `frames` frames of such balls, after it has learned from six others.
DetectionErrors errors_of(const DrawnScene& scene, const DrawnBall& kind, std::uint64_t frames, double pitch = 40) {
  SpotDetector detector(SpotWanted{});
  std::vector<Picture> others;
  for (std::uint64_t k = 0; k < 6; ++k)
    others.push_back(draw_frame(scene, scattered(scene, kind, pitch, 1000 + k), 1000 + k));
  detector.learn(others);
  DetectionErrors errors(kind.sigma + kind.ring + 2);
  for (std::uint64_t k = 0; k < frames; ++k) {
    const std::vector<DrawnBall> balls = scattered(scene, kind, pitch, k);
    errors.add(detector.detect(draw_frame(scene, balls, k)), balls);
  }
  return errors;
}

/// Detected centers are where the balls are, and as far from it as stated.
void check_honest(const DetectionErrors& errors) {
  CAPTURE(errors.found(), errors.bias().transpose(), errors.bias_error(), errors.scatter(), errors.false_detections());
  CHECK(errors.bias().cwiseAbs().maxCoeff() < 0.02);
  CHECK(errors.scatter() > 0.9);
  CHECK(errors.scatter() < 1.1);
}

}  // namespace

TEST_CASE("spots: centers are unbiased and as good as stated, from 3 to 100 times the noise", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 2;
  scene.width = scene.height = 360;
  for (const double brightness : {3.0, 10.0, 100.0}) {
    CAPTURE(brightness);
    const DetectionErrors errors = errors_of(scene, {.height = brightness * scene.noise, .sigma = 1.6}, 12);
    check_honest(errors);
    CHECK(errors.found() > (brightness < 5 ? 0.9 : 0.999));
    CHECK(errors.false_detections() <= 6);
  }
}

TEST_CASE("spots: so are those of every size and of both signs", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 2;
  scene.background = 120;
  scene.width = scene.height = 400;
  for (const double sigma : {0.8, 3.0, 6.0}) {
    CAPTURE(sigma);
    const DetectionErrors errors = errors_of(scene, {.height = -20, .sigma = sigma}, 10, 50);
    check_honest(errors);
    CHECK(errors.found() > 0.999);
  }
}

TEST_CASE("spots: so are rings out of focus, each as one", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 2;
  scene.width = scene.height = 400;
  for (const double brightness : {3.0, 10.0, 60.0}) {
    CAPTURE(brightness);
    const DetectionErrors errors = errors_of(scene, {.height = brightness * scene.noise, .sigma = 2, .ring = 7}, 8, 50);
    check_honest(errors);
    CHECK(errors.found() > 0.99);
    CHECK(errors.false_detections() < 8);  // of 512 rings
  }
}

TEST_CASE("spots: pairs of round balls are not joined to rings", "[datasets][film]") {
  require_filter();
  constexpr double apart = 10, pitch = 50;  // apart: such a ring has the radius 5
  DrawnScene scene;
  scene.noise = 2;
  scene.width = scene.height = 400;
  for (const double brightness : {3.0, 10.0, 60.0}) {
    CAPTURE(brightness);
    const DrawnBall kind{.height = brightness * scene.noise, .sigma = 1.6};
    SpotDetector detector(SpotWanted{});
    DetectionErrors errors(3);
    Index joined = 0, pairs = 0;
    for (std::uint64_t k = 0; k < 4; ++k) {
      std::vector<DrawnBall> balls = scattered(scene, kind, pitch, k);
      const std::size_t count = balls.size();
      for (std::size_t b = 0; b < count; ++b) {
        DrawnBall second = balls[b];
        second.x += apart * std::cos(static_cast<double>(b));
        second.y += apart * std::sin(static_cast<double>(b));
        balls.push_back(second);
      }
      const Picture frame = draw_frame(scene, balls, k);
      if (k == 0) detector.learn({frame});
      const std::vector<Detection> found = detector.detect(frame);
      errors.add(found, balls);
      pairs += static_cast<Index>(count);
      for (std::size_t b = 0; b < count; ++b)
        joined += std::ranges::any_of(found, [&](const Detection& spot) {
          const double x = 0.5 * (balls[b].x + balls[b + count].x), y = 0.5 * (balls[b].y + balls[b + count].y);
          return std::hypot(spot.x - x, spot.y - y) < apart / 4;
        });
    }
    CAPTURE(joined, pairs, errors.found(), errors.scatter());
    CHECK(static_cast<double>(joined) <= 0.01 * static_cast<double>(pairs));
    CHECK(errors.found() > (brightness < 5 ? 0.9 : 0.99));
    CHECK(errors.scatter() < 1.1);
  }
}

TEST_CASE("spots: noise of photons is learned, and errors grow with brightness as it does", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 1;
  scene.gain = 0.3;
  scene.background = 10;
  scene.width = scene.height = 360;
  const DrawnBall kind{.height = 150, .sigma = 1.6};
  check_honest(errors_of(scene, kind, 8));
  SpotDetector detector(SpotWanted{});
  std::vector<Picture> frames;
  for (std::uint64_t k = 0; k < 8; ++k) frames.push_back(draw_frame(scene, scattered(scene, kind, 40, k), k));
  detector.learn(frames);
  CHECK(detector.noise().gain == Approx(0.3).epsilon(0.15));
  CHECK(detector.noise().floor == Approx(std::sqrt(1 + 0.3 * 10 + 1.0 / 12)).epsilon(0.05));
}

TEST_CASE("spots: a motion during the exposure makes an ellipse with its center in the middle", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 2;
  scene.exposure = 0.8;
  scene.width = scene.height = 360;
  const DrawnBall kind{.velocity_x = 7, .velocity_y = 3, .height = 80, .sigma = 1.6};
  check_honest(errors_of(scene, kind, 8));
}

TEST_CASE("spots: size, brightness and signal to noise are those of the ball", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 1;
  scene.width = scene.height = 200;
  SpotDetector detector(SpotWanted{});
  const std::vector<DrawnBall> balls{{.x = 60.3, .y = 50.7, .height = 40, .sigma = 2},
                                     {.x = 130.2, .y = 120.4, .height = 50, .sigma = 2, .ring = 7}};
  const Picture frame = draw_frame(scene, balls, 3);
  detector.learn({frame});
  const std::vector<Detection> spots = detector.detect(frame);
  REQUIRE(spots.size() == 2);
  CHECK(spots[0].size == Approx(std::sqrt(2.0) * 2).epsilon(0.05));
  CHECK(spots[0].brightness == Approx(2 * std::numbers::pi * 4 * 40).epsilon(0.05));
  CHECK(spots[0].snr ==
        Approx(40 * std::sqrt(std::numbers::pi) * 2).epsilon(0.2));  // rounding, and a gain of one frame
  CHECK(spots[1].size == Approx(7).epsilon(0.05));
}

TEST_CASE("spots: noise that grows with brightness shows no dark spots", "[datasets][film]") {
  require_filter();
  for (const double gain : {1.0, 4.0}) {
    CAPTURE(gain);
    DrawnScene scene;
    scene.noise = 3;
    scene.gain = gain;
    scene.width = 200;
    scene.height = 150;
    SpotDetector detector(SpotWanted{});
    std::vector<DrawnBall> balls;
    for (int k = 0; k < 8; ++k)
      balls.push_back({.x = 25.3 + 45 * (k % 4), .y = 40.2 + 70 * (k / 4), .height = 150, .sigma = 2});
    std::vector<Picture> frames;
    for (std::uint64_t k = 0; k < 20; ++k) frames.push_back(draw_frame(scene, balls, k));
    detector.learn(frames);
    int dark = 0;
    for (const Picture& frame : frames)
      for (const Detection& spot : detector.detect(frame)) dark += spot.brightness < 0;
    CHECK(dark <= 4);  // chance has about one in ten frames
  }
}

TEST_CASE("spots: two that overlap are two, without pulling each other", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.noise = 1;
  scene.width = scene.height = 120;
  SpotDetector detector(SpotWanted{});
  DetectionErrors errors(2);
  for (std::uint64_t k = 0; k < 60; ++k) {
    const double shift = CounterNoise(5, 2).uniform(k, 0);
    const std::vector<DrawnBall> balls{{.x = 50 + shift, .y = 60, .height = 60, .sigma = 1.6},
                                       {.x = 56.5 + shift, .y = 61, .height = 30, .sigma = 1.6}};
    const Picture frame = draw_frame(scene, balls, k);
    if (k == 0) detector.learn({frame});
    errors.add(detector.detect(frame), balls);
  }
  CAPTURE(errors.bias().transpose(), errors.scatter());
  CHECK(errors.found() == 1);
  CHECK(errors.bias().norm() < 0.03);
  CHECK(errors.scatter() < 1.3);
}

TEST_CASE("spots: a region keeps the rest of the picture out, and a background what never moves", "[datasets][film]") {
  require_filter();
  DrawnScene scene;
  scene.width = scene.height = 200;
  const std::vector<DrawnBall> balls{{.x = 50, .y = 50, .height = 40}, {.x = 150, .y = 150, .height = 40}};
  const Picture frame = draw_frame(scene, balls, 1);
  SpotWanted wanted;
  wanted.region = Region{100, 100, 100, 100};
  SpotDetector of_region(wanted);
  of_region.learn({frame});
  const std::vector<Detection> found = of_region.detect(frame);
  REQUIRE(found.size() == 1);
  CHECK(found[0].x == Approx(150).margin(0.2));
  SpotDetector of_changes(SpotWanted{});
  of_changes.set_background(draw_frame(scene, {balls[1]}, 2));
  of_changes.learn({frame});
  const std::vector<Detection> moved = of_changes.detect(frame);
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].x == Approx(50).margin(0.2));
}

TEST_CASE("spots: the last column of a picture is no neighbor of the first one", "[datasets][film]") {
  require_filter();
  for (const Index columns : {33, 34, 35, 66})  // in stretches of 32, with one, two or three columns beside them
    for (float height = 1; height < 300; height *= 1.02F) {  // in some, only the last column exceeds the threshold
      INFO(columns << " columns, " << height);
      Picture picture = Picture::Zero(40, columns);
      picture(20, columns - 1) = height;
      SpotSearch search(4);
      search.filter(picture);
      search.guess_noise();
      // The last pixel of a row has neighbors on one side only.
      for (const SpotCandidate& candidate : search.find(5))
        if (candidate.scale < 2) CHECK(candidate.x <= static_cast<double>(columns) - 1.5);
    }
}

TEST_CASE("spots: the scatter of a still target corrects the covariances", "[datasets][film]") {
  Detections detections;
  const CounterNoise noise(3, 1);
  for (Index k = 0; k < 400; ++k) {
    Detection spot;
    spot.x = 20 + 0.2 * noise.normal(k, 0, 0);
    spot.y = 30 + 0.2 * noise.normal(k, 0, 1);
    spot.size = 2;
    spot.covariance = 0.01 * Eigen::Matrix2d::Identity();  // half of the true deviation
    detections.frames.push_back({k, {spot}});
  }
  const StillScatter scatter = measure_still(detections, {10, 10, 30, 40});
  CHECK(scatter.targets == 1);
  CHECK(scatter.detections == 400);
  CHECK(scatter.factor == Approx(4).epsilon(0.15));
  scale_covariances(detections, scatter.factor);
  CHECK(detections.frames[7].spots[0].covariance(1, 1) == Approx(0.01 * scatter.factor));
  CHECK_THROWS_WITH(measure_still(detections, {100, 100, 30, 40}), Catch::Contains("still region"));
}

TEST_CASE("spots: a still target's mean is that of its sharp detections", "[datasets][film]") {
  Detections detections;
  for (Index k = 0; k < 20; ++k) {
    Detection spot;
    spot.size = 2;
    const double side = k % 4 < 2 ? 1 : -1;
    // One standard deviation off in each coordinate; those with large errors are all to the right.
    const double deviation = k % 2 == 0 ? 0.01 : 0.3;
    spot.x = 20 + (k % 2 == 0 ? side : 1) * deviation;
    spot.y = 30 + side * deviation;
    spot.covariance = deviation * deviation * Eigen::Matrix2d::Identity();
    detections.frames.push_back({k, {spot}});
  }
  CHECK(measure_still(detections, {10, 10, 30, 40}).factor == Approx(40.0 / 38).epsilon(0.01));
}

TEST_CASE("spots: a picture that is repeated says nothing of errors", "[datasets][film][error]") {
  Detections detections;
  Detection spot;
  spot.x = 20;
  spot.y = 30;
  spot.size = 2;
  spot.covariance = 0.01 * Eigen::Matrix2d::Identity();
  for (Index k = 0; k < 20; ++k) detections.frames.push_back({k, {spot}});
  CHECK_THROWS_WITH(measure_still(detections, {10, 10, 30, 40}),
                    Catch::Contains("must show noise that differs from frame to frame"));
}

TEST_CASE("spots: the median of an even number of pictures is the mean of the middle two", "[datasets][film]") {
  std::vector<Picture> pictures;
  for (const float brightness : {9.0F, 1.0F, 4.0F, 2.0F}) pictures.push_back(Picture::Constant(2, 3, brightness));
  CHECK((median_picture(pictures) == 3).all());
  pictures.pop_back();
  CHECK((median_picture(pictures) == 4).all());
}

TEST_CASE("spots: sizes are bounded", "[datasets][film][error]") {
  if (!has_picture_filter()) return;
  SpotWanted wanted;
  wanted.largest = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(SpotDetector(wanted), Catch::Contains("sizes: must be at most 1000 px, got inf"));
}

TEST_CASE("spots: derivatives of every form are those of its brightness", "[datasets][film][fd]") {
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(7, -2.3, 5.1), y = Eigen::ArrayXd::LinSpaced(7, 4.0, -1.7);
  const Spot spots[] = {Spot::round(0.4, 1.3, 7, 2.1),
                        {SpotForm::Elliptical, 0.4, 1.3, 7, {0.3, 0.08, 0.2}},
                        {SpotForm::Ring, 0.4, 1.3, 7, {2.5, 1.1, 0}}};
  for (const Spot& spot : spots) {
    const int count = spot.parameters();
    CAPTURE(count);
    Spot::Slopes slopes(x.size(), count + 1);
    Eigen::ArrayXd brightness, above, below;
    spot.compute(x, y, brightness, &slopes);
    for (int k = 0; k < count; ++k) {
      const double h = 0.00001;
      Eigen::VectorXd step = Eigen::VectorXd::Zero(count);
      step[k] = h;
      spot.moved(step).compute(x, y, above, nullptr);
      spot.moved(-step).compute(x, y, below, nullptr);
      const Eigen::ArrayXd differences = (above - below) / (2 * h);
      REQUIRE(slopes.col(k).norm() > 0.1);
      CHECK((slopes.col(k) - differences.matrix()).norm() < 1e-6 * slopes.col(k).norm());
    }
  }
}

TEST_CASE("spots: sums of slopes are those of the brightness, pixel by pixel", "[datasets][film]") {
  const CounterNoise noise(2, 1);
  constexpr Index count = 37;  // no multiple of what a processor takes at a time
  Eigen::ArrayXd x(count), y(count), brightness(count), weights(count);
  for (Index k = 0; k < count; ++k) {
    x[k] = static_cast<double>(k % 7);
    y[k] = static_cast<double>(k / 7);
    brightness[k] = 3 + noise.normal(0, k, 0);
    weights[k] = 1 + noise.uniform(0, k, 1);
  }
  const Spot spots[] = {Spot::round(3, 2.3, 7, 2.1),  // the center of a pixel, where a ring has no slope
                        {SpotForm::Elliptical, 3.4, 2.3, 7, {0.3, 0.08, 0.2}},
                        {SpotForm::Ring, 3, 2, 7, {2.5, 1.1, 0}}};
  for (const Spot& spot : spots) {
    const int last = spot.parameters();
    CAPTURE(last);
    const SlopeSums sums = sum_slopes({x.data(), y.data(), brightness.data(), weights.data(), count}, spot);
    Spot unit = spot;
    unit.height = 1;
    Spot::Slopes slopes(count, last + 1);
    Eigen::ArrayXd of_unit, of_spot;
    unit.compute(x, y, of_unit, &slopes);
    slopes.col(last).setOnes();
    const Eigen::MatrixXd weighted = slopes.array().colwise() * weights;
    const Eigen::MatrixXd products = weighted.transpose() * slopes;
    REQUIRE(products.diagonal().minCoeff() > 0.1);
    for (int i = 0; i <= last; ++i) {
      CHECK(sums.with_brightness[i] == Approx(weighted.col(i).dot(brightness.matrix())).epsilon(1e-9).margin(1e-9));
      for (int j = 0; j <= i; ++j) CHECK(sums.products(i, j) == Approx(products(i, j)).epsilon(1e-9).margin(1e-9));
    }
    const PixelNoise photons{2, 0.3};
    Eigen::ArrayXd found;
    compute_weights(x, y, spot, photons, found);
    spot.compute(x, y, of_spot, nullptr);
    CHECK((found * (4 + 0.3 * of_spot) - 1).abs().maxCoeff() < 1e-9);
  }
}
