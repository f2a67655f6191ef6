#pragma once
// Films of charged balls on springs whose detections are in no order, with some missing and some false.

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/identity/find_identities.hpp"
#include "optim/identity/linked_tracks.hpp"
#include "tests/optim/charged_system.hpp"

namespace pithball::test {

struct FilmOptions {
  sim::Index balls = 6, frames = 60;
  double sigma = 3e-3;       ///< [m]
  double missed = 0.1;       ///< probability that a ball is not detected
  double spurious = 0.1;     ///< mean number of false detections for each ball in a frame
  bool is_planar = true;     ///< x and y are recorded
  bool keeps_names = false;  ///< points keep the name of their ball, but two are exchanged in `exchanged` of the frames
  double exchanged = 0;
  unsigned seed = 1;
};

/// What a film shows, and what it was made from.
struct UnlabelledFilm {
  optim::FitProblem problem;  ///< stiffness and charge, off at the start; positions are those of linked tracks
  optim::Detections detections;
  optim::Observation labelled;                 ///< the true detections by ball
  std::vector<std::vector<sim::Index>> truth;  ///< by frame, the detection of each ball; −1: missed
};

inline constexpr double film_charge = 3e-6, film_stiffness = 12;

/// Charged balls on springs about a hook of the same charge at the origin.
inline diff::Scenario make_flock(const FilmOptions& o) {
  using namespace sim;
  std::mt19937 random(o.seed);
  std::normal_distribution<double> normal;
  State state{0, Points::Zero(3, o.balls + 1), Points::Zero(3, o.balls + 1)};
  Topology topology;
  topology.particles = o.balls + 1;
  topology.held.push_back({0, {}});
  for (Index i = 1; i <= o.balls; ++i) {
    Vec3 x, v;
    for (int a = 0; a < 3; ++a) {
      x[a] = normal(random);
      v[a] = normal(random);
    }
    state.x.col(i) = (0.5 + 0.2 * std::abs(normal(random))) * x.normalized();
    state.v.col(i) = 0.8 * v;
    topology.springs.push_back({0, i});
  }
  const Vector charge = Vector::Constant(o.balls + 1, film_charge);
  std::vector<std::shared_ptr<ForceTerm>> terms = {
      std::make_shared<SpringForce>(Vector::Constant(o.balls, film_stiffness), Vector::Constant(o.balls, 0.4)),
      std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())};
  const Model model(topology, Vector::Constant(o.balls + 1, 0.3), charge, terms);
  return {.name = "film",
          .model = model,
          .initial = state,
          .integrator = "velocity_verlet",
          .time_step = 0.005,
          .steps = 4 * (o.frames - 1),
          .stage = {}};
}

/// Adds the false detections of a frame and puts all in another order.
inline void scatter(optim::FrameDetections& frame, std::vector<sim::Index>& truth, const FilmOptions& o,
                    std::mt19937& random) {
  std::poisson_distribution<int> number(o.spurious * static_cast<double>(o.balls) + 1e-12);
  std::uniform_real_distribution<double> anywhere(-0.8, 0.8);
  const sim::Index found = frame.size(), spurious = o.spurious > 0 ? number(random) : 0;
  sim::Points all(3, found + spurious);
  all.leftCols(found) = frame.places;
  for (sim::Index k = found; k < all.cols(); ++k)
    for (int a = 0; a < 3; ++a) all(a, k) = a == 2 && o.is_planar ? NAN : anywhere(random);
  std::vector<sim::Index> order(static_cast<std::size_t>(all.cols()));
  std::iota(order.begin(), order.end(), sim::Index{0});
  std::ranges::shuffle(order, random);
  frame.places = all(Eigen::all, order);
  frame.number.resize(order.size());
  std::iota(frame.number.begin(), frame.number.end(), sim::Index{0});
  for (sim::Index& of_ball : truth)
    if (of_ball >= 0) of_ball = std::ranges::find(order, of_ball) - order.begin();
}

/// Gives points the names of their balls, two of them exchanged in some frames.
inline void name_points(optim::FrameDetections& frame, const std::vector<sim::Index>& truth, const FilmOptions& o,
                        std::mt19937& random) {
  std::vector<sim::Index> name(truth.size());
  std::iota(name.begin(), name.end(), sim::Index{0});
  std::uniform_real_distribution<double> chance;
  if (chance(random) < o.exchanged) {
    std::ranges::shuffle(name, random);
    const sim::Index one = name[0], other = name[1];
    std::ranges::sort(name);
    std::swap(name[one], name[other]);
  }
  frame.named.assign(static_cast<std::size_t>(frame.size()), -1);
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0) frame.named[truth[i]] = name[i];
}

inline UnlabelledFilm make_film(const FilmOptions& o) {
  const diff::Scenario truth = make_flock(o);
  std::mt19937 random(o.seed + 1000);
  UnlabelledFilm film;
  optim::Observation whole = record(truth, 4, o.sigma, o.seed);
  whole.markers.erase(whole.markers.begin());
  whole.noise.sigma = sim::Vector::Constant(o.balls, o.sigma);
  std::uniform_real_distribution<double> chance;
  for (sim::Points& frame : whole.positions) {
    frame = sim::Points(frame.rightCols(o.balls));
    if (o.is_planar) frame.row(2).setConstant(NAN);
    std::vector<sim::Index> of_ball, seen;
    for (sim::Index i = 0; i < o.balls; ++i) {
      const bool is_seen = chance(random) >= o.missed;
      of_ball.push_back(is_seen ? std::ssize(seen) : -1);
      if (is_seen) seen.push_back(i);
    }
    optim::FrameDetections& detected = film.detections.frames.emplace_back();
    detected.places = frame(Eigen::all, seen);
    for (sim::Index i = 0; i < o.balls; ++i)
      if (of_ball[i] < 0) frame.col(i).setConstant(NAN);
    scatter(detected, of_ball, o, random);
    if (o.keeps_names) name_points(detected, of_ball, o, random);
    film.truth.push_back(std::move(of_ball));
  }
  film.labelled = whole;
  film.detections.identities = o.keeps_names ? optim::KnownIdentities::Partly : optim::KnownIdentities::Unknown;
  if (o.keeps_names) {
    for (const optim::FrameDetections& frame : film.detections.frames) {
      auto& linked = film.detections.linked.emplace_back(static_cast<std::size_t>(o.balls), sim::Index{-1});
      for (sim::Index j = 0; j < frame.size(); ++j) linked[frame.named[j]] = j;
    }
  } else {
    optim::LinkedTracks tracks = link_tracks(whole.times, film.detections.frames, truth.initial.x.rightCols(o.balls));
    film.detections.linked = std::move(tracks.detection);
    film.detections.open = std::move(tracks.open);
  }
  optim::Observation linked = whole;
  linked.positions = optim::positions_of(film.detections.frames, film.detections.linked);
  film.problem.scenarios = {truth};
  film.problem.observations = {linked};
  film.problem.parameters = {shared("stiffness", 0.9 * film_stiffness), shared("charge", 1.2 * film_charge)};
  film.problem.uncertainty.options.absolute_sigma = true;
  film.problem.search.choose_stages = true;
  return film;
}

/// The share of all true detections that are chosen for their ball.
inline double share_right(const UnlabelledFilm& film, const optim::RecordingIdentities& found) {
  double right = 0, all = 0;
  for (const auto& frame : film.truth)
    for (const sim::Index j : frame) all += j >= 0;
  for (const optim::DetectionIdentity& one : found.identities)
    if (one.is_chosen && one.marker >= 0) right += film.truth[one.frame][one.marker] == one.detection;
  return right / all;
}

}  // namespace pithball::test
