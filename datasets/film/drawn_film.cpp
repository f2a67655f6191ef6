#include "datasets/film/drawn_film.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/counter_noise.hpp"

namespace pithball::datasets {
namespace {

/// ∫ exp(−u²/2σ²) du over a pixel whose center is at distance d.
double pixel_integral(double d, double sigma) {
  const double s = sigma * std::numbers::sqrt2;
  return 0.5 * sigma * std::sqrt(2 * std::numbers::pi) * (std::erf((d + 0.5) / s) - std::erf((d - 0.5) / s));
}

/// Mean brightness of a pixel at (dx, dy) from the center of a ball at rest with height 1.
double pixel_mean(const DrawnBall& ball, double dx, double dy) {
  if (ball.ring == 0) return pixel_integral(dx, ball.sigma) * pixel_integral(dy, ball.sigma);
  // Three points of Gauss and Legendre in each direction.
  constexpr double points[] = {-0.3872983346, 0, 0.3872983346}, weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double u = (std::hypot(dx + points[i], dy + points[j]) - ball.ring) / ball.sigma;
      sum += weights[i] * weights[j] * std::exp(-0.5 * u * u);
    }
  return sum;
}

void draw_ball(const DrawnScene& scene, const DrawnBall& ball, Picture& picture) {
  constexpr int parts = 9;  // of the exposure
  const DrawnBall seen = appearance(scene, ball);
  const double speed = std::hypot(ball.velocity_x, ball.velocity_y);
  const int moments = scene.exposure * speed > 0 ? parts : 1;
  const double reach = 6 * ball.sigma + ball.ring + speed * (0.5 * scene.exposure + 1) + 1;
  const auto first = [&](double center) { return std::max<Index>(0, std::llround(center - reach)); };
  const auto last = [&](double center, Index size) { return std::min<Index>(size - 1, std::llround(center + reach)); };
  for (Index row = first(seen.y); row <= last(seen.y, scene.height); ++row)
    for (Index column = first(seen.x); column <= last(seen.x, scene.width); ++column) {
      double sum = 0;
      for (int k = 0; k < moments; ++k) {
        const double t = scene.row_time * row + scene.exposure * ((k + 0.5) / moments - 0.5);
        sum += pixel_mean(ball, column - ball.x - ball.velocity_x * t, row - ball.y - ball.velocity_y * t);
      }
      picture(row, column) += static_cast<float>(ball.height * sum / moments);
    }
}

}  // namespace

DrawnBall appearance(const DrawnScene& scene, const DrawnBall& ball) {
  // Its row is that where y + v t = row with t = row_time · row.
  DrawnBall seen = ball;
  seen.y = ball.y / (1 - scene.row_time * ball.velocity_y);
  seen.x = ball.x + ball.velocity_x * scene.row_time * seen.y;
  return seen;
}

Picture draw_frame(const DrawnScene& scene, const std::vector<DrawnBall>& balls, std::uint64_t number) {
  Picture picture = Picture::Zero(scene.height, scene.width);
  for (const DrawnBall& ball : balls) draw_ball(scene, ball, picture);
  if (scene.hidden) picture.block(scene.hidden->y, scene.hidden->x, scene.hidden->height, scene.hidden->width) = 0;
  const sim::CounterNoise noise(scene.seed, 0);
  for (Index k = 0; k < picture.size(); ++k) {
    double brightness = scene.background + picture.data()[k];
    const double variance = scene.noise * scene.noise + scene.gain * std::max(brightness, 0.0);
    brightness += std::sqrt(variance) * noise.normal(number, static_cast<std::uint64_t>(k), 0);
    if (scene.most > 0) brightness = std::clamp(std::round(brightness), 0.0, scene.most);
    picture.data()[k] = static_cast<float>(brightness);
  }
  return picture;
}

}  // namespace pithball::datasets
