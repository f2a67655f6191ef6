// Films without identities: detections come to the right particle, parameters and their errors are those of the
// labelled film, rates are recovered, and what cannot be known is said.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/identity/find_identities.hpp"
#include "tests/optim/unlabelled_film.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::FilmOptions;
using pithball::test::make_film;
using pithball::test::share_right;
using pithball::test::UnlabelledFilm;

namespace {

/// A fit without labels, and that of the true ones.
struct TwoFits {
  FoundIdentities found;
  FitReport own, labelled;
  double own_seconds = 0, labelled_seconds = 0;
};

FitReport fit_with(FitProblem problem, std::vector<Observation> observations) {
  problem.observations = std::move(observations);
  return fit(problem);
}

TwoFits fit_both(const UnlabelledFilm& film) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  TwoFits fits;
  const auto start = Clock::now();
  fits.found = find_identities(film.problem, {film.detections});
  REQUIRE(fits.found.recordings.size() == 1);
  fits.own = fit_with(film.problem, fits.found.observations);
  fits.own_seconds = seconds(start);
  const auto then = Clock::now();
  fits.labelled = fit_with(film.problem, {film.labelled});
  fits.labelled_seconds = seconds(then);
  return fits;
}

/// How far an estimate is from a value, in its standard errors.
double off(const FitReport& report, std::size_t parameter, double value) {
  const FittedParameter& p = report.estimates.parameters[parameter];
  return (p.estimate - value) / p.standard_error;
}

void check_agreement(const TwoFits& fits, double most) {
  for (std::size_t k = 0; k < 2; ++k) {
    CAPTURE(k);
    const FittedParameter& labelled = fits.labelled.estimates.parameters[k];
    CHECK(std::abs(off(fits.own, k, labelled.estimate)) < most);
    CHECK(fits.own.estimates.parameters[k].standard_error == Approx(labelled.standard_error).epsilon(0.2));
  }
}

}  // namespace

TEST_CASE("find identities: six balls in no order, a tenth missed and a tenth false", "[optim][identity]") {
  const UnlabelledFilm film = make_film({});
  const TwoFits fits = fit_both(film);
  const RecordingIdentities& found = fits.found.recordings.front();
  INFO(found.sentence());
  CHECK(share_right(film, found) > 0.99);
  CHECK(found.open.empty());
  CHECK(found.detection_rate == Approx(0.9).margin(3 * std::sqrt(0.09 / 360)));
  CHECK(found.false_per_frame == Approx(0.6).margin(3 * std::sqrt(0.6 / 60)));
  CHECK(found.smallest_probability > 0);
  check_agreement(fits, 1);
}

TEST_CASE("find identities: the order of the detections does not matter", "[optim][identity]") {
  UnlabelledFilm film = make_film({.balls = 4, .frames = 30});
  const FoundIdentities one = find_identities(film.problem, {film.detections});
  for (std::size_t f = 0; f < film.detections.frames.size(); ++f) {
    FrameDetections& frame = film.detections.frames[f];
    const Index last = frame.size() - 1;
    frame.places = Points(frame.places.rowwise().reverse());
    for (Index& j : film.detections.linked[f])
      if (j >= 0) j = last - j;
  }
  const FoundIdentities other = find_identities(film.problem, {film.detections});
  REQUIRE(one.recordings.size() == 1);
  for (std::size_t f = 0; f < film.detections.frames.size(); ++f) {
    const Points& a = one.observations[0].positions[f];
    const Points& b = other.observations[0].positions[f];
    CHECK((a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all());
  }
  CHECK(one.recordings[0].false_per_frame == Approx(other.recordings[0].false_per_frame).epsilon(1e-9));
}

TEST_CASE("find identities: names that are exchanged in a third of the frames", "[optim][identity]") {
  const UnlabelledFilm film =
      make_film({.balls = 4, .frames = 60, .missed = 0.1, .spurious = 0, .keeps_names = true, .exchanged = 0.33});
  const TwoFits fits = fit_both(film);
  const RecordingIdentities& found = fits.found.recordings.front();
  CHECK(share_right(film, found) > 0.99);
  CHECK(found.exchange_rate == Approx(0.33 * 2 / 4).margin(0.06));
  CHECK(!found.swaps.empty());
  check_agreement(fits, 1);
}

TEST_CASE("find identities: a known recording is left as it is", "[optim][identity]") {
  const UnlabelledFilm film = make_film({.balls = 2, .frames = 10});
  const FoundIdentities found = find_identities(film.problem, {Detections{}});
  CHECK(found.recordings.empty());
  CHECK(found.evaluations.forward == 0);
}

TEST_CASE("find identities: an exchange that only the first frame leaves open is tried, and excluded",
          "[optim][identity]") {
  UnlabelledFilm film = make_film({.balls = 3, .frames = 30, .missed = 0, .spurious = 0});
  film.detections.open = {{0, 1}};
  FoundIdentities found = find_identities(film.problem, {film.detections});
  REQUIRE(found.recordings.size() == 1);
  CHECK(found.recordings[0].open.empty());
  CHECK(share_right(film, found.recordings[0]) == 1);
  // It is undone if the tracks begin with it.
  for (std::vector<Index>& frame : film.detections.linked) std::swap(frame[0], frame[1]);
  found = find_identities(film.problem, {film.detections});
  REQUIRE(found.recordings.size() == 1);
  CHECK(share_right(film, found.recordings[0]) == 1);
}

TEST_CASE("find identities: twenty balls in many films, coverage of their intervals", "[optim][identity][slow]") {
  constexpr int films = 12;
  int covered = 0, all = 0, rightly_assigned = 0, compared = 0;
  double own = 0, labelled = 0;
  for (unsigned seed = 1; seed <= films; ++seed) {
    CAPTURE(seed);
    const UnlabelledFilm film = make_film({.balls = 20, .frames = 200, .seed = seed});
    const TwoFits fits = fit_both(film);
    const double truth[] = {test::film_stiffness, test::film_charge};
    rightly_assigned += share_right(film, fits.found.recordings.front()) >= 0.99;
    // A fit of the labelled points may itself end at another minimum: these motions are sensitive.
    if (std::abs(off(fits.labelled, 0, truth[0])) < 5 && std::abs(off(fits.labelled, 1, truth[1])) < 5) {
      ++compared;
      for (std::size_t k = 0; k < 2; ++k)
        CHECK(std::abs(off(fits.own, k, fits.labelled.estimates.parameters[k].estimate)) < 1.5);  // 22 differences
    }
    own += fits.own_seconds;
    labelled += fits.labelled_seconds;
    for (std::size_t k = 0; k < 2; ++k, ++all)
      covered += fits.own.estimates.parameters[k].interval.lower <= truth[k] &&
                 truth[k] <= fits.own.estimates.parameters[k].interval.upper;
  }
  CHECK(covered >= all - 4);             // of 24 with 95 %, five misses have a chance of 0.6 %
  CHECK(rightly_assigned >= films - 1);  // one may lose the end of a motion, and its intervals hold
  CHECK(compared >= films - 3);
  CHECK(own < 15 * labelled);
}
