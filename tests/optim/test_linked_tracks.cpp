// Detections joined without a model: crossings, gaps, the order of the points, and a start that does not tell.

#include "optim/identity/linked_tracks.hpp"
#include "tests/optim/unlabelled_film.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::FilmOptions;
using pithball::test::make_film;
using pithball::test::UnlabelledFilm;

namespace {

/// The share of the linked detections that are of their ball.
double share_right(const UnlabelledFilm& film) {
  double right = 0, all = 0;
  for (std::size_t f = 0; f < film.truth.size(); ++f)
    for (std::size_t m = 0; m < film.truth[f].size(); ++m) {
      const Index j = film.detections.linked[f][m];
      all += j >= 0;
      right += j >= 0 && j == film.truth[f][m];
    }
  return right / all;
}

/// A frame with points on the x axis.
FrameDetections row_of(const std::vector<double>& x) {
  FrameDetections frame;
  frame.places = Points::Zero(3, std::ssize(x));
  for (std::size_t k = 0; k < x.size(); ++k) {
    frame.places(0, static_cast<Index>(k)) = x[k];
    frame.number.push_back(static_cast<Index>(k));
  }
  return frame;
}

}  // namespace

TEST_CASE("linked tracks: two points that cross keep their labels", "[optim][identity]") {
  std::vector<double> times;
  std::vector<FrameDetections> frames;
  for (int f = 0; f < 21; ++f) {
    times.push_back(0.1 * f);
    const double a = -1 + 0.1 * f, b = 1.03 - 0.1 * f;
    frames.push_back(f % 2 == 0 ? row_of({a, b}) : row_of({b, a}));
  }
  Points expected = Points::Zero(3, 2);
  expected.row(0) << -1, 1;
  const LinkedTracks tracks = link_tracks(times, frames, expected);
  CHECK(tracks.open.empty());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    CAPTURE(f);
    CHECK(tracks.detection[f] == (f % 2 == 0 ? std::vector<Index>{0, 1} : std::vector<Index>{1, 0}));
  }
}

TEST_CASE("linked tracks: a film with missed and false detections", "[optim][identity]") {
  CHECK(share_right(make_film({.balls = 4, .frames = 40, .missed = 0.05, .spurious = 0.05})) > 0.95);
  CHECK(share_right(make_film({.balls = 4, .frames = 40, .missed = 0, .spurious = 0})) == 1);
}

TEST_CASE("linked tracks: points half a spacing beside a row of particles may be either's", "[optim][identity]") {
  Points expected = Points::Zero(3, 3);
  expected.row(0) << 0, 1, 2;
  const LinkedTracks open = link_tracks({0}, {row_of({0.5, 1.5, 2.5})}, expected);
  CHECK(open.open == std::vector<std::pair<Index, Index>>{{0, 1}, {1, 2}});
  CHECK(link_tracks({0}, {row_of({0.02, 1.01, 1.99})}, expected).open.empty());
}
