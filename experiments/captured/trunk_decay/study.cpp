#include "experiments/captured/trunk_decay/study.hpp"

#include <nlohmann/json.hpp>

#include "experiments/captured/signal.hpp"
#include "experiments/captured/trunk_decay/truss_fit.hpp"
#include "experiments/claim/statistics.hpp"
#include "optim/fit.hpp"

namespace pithball::experiments::trunk_decay {
namespace {

using nlohmann::json;

/// Which releases are fitted; all other usable ones test the fit.
struct Choice {
  std::string name;
  Releases fitted, unused;
};
/// Returns the physical values of a fit: EA [N], η [N s], own mass [kg].
sim::Vector physical(const optim::FitReport& report) {
  return sim::Vector{{report.estimates.parameters[0].estimate * Truss::rigidity,
                      report.estimates.parameters[1].estimate * Truss::viscosity,
                      report.estimates.parameters[2].estimate * Truss::own_mass}};
}

json parameters_json(const optim::FitReport& report) {
  const sim::Vector p = physical(report);
  const char* names[] = {"axial_rigidity", "axial_viscosity", "own_mass"};
  const char* units[] = {"N", "N s", "kg"};
  json list = json::array();
  for (Index k = 0; k < 3; ++k) {
    const auto& fitted = report.estimates.parameters[k];
    list.push_back({{"name", names[k]},
                    {"unit", units[k]},
                    {"estimate", p[k]},
                    {"relative_standard_error", fitted.standard_error / fitted.estimate}});
  }
  return list;
}

/// The comparison of one release with its simulation with fitted values.
struct Judged {
  Index load;
  double frequency_data, frequency_model;
  std::array<double, 3> body;  // RMS error [m]
  double sinusoid_model;       // frequency of the damped sinusoid fitted to the model's tip [Hz]: under heavy damping
                               // the spectrum has no line
  double rest, sinusoid;       // RMS error at the tip [m]: of a body at rest, and of a sinusoid from the same start
};

/// Compares a release with its simulation. `s`: the release with fitted values, from the frame `from` on.
Judged judge(const Truss& truss, const Release& r, Index from, const diff::Scenario& s,
             const DampedSinusoid& baseline) {
  const Index frames = frames_from(r, from);
  const optim::Observation o = truss.observation(r, from, frames, s, 0);
  const auto every = std::lround(1 / (frame_rate * s.time_step));
  std::array<Points, 3> model, data;
  for (auto* paths : {&model, &data})
    for (Points& path : *paths) path.resize(3, frames);
  Points start;
  diff::run_forward(s, [&](Index n, const sim::State& state) {
    if (n == 0) start = state.x;
    if (n % every != 0) return;
    for (std::size_t b = 0; b < 3; ++b) {
      Vec3 d = o.reference.observed.col(b);
      for (const auto& [vertex, weight] : o.markers[b].vertices)
        d += weight * (state.x.col(vertex) - start.col(vertex));
      model[b].col(n / every) = d;
      data[b].col(n / every) = o.positions[n / every].col(b);
    }
  });
  const StartState begin = start_state(r, from);
  Judged j{r.load,
           spectral_peak(data[2], frame_rate),
           spectral_peak(model[2], frame_rate),
           {},
           fit_damped_sinusoid(model[2], frame_rate).frequency,
           rms(data[2]),
           0};
  for (std::size_t b = 0; b < 3; ++b) j.body[b] = rms(model[b] - data[b]);
  j.sinusoid = rms(
      damped_sinusoid_path(baseline, begin.displacement.col(2), begin.velocity.col(2), frame_rate, frames) - data[2]);
  return j;
}

/// Returns median frequency and decay of the sinusoids fitted to the releases: a forecast without a model.
DampedSinusoid typical(const Releases& releases, Index load) {
  std::vector<double> f, a;
  for (const Release* r : releases)
    if (r->load == load) {
      f.push_back(r->frequency);
      a.push_back(r->decay);
    }
  return {median(f), median(a)};
}

/// Returns the errors of a set of releases by load.
json judge_all(const Truss& truss, const Releases& releases, const Releases& fitted, FirstFrame first, double time_step,
               const optim::FitReport& report) {
  const optim::FitProblem problem = make_problem(truss, releases, first, time_step, small_swing_growth);
  const optim::ParameterMap map = optim::make_parameter_map(problem);
  json rows = json::array();
  for (const Index load : {200, 400}) {
    const DampedSinusoid baseline = typical(fitted, load);
    std::vector<double> fd, fm, fs, rest, tip, sine, ratio, sine_ratio;
    std::array<std::vector<double>, 3> body;
    for (std::size_t k = 0; k < releases.size(); ++k) {
      if (releases[k]->load != load) continue;
      const Judged j = judge(truss, *releases[k], first(*releases[k]), map.scatter(report.theta, k), baseline);
      fd.push_back(j.frequency_data);
      fm.push_back(j.frequency_model);
      fs.push_back(j.sinusoid_model);
      rest.push_back(j.rest);
      tip.push_back(j.body[2]);
      sine.push_back(j.sinusoid);
      ratio.push_back(j.body[2] / j.rest);
      sine_ratio.push_back(j.sinusoid / j.rest);
      for (std::size_t b = 0; b < 3; ++b) body[b].push_back(1e3 * j.body[b]);
    }
    if (fd.empty()) continue;
    rows.push_back(
        {{"load_g", load},
         {"releases", fd.size()},
         {"frequency_data_hz", median(fd)},
         {"frequency_model_hz", median(fm)},
         {"sinusoid_model_hz", median(fs)},
         {"frequency_error", median(fm) / median(fd) - 1},
         {"rms_mm", {median(body[0]), median(body[1]), median(body[2])}},
         {"tip_over_rest", {{"median", median(ratio)}, {"pooled", root_mean_square(tip) / root_mean_square(rest)}}},
         {"sinusoid_over_rest",
          {{"median", median(sine_ratio)}, {"pooled", root_mean_square(sine) / root_mean_square(rest)}}}});
  }
  return rows;
}

json fit_choice(const Truss& truss, const Choice& choice, double time_step, optim::FitReport& report) {
  report = optim::fit(make_problem(truss, choice.fitted, small_swing_start, time_step, small_swing_growth));
  json j{{"choice", choice.name},
         {"status", optim::to_string(report.search.status)},
         {"parameters", parameters_json(report)},
         {"condition_of_scaled_jacobian", report.estimates.condition}};
  j["fitted"] = judge_all(truss, choice.fitted, choice.fitted, small_swing_start, time_step, report);
  j["unused"] = judge_all(truss, choice.unused, choice.fitted, small_swing_start, time_step, report);
  return j;
}

/// Fits one truss to small and large swings together, to see whether it can reproduce both.
json fit_both(const Truss& truss, const Releases& releases) {
  const optim::FitReport report = optim::fit(make_problem_of_both(truss, releases, coarse_step));
  json j{{"status", optim::to_string(report.search.status)},
         {"parameters", parameters_json(report)},
         {"small", judge_all(truss, releases, releases, small_swing_start, coarse_step, report)},
         {"large", judge_all(truss, releases, releases, first_opposite_peak, coarse_step, report)}};
  if (truss.rubbing > 0) j["dry_friction_n"] = report.estimates.parameters[3].estimate * truss.rubbing;
  return j;
}

std::vector<Choice> choices_of(const std::vector<Release>& all) {
  std::vector<Choice> choices;
  const auto add = [&](const std::string& name, auto chosen) {
    Choice c{name, {}, {}};
    for (const Index load : {200, 400}) {
      Releases usable;
      for (const Release& r : all)
        if (r.load == load && r.left_out.empty()) usable.push_back(&r);
      for (std::size_t k = 0; k < usable.size(); ++k)
        (chosen(k, usable.size()) ? c.fitted : c.unused).push_back(usable[k]);
    }
    choices.push_back(std::move(c));
  };
  add("every other, from the first", [](std::size_t k, std::size_t) { return k % 2 == 0; });
  add("every other, from the second", [](std::size_t k, std::size_t) { return k % 2 == 1; });
  add("first five", [](std::size_t k, std::size_t) { return k < 5; });
  add("last five", [](std::size_t k, std::size_t n) { return k + 5 >= n; });
  add("first seven", [](std::size_t k, std::size_t) { return k < 7; });
  return choices;
}

}  // namespace

json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&)) {
  json study;
  std::vector<Release> releases;
  for (const Index load : {200, 400}) {
    progress("reading the releases at " + std::to_string(load) + " g");
    for (Release& r : read_releases(folder, load)) releases.push_back(std::move(r));
  }
  study["left_out"] = json::array();
  for (const Release& r : releases)
    if (!r.left_out.empty()) study["left_out"].push_back({{"release", r.label()}, {"reason", r.left_out}});

  const Truss truss;
  const std::vector<Choice> choices = choices_of(releases);
  study["fits"] = json::array();
  optim::FitReport main_report;
  std::array<std::vector<double>, 3> estimates;
  for (const Choice& choice : choices) {
    progress("fitting " + choice.name + " (" + std::to_string(choice.fitted.size()) + " releases)");
    optim::FitReport report;
    study["fits"].push_back(fit_choice(truss, choice, coarse_step, report));
    if (&choice == &choices.front()) main_report = report;
    for (Index k = 0; k < 3; ++k) estimates[k].push_back(physical(report)[k]);
    if (quick) break;
  }
  if (!quick)
    study["relative_spread"] = {relative_spread(estimates[0]), relative_spread(estimates[1]),
                                relative_spread(estimates[2])};

  constexpr Index unseen_load = 300;  // [g]
  constexpr int repetitions = 40;
  progress("predicting small swings at 300 g");
  const auto small_swings = [&](const Releases& chosen) {
    return make_problem(truss, chosen, small_swing_start, coarse_step, small_swing_growth);
  };
  study["prediction"] =
      predict_load(small_swings, choices[0].fitted, main_report.theta, unseen_load, quick ? 0 : repetitions);

  progress("fitting again at half the step");
  const optim::FitReport half =
      optim::fit(make_problem(truss, choices[0].fitted, small_swing_start, coarse_step / 2, small_swing_growth));
  const sim::Vector change = physical(half).cwiseQuotient(physical(main_report)).array() - 1;
  study["change_at_half_step"] = {change[0], change[1], change[2]};

  if (!quick) {
    progress("fitting from the first opposite peak");
    const optim::FitReport large =
        optim::fit(make_problem(truss, choices[0].fitted, first_opposite_peak, coarse_step, 0));
    std::array<std::vector<double>, 2> own, amplitude;
    for (const Release* r : choices[0].fitted) {
      const Index from = first_opposite_peak(*r);
      const std::size_t which = r->load == 200 ? 0 : 1;
      own[which].push_back(fit_damped_sinusoid(r->tip(from, window_frames), frame_rate).frequency);
      amplitude[which].push_back(1e3 * r->tip(from, 1).norm());
    }
    study["opposite_peak"] = {
        {"status", optim::to_string(large.search.status)},
        {"parameters", parameters_json(large)},
        {"condition_of_scaled_jacobian", large.estimates.condition},
        {"fitted", judge_all(truss, choices[0].fitted, choices[0].fitted, first_opposite_peak, coarse_step, large)},
        {"sinusoid_hz", {median(own[0]), median(own[1])}},
        {"amplitude_mm", {median(amplitude[0]), median(amplitude[1])}}};
    progress("fitting small and large swings together, without and with dry friction");
    study["both"]["without"] = fit_both(truss, choices[0].fitted);
    Truss rubbing;
    rubbing.rubbing = 0.01;
    study["both"]["with_dry_friction"] = fit_both(rubbing, choices[0].fitted);
  }
  return study;
}

}  // namespace pithball::experiments::trunk_decay
