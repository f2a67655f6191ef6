#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "datasets/film/picture_filter.hpp"
#include "experiments/bench/film_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct FilmBenchWanted {
  std::vector<std::string> kinds;  // empty: all
  std::vector<double> brightness{3, 10, 30, 100};
  int frames = 30, timed_frames = 100;
};

ordered_json to_json(const FilmRow& row) {
  return {{"kind", row.kind},
          {"brightness", row.brightness},
          {"found", row.found},
          {"false_per_frame", row.false_per_frame},
          {"bias_x", row.bias_x},
          {"bias_y", row.bias_y},
          {"bias_error", row.bias_error},
          {"scatter", row.scatter}};
}

std::vector<Claim> claims_of(const std::vector<FilmRow>& rows, const FilmTimes& times) {
  std::vector<Claim> claims;
  for (const FilmRow& row : rows) {
    const std::string name = fmt::format("{}, {:g} times the noise: ", row.kind, row.brightness);
    claims.push_back(claim_at_most(name + "bias", std::max(std::abs(row.bias_x), std::abs(row.bias_y)), 0.02, "px",
                                   "of each coordinate"));
    claims.push_back(claim_within(name + "scatter over stated error", row.scatter, 1, 0.1, "", "errors are as stated"));
  }
  constexpr double ten_times_real_time = 1000.0 / 300;
  claims.push_back(claim_at_most("detection of a frame of 512 x 512 pixels", 1000 * times.detect, ten_times_real_time,
                                 "ms", "ten times real time at 30 Hz, on one core"));
  return claims;
}

int bench_film(const FilmBenchWanted& wanted, const CommonOptions& options) {
  datasets::require_picture_filter("bench film");
  const std::vector<std::string> kinds = wanted.kinds.empty() ? film_kinds() : wanted.kinds;
  std::vector<FilmRow> rows;
  FilmTimes times;
  {
    Progress bar("bench film", static_cast<double>(kinds.size() * wanted.brightness.size() + 1), !options.quiet);
    for (const std::string& kind : kinds)
      for (const double brightness : wanted.brightness) {
        bar.update(static_cast<double>(rows.size()));
        rows.push_back(measure_film(kind, brightness, wanted.frames));
      }
    times = time_film(wanted.timed_frames);
  }
  ordered_json json{{"bench", "film"},
                    {"frames", wanted.frames},
                    {"rows", ordered_json::array()},
                    {"detect_seconds_per_frame", times.detect},
                    {"track_seconds_per_frame", number_or_null(times.track)}};
  std::string text = fmt::format("  {:<12} {:>10} {:>7} {:>11} {:>9} {:>9} {:>8} {:>8}\n", "kind", "brightness",
                                 "found", "false/frame", "bias x", "bias y", "its s.e.", "scatter");
  for (const FilmRow& row : rows) {
    json["rows"].push_back(to_json(row));
    text += fmt::format("  {:<12} {:>10g} {:>7.4f} {:>11.3f} {:>9.5f} {:>9.5f} {:>8.5f} {:>8.3f}\n", row.kind,
                        row.brightness, row.found, row.false_per_frame, row.bias_x, row.bias_y, row.bias_error,
                        row.scatter);
  }
  text += fmt::format("\n  512 x 512 pixels, 20 balls: {:.2f} ms of detection a frame{}\n", 1000 * times.detect,
                      std::isnan(times.track)
                          ? std::string(" (without ffmpeg, no film)")
                          : fmt::format(", {:.2f} ms with the decoder of a film in H.264", 1000 * times.track));
  return print_with_claims(options, json, text, claims_of(rows, times));
}

}  // namespace

Action declare_film_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<FilmBenchWanted>();
  parser.add_option("--kinds", wanted->kinds, "What is drawn (default all)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::IsMember(film_kinds()));
  parser
      .add_option("--brightness", wanted->brightness, "Height of balls over the noise of a pixel (default 3,10,30,100)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(number_within(1, 10000.0));
  parser.add_option("--frames", wanted->frames, "Frames of each film, with a hundred balls each (default 30)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  parser.add_option("--timed-frames", wanted->timed_frames, "Frames of the film that is timed (default 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench film\n  pithball-lab bench film --kinds ring --brightness 3,10 --frames 100 --json",
      "Draws films of balls at known places, finds them as `pithball track` does, and compares. The scatter is the "
      "root\n"
      "of the mean squared error in units of the stated covariance: 1 where errors are as stated. docs/film.md has "
      "more."));
  return [=] { return bench_film(*wanted, *options); };
}

}  // namespace pithball::experiments
