#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "app/base/new_file.hpp"
#include "app/base/version.hpp"
#include "app/commands/command.hpp"
#include "app/field/sampling.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

struct FieldOptions {
  std::string file, grid = "64,64,64", box, line;
  Index samples = 1001;
  double time = std::numeric_limits<double>::quiet_NaN();
  bool total = false;
};

/// Returns the smallest and the largest of the finite values; NaN if there are none.
std::array<double, 2> range_of(const Vector& values) {
  std::array<double, 2> range{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  for (const double value : values) {
    if (!(value >= range[0])) range[0] = std::isnan(value) ? range[0] : value;
    if (!(value <= range[1])) range[1] = std::isnan(value) ? range[1] : value;
  }
  return range;
}

/// The forces whose fields were summed: "screened_coulomb, image_plane".
std::string listed_forces(const FieldSamples& samples) {
  if (samples.forces.empty()) return "no force";
  return fmt::format("{}{}", fmt::join(samples.forces, ", "),
                     samples.assumed_coulomb ? " (assumed: the experiment has no force between charges)" : "");
}

int field(const FieldOptions& wanted, const CommonOptions& options) {
  // All options are checked before anything is computed.
  const bool is_line = !wanted.line.empty();
  require_field_format(options.out, is_line);
  require_new_file(options.out);
  const auto counts = read_grid_counts(wanted.grid);
  std::optional<Sampling> sampling;
  if (is_line) sampling = read_line(wanted.line, wanted.samples);
  if (!wanted.box.empty()) sampling = read_grid_box(wanted.box, counts);
  std::vector<Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(parse_override(text));
  const std::optional<double> time = std::isnan(wanted.time) ? std::nullopt : std::optional(wanted.time);
  const FieldSource source = read_field_source(wanted.file, overrides, time, wanted.total);
  const auto charged = (source.charges.charge.array() != 0).count();
  if (charged == 0 && !wanted.total)
    throw InvalidArgument({wanted.file, "system.charge", "must give at least one particle a non-zero charge", "",
                           "give charges, or --total for external fields alone"});
  if (!sampling) sampling = grid_around(source.charges.x, counts);
  use_threads(options);

  const FieldSamples samples = compute_field(source, sampling->points());
  const std::string title = fmt::format("pithball {}: {} of {} at t = {} s, by {}", version,
                                        wanted.total ? "total electric field" : "electric field of the charges",
                                        source.name, source.charges.t, listed_forces(samples));
  write_new_file(options.out, field_file(options.out, title, *sampling, samples));

  const auto potential = range_of(samples.potential);
  const double strongest = range_of(samples.field.colwise().norm().transpose())[1];
  ordered_json json{{"name", source.name},
                    {"time", source.charges.t},
                    {"charged_particles", charged},
                    {"points", sampling->size()},
                    {"kind", is_line ? "line" : "grid"},
                    {"counts", sampling->counts},
                    {"from", json_vector(sampling->first)},
                    {"to", json_vector(sampling->last)},
                    {"forces", samples.forces},
                    {"assumed_coulomb", samples.assumed_coulomb},
                    {"method", samples.method},
                    {"nan_points", samples.singular},
                    {"potential", samples.has_potential ? ordered_json(potential) : ordered_json(nullptr)},
                    {"strongest_field", strongest},
                    {"written", options.out}};
  std::string text = fmt::format("{}: {} charged particles at t = {:g} s, {} points, written to {}\n", source.name,
                                 charged, source.charges.t, sampling->size(), options.out);
  text += fmt::format("  forces           {}\n", listed_forces(samples));
  if (samples.has_potential)
    text += fmt::format("  potential        {:.6g} to {:.6g} V\n", potential[0], potential[1]);
  else
    text += "  potential        omitted: an electric field given by expressions has none\n";
  text += fmt::format("  strongest field  {:.6g} V/m\n", strongest);
  if (samples.singular > 0)
    text += fmt::format("  {} point{} on a charge, behind an image plane or outside a table: nan in the file\n",
                        samples.singular, samples.singular == 1 ? " lies" : "s lie");
  print_result(options, json, text);
  return Done;
}

}  // namespace

Action declare_field(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<FieldOptions>();
  parser.add_option("FILE", wanted->file, "An experiment file (its initial state) or a run folder (its snapshots)")
      ->required()
      ->type_name("FILE.yaml|DIR");
  parser.add_option("--out", options->out, "The new file: .vti (grid) or .vtp (line) for ParaView, or .csv")
      ->required()
      ->type_name("FILE");
  auto* line = parser.add_option("--line", wanted->line, "Points along the line between two points [m]")
                   ->type_name("X0,Y0,Z0,X1,Y1,Z1");
  parser.add_option("--samples", wanted->samples, "Points on the line, both ends included (default 1001)")
      ->type_name("N")
      ->needs(line)
      ->check(CLI::Range(2, 100000000));
  parser
      .add_option("--grid", wanted->grid,
                  "Points of a grid along x, y and z (default 64,64,64); 1 makes a plane through the middle of the box")
      ->type_name("NX,NY,NZ")
      ->excludes(line);
  parser
      .add_option("--box", wanted->box,
                  "Opposite corners of the grid, smallest first [m] (default: the bounding box of the particles, "
                  "enlarged by a quarter on every side)")
      ->type_name("X0,Y0,Z0,X1,Y1,Z1")
      ->excludes(line);
  parser
      .add_option("--time", wanted->time, "For a run folder: the snapshot nearest to this time [s] (default: the last)")
      ->type_name("T")
      ->check(number_within(0));
  parser.add_flag("--total", wanted->total,
                  "Add the fields of external sources: electric_field, point_charge, field_potential");
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(
      help_footer("  pithball field experiments/configs/torus-release.yaml --out torus.vti\n"
                  "  pithball field runs/torus --time 0.5 --grid 400,1,400 --out slice.vti\n"
                  "  pithball field torus.yaml --line 0,0,-10,0,0,10 --samples 201 --out axis.csv",
                  "Writes the electric field [V/m] and the potential [V] of the experiment's charges, as arrays "
                  "`field` and `potential`,\n"
                  "or as columns x, y, z, potential, ex, ey, ez: force and potential energy of a test charge, which "
                  "moves no other\n"
                  "charge, per coulomb. Each force gives its own field: `coulomb` or `screened_coulomb` that of the "
                  "charges, `image_plane`\n"
                  "that of their images. Without a force between charges the field is that of `coulomb` with method "
                  "`auto`. With\n"
                  "--total, external sources are added: `electric_field`, `point_charge` and `field_potential` of "
                  "weight `charge`. The\n"
                  "potential of a uniform electric_field is then 0 at the origin, and the potential is omitted if an "
                  "electric_field\n"
                  "is given by expressions. At a point on a charge, behind an image plane or outside the table of a "
                  "field, the value is\n"
                  "nan. Forces that do not act on a charge at rest (gravity, springs, magnetic fields) have no part."));
  return [=] { return field(*wanted, *options); };
}

}  // namespace pithball::app
