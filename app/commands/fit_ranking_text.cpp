#include "app/commands/fit_ranking_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pithball::app {
namespace {

std::string shown(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string shown(const optim::PositionErrors& errors) {
  return std::isfinite(errors.model) && errors.kind ? errors.kind->shown(errors.model) : "-";
}

}  // namespace

std::string fit_ranking_text(const FitRanking& ranking) {
  std::size_t width = 12;
  for (const RankedFit& row : ranking.fits) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>14} {:>14}  {}\n", "fit", width, "parameters",
                                 "χ²/ν", "ΔAICc", "ΔBIC", "valid. frames", "valid. markers", "status");
  double least = NAN;
  for (const RankedFit& row : ranking.fits) least = std::fmin(least, row.bic);
  for (const RankedFit& row : ranking.fits)
    text += fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>14} {:>14}  {}\n", row.name, width, row.parameters,
                        shown(row.reduced, "{:.4g}"), shown(row.aicc - ranking.fits.front().aicc, "{:.4g}"),
                        shown(row.bic - least, "{:.4g}"), shown(row.validation_frames), shown(row.validation_markers),
                        row.status);
  text += fmt::format("  {} coordinates, as many as {:.0f} independent ones; sigma {}\n", ranking.coordinates,
                      ranking.effective, ranking.known_sigma ? "known" : "up to a factor");
  for (const RankedFit& row : ranking.fits)
    if (std::isnan(row.aicc))
      text += fmt::format(
          "  {}: no AICc, for {} values are too many for {:.0f} independent coordinates; compare by validation "
          "frames\n",
          row.name, row.parameters, ranking.effective);
  return text;
}

}  // namespace pithball::app
