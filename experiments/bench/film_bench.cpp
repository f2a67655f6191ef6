#include "experiments/bench/film_bench.hpp"

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>

#include "app/base/child_process.hpp"
#include "app/base/new_file.hpp"
#include "app/film/ffmpeg.hpp"
#include "app/film/track.hpp"
#include "datasets/film/detection_errors.hpp"
#include "datasets/film/spot_detector.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace datasets;

namespace {

constexpr double pixel_noise = 2;

/// What is drawn: balls of height 1, and the scene.
struct FilmKind {
  DrawnBall ball;
  DrawnScene scene;
};

DrawnScene usual_scene() {
  DrawnScene scene;
  scene.noise = pixel_noise;
  scene.most = 0;  // brightness up to 100 times the noise, of bright balls and of dark ones
  return scene;
}

const std::map<std::string, FilmKind>& kinds() {
  static const std::map<std::string, FilmKind> all = [] {
    DrawnScene photons = usual_scene(), moving = usual_scene();
    photons.gain = 0.2;
    moving.exposure = 0.5;
    return std::map<std::string, FilmKind>{
        {"ball", {{.height = 1, .sigma = 1.6}, usual_scene()}},
        {"dark ball", {{.height = -1, .sigma = 1.6}, usual_scene()}},
        {"large ball", {{.height = 1, .sigma = 5}, usual_scene()}},
        {"moving ball", {{.velocity_x = 6, .velocity_y = 2, .height = 1, .sigma = 1.6}, moving}},
        {"photons", {{.height = 1, .sigma = 1.6}, photons}},
        {"ring", {{.height = 1, .sigma = 2, .ring = 7}, usual_scene()}},
    };
  }();
  return all;
}

/// A ball in each square of `pitch` pixels, at places that differ from frame to frame.
std::vector<DrawnBall> scattered(const DrawnScene& scene, DrawnBall ball, double pitch, std::uint64_t frame) {
  const sim::CounterNoise place(scene.seed, 1);
  std::vector<DrawnBall> balls;
  for (double top = 0; top + pitch <= static_cast<double>(scene.height); top += pitch)
    for (double left = 0; left + pitch <= static_cast<double>(scene.width); left += pitch) {
      ball.x = left + pitch * (0.35 + 0.3 * place.uniform(frame, balls.size(), 0));
      ball.y = top + pitch * (0.35 + 0.3 * place.uniform(frame, balls.size(), 1));
      balls.push_back(ball);
    }
  return balls;
}

/// Twenty balls that move slowly, each with a brightness of its own.
std::vector<DrawnBall> twenty_balls(std::uint64_t frame) {
  const sim::CounterNoise place(3, 1);
  std::vector<DrawnBall> balls;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const double t = 0.3 * static_cast<double>(frame);
    balls.push_back({.x = 30 + 420 * place.uniform(0, k, 0) + t * place.uniform(0, k, 2),
                     .y = 30 + 420 * place.uniform(0, k, 1) + t * place.uniform(0, k, 3),
                     .height = 20 + 100 * place.uniform(0, k, 4),
                     .sigma = 1.2 + 1.5 * place.uniform(0, k, 5)});
  }
  return balls;
}

/// Writes frames as a film in H.264.
void write_film(const std::string& file, const std::vector<Picture>& frames) {
  std::vector<std::string> command{app::find_ffmpeg().string()};
  app::append(command,
              app::option_words("-loglevel error -y -f rawvideo -pix_fmt gray -s 512x512 -framerate 30 -i pipe:0 "
                                "-c:v libx264 -crf 10 -pix_fmt yuv420p"));
  command.push_back(app::ffmpeg_file(file));
  constexpr double patience = 100;
  app::ChildProcess ffmpeg(command, {0}, patience);
  for (const Picture& frame : frames) {
    std::string bytes(static_cast<std::size_t>(frame.size()), '\0');
    for (Index k = 0; k < frame.size(); ++k) bytes[k] = static_cast<char>(static_cast<unsigned char>(frame.data()[k]));
    ffmpeg.write(bytes);
  }
  if (ffmpeg.finish() != 0) ffmpeg.fail("failed");
}

double time_track(const std::vector<Picture>& frames) {
  try {
    const app::TemporaryFolder folder("bench-film");
    const std::string file = (folder.path() / "film.mp4").string();
    write_film(file, frames);
    const auto start = std::chrono::steady_clock::now();
    (void)app::track_film(file, {});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
           static_cast<double>(frames.size());
  } catch (const InvalidArgument&) {  // no ffmpeg
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

std::vector<std::string> film_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

FilmRow measure_film(const std::string& kind, double brightness, int frames) {
  constexpr double pitch = 48;
  constexpr std::uint64_t first_to_learn = 1'000'000, to_learn = 6;
  const FilmKind& drawn = kinds().at(kind);
  DrawnBall ball = drawn.ball;
  // The noise of photons is larger at the background than without it.
  const double of_pixel = std::sqrt(pixel_noise * pixel_noise + drawn.scene.gain * drawn.scene.background);
  ball.height *= brightness * of_pixel;
  SpotDetector detector(SpotWanted{});
  std::vector<Picture> others;
  for (std::uint64_t k = first_to_learn; k < first_to_learn + to_learn; ++k)
    others.push_back(draw_frame(drawn.scene, scattered(drawn.scene, ball, pitch, k), k));
  detector.learn(others);
  DetectionErrors errors(ball.sigma + ball.ring + 2);
  for (int k = 0; k < frames; ++k) {
    const auto number = static_cast<std::uint64_t>(k);
    const std::vector<DrawnBall> balls = scattered(drawn.scene, ball, pitch, number);
    errors.add(detector.detect(draw_frame(drawn.scene, balls, number)), balls);
  }
  return {.kind = kind,
          .brightness = brightness,
          .found = errors.found(),
          .false_per_frame = static_cast<double>(errors.false_detections()) / frames,
          .bias_x = errors.bias().x(),
          .bias_y = errors.bias().y(),
          .bias_error = errors.bias_error(),
          .scatter = errors.scatter()};
}

FilmTimes time_film(int frames) {
  DrawnScene scene = usual_scene();
  scene.most = 255;
  std::vector<Picture> drawn;
  for (int k = 0; k < frames; ++k)
    drawn.push_back(draw_frame(scene, twenty_balls(static_cast<std::uint64_t>(k)), static_cast<std::uint64_t>(k)));
  SpotDetector detector(SpotWanted{});
  detector.learn({drawn.front()});
  const std::clock_t start = std::clock();
  for (const Picture& frame : drawn) (void)detector.detect(frame);
  FilmTimes times;
  times.detect = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / frames;
  times.track = time_track(drawn);
  return times;
}

}  // namespace pithball::experiments
