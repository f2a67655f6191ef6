#include "app/report/motion_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "app/report/field_arrows.hpp"
#include "app/report/motion_frames.hpp"
#include "app/report/obstacle_shapes.hpp"
#include "app/report/packed.hpp"
#include "app/run_folder/kept_states.hpp"
#include "sim/constraint/distance_constraint.hpp"
#include "sim/force/point_charge.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json pack_vector(const sim::Vector& values) {
  const auto floats = values.cast<float>();
  return pack_float32({static_cast<std::size_t>(values.size())}, {floats.begin(), floats.end()});
}

ordered_json springs_of(const datasets::H5mdBody& body) {
  std::vector<std::uint32_t> pairs;
  for (const sim::Spring& spring : body.springs) {
    pairs.push_back(static_cast<std::uint32_t>(spring.i));
    pairs.push_back(static_cast<std::uint32_t>(spring.j));
  }
  return {{"pairs", pack_uint32({body.springs.size(), 2}, pairs)}, {"rest_length", pack_vector(body.rest_length)}};
}

/// Returns the body as stored in the file.
datasets::H5mdBody body_of(const Run& run, const ShownMotion& motion) {
  datasets::H5mdBody body = motion.stored.body();
  const datasets::H5mdBody expected = trajectory_body(motion.model, motion.stored.times().front());
  const Index springs = body.springs.size();
  if (body.mass.size() != expected.mass.size() || body.charge.size() != expected.charge.size() ||
      body.springs.size() != expected.springs.size() || body.stiffness.size() != springs ||
      body.rest_length.size() != springs || motion.stored.particles(0) != motion.model.particles())
    throw InvalidArgument({run.folder.string(), "trajectory",
                           fmt::format("must contain {} particles and {} springs, as run.yaml", expected.mass.size(),
                                       expected.springs.size()),
                           fmt::format("{} and {}", body.mass.size(), springs), "the file is damaged; run it again"});
  return body;
}

/// Adds the links of `distance` constraints to the drawn springs, except those that broke in the run, whose ends fly
/// apart; returns the number of broken ones.
Index add_links(const Run& run, const sim::Model& model, datasets::H5mdBody& body) {
  std::set<std::pair<Index, Index>> broken;  // constraint and link
  if (const auto* const simulation = std::get_if<SimulationResults>(&run.results))
    for (const auto& [step, link] : simulation->outcome.broken) broken.emplace(link.constraint, link.row.item);
  std::vector<double> lengths(body.rest_length.begin(), body.rest_length.end());
  for (std::size_t c = 0; c < model.constraints().size(); ++c) {
    const auto* links = dynamic_cast<const sim::DistanceConstraint*>(model.constraints()[c].get());
    if (!links) continue;
    const sim::Vector length = links->length(model);
    for (Index e = 0; e < length.size(); ++e) {
      if (broken.contains({static_cast<Index>(c), e})) continue;
      body.springs.push_back(links->links()[e]);
      lengths.push_back(length[e]);
    }
  }
  body.rest_length = Eigen::Map<const sim::Vector>(lengths.data(), lengths.size());
  return broken.size();
}

bool varies(const sim::Vector& values) { return values.size() > 0 && values.minCoeff() < values.maxCoeff(); }

/// Adds a particle coloring that changes with time: `numbers` has one for each frame and slot.
void add_changing_coloring(const std::string& name, const char* unit, const PackedShape& shape,
                           const std::vector<double>& numbers, ordered_json& document) {
  document["quantities"].push_back({{"name", name},
                                    {"label", name},
                                    {"unit", unit},
                                    {"of", "particles"},
                                    {"values", pack_uint8(shape, numbers, quantization_of(numbers, 1, 256), 1)}});
}

void add_colorings(const DrawnStates& states, const datasets::H5mdBody& body, const std::vector<std::size_t>& shown,
                   ordered_json& document) {
  document["quantities"] = ordered_json::array();
  if (std::ranges::find(body.changing, "charge") != body.changing.end()) {
    std::vector<double> numbers;
    states.visit(shown, [&](const DrawnStates::Drawn& drawn) {
      const sim::Vector& charges = drawn.own.values.at("charge");
      numbers.insert(numbers.end(), charges.begin(), charges.end());
    });
    const PackedShape shape{shown.size(), static_cast<std::size_t>(body.charge.size())};
    add_changing_coloring("charge", "C", shape, numbers, document);
  } else if ((body.charge.array() != 0).any()) {
    add_coloring(document, {"charge", "charge", "C", "particles", body.charge});
  }
  if (varies(body.mass)) add_coloring(document, {"mass", "mass", "kg", "particles", body.mass});
  if (varies(body.stiffness)) add_coloring(document, {"stiffness", "stiffness", "N/m", "springs", body.stiffness});
}

/// A quantity of particles that come and go, computed from a frame and the particle's index in it.
struct PassingQuantity {
  std::string name;
  const char* unit = "";
  std::function<double(const datasets::H5mdFrame&, Index)> value;
  std::vector<double> numbers = {};  // for each frame and slot; infinity in an empty slot
};

std::vector<PassingQuantity> passing_quantities(const datasets::H5mdBody& body) {
  std::vector<PassingQuantity> list;
  for (std::size_t a = 0; a < body.attributes->size(); ++a)
    list.push_back({(*body.attributes)[a], "",
                    [a](const datasets::H5mdFrame& frame, Index p) { return frame.roster->attributes(a, p); }});
  list.push_back({"age", "s", [](const datasets::H5mdFrame& frame, Index p) {
                    return frame.state.t - frame.roster->birth_time[p];
                  }});
  const auto like = [](const sim::Vector& values) {
    return [&values](const datasets::H5mdFrame& frame, Index p) { return values[frame.roster->like[p]]; };
  };
  if ((body.charge.array() != 0).any()) list.push_back({"charge", "C", like(body.charge)});
  if (varies(body.mass)) list.push_back({"mass", "kg", like(body.mass)});
  return list;
}

/// Adds which slots are occupied in each frame, and the quantities by which their particles can be colored.
void add_passing_particles(const DrawnStates& states, const datasets::H5mdBody& body,
                           const std::vector<std::size_t>& shown, ordered_json& document) {
  const PackedShape shape{shown.size(), states.width()};
  std::vector<PassingQuantity> quantities = passing_quantities(body);
  std::vector<double> present;
  states.visit(shown, [&](const DrawnStates::Drawn& drawn) {
    for (const Index p : drawn.occupant) {
      present.push_back(p < 0 ? 0 : 1);
      for (PassingQuantity& quantity : quantities)
        quantity.numbers.push_back(p < 0 ? std::numeric_limits<double>::infinity() : quantity.value(drawn.own, p));
    }
  });
  document["present"] = pack_uint8(shape, present, {{0}, 1}, 1);
  document["quantities"] = ordered_json::array();
  for (PassingQuantity& quantity : quantities) {
    // Empty slots get the smallest value, so that they do not widen the color range.
    const double least = *std::ranges::min_element(quantity.numbers);
    for (std::size_t k = 0; k < present.size(); ++k)
      if (present[k] == 0) quantity.numbers[k] = least;
    add_changing_coloring(quantity.name, quantity.unit, shape, quantity.numbers, document);
  }
}

ordered_json pinned(const sim::Model& model) {
  std::vector<Index> particles;
  for (const sim::Held& held : model.topology().held)
    if (!held.path || !held.path->moves()) particles.push_back(held.particle);
  std::ranges::sort(particles);
  return particles;
}

ordered_json vec3_json(const sim::Vec3& x) { return {x[0], x[1], x[2]}; }

ordered_json point_charges(const sim::Model& model, const std::vector<double>& times) {
  ordered_json list = ordered_json::array();
  for (const auto& term : model.given_terms()) {
    const auto* charge = dynamic_cast<const sim::PointCharge*>(term.get());
    if (!charge) continue;
    ordered_json positions = ordered_json::array();
    for (const double t : times) positions.push_back(vec3_json(charge->position(model.at(t), t)));
    if (std::ranges::all_of(positions, [&](const auto& position) { return position == positions[0]; }))
      positions.erase(positions.begin() + 1, positions.end());
    list.push_back({{"charge", charge->charge(model.at(times.front()))}, {"positions", positions}});
  }
  return list;
}

/// Returns the direction opposite to gravity, if there is any.
sim::Vec3 up(const sim::Model& model) {
  sim::Vec3 gravity = sim::Vec3::Zero();
  const sim::Values& values = model.values();
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k)
    if (values.block(k).name == "gravity") gravity += sim::Vec3(values[k]);
  return gravity.norm() > 0 ? sim::Vec3(-gravity.normalized()) : sim::Vec3::UnitZ();
}

}  // namespace

void add_coloring(ordered_json& motion, const Coloring& coloring) {
  sim::Vector values = coloring.values;
  if (coloring.of == "springs") {  // links come after the springs and have no values
    const Index drawn = motion.at("springs").at("rest_length").at("shape").at(0), known = values.size();
    values.conservativeResize(drawn);
    values.tail(drawn - known).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  motion["quantities"].push_back({{"name", coloring.name},
                                  {"label", coloring.label},
                                  {"unit", coloring.unit},
                                  {"of", coloring.of},
                                  {"values", pack_vector(values)}});
}

ordered_json motion_document(const Run& run, const ShownMotion& motion, const ReportOptions& options) {
  datasets::H5mdBody body = body_of(run, motion);
  const Index broken = add_links(run, motion.model.at(motion.stored.times().front()), body);
  const DrawnStates states(motion.stored);
  const std::vector<DrawableState> usable = drawable_states(states, run.summary.ended() == optim::RunStatus::Diverged);
  if (usable.empty())
    throw InvalidArgument({run.folder.string(), "trajectory", "must contain a state of finite numbers", "none",
                           "correct the experiment and run it again"});
  MotionFrames frames = pack_frames(states, usable, options.motion_size);
  std::vector<double> times;
  for (const std::size_t k : frames.shown) times.push_back(states.times()[k]);

  ordered_json document{
      {"title", motion.title},
      {"recording", motion.recording.empty() ? ordered_json(nullptr) : ordered_json(motion.recording)},
      {"times", times},
      {"thinning",
       {{"kept", states.size()}, {"shown", frames.shown.size()}, {"position_error", frames.position_error}}},
      {"positions", std::move(frames.positions)},
      {"speed", std::move(frames.speed)}};
  std::string note = motion.note.empty() ? "" : motion.note + " ";
  if (usable.size() < states.size())
    note += fmt::format("{} snapshots are omitted: their numbers are not finite, or the body has burst. ",
                        states.size() - usable.size());
  const std::vector<std::string>& changing = body.changing;
  if (std::ranges::any_of(changing, [](const std::string& name) { return name != "charge"; }))
    note += "Some values change with time (key_frames); colors of springs show those of the first state. ";
  if (broken > 0)
    note += fmt::format("{} that {} not drawn. ", broken == 1 ? "A link" : fmt::format("{} links", broken),
                        broken == 1 ? "breaks is" : "break are");
  if (!note.empty()) document["note"] = note.substr(0, note.size() - 1);
  if (!body.springs.empty()) document["springs"] = springs_of(body);
  if (body.attributes)
    add_passing_particles(states, motion.stored.body(), frames.shown, document);
  else
    add_colorings(states, body, frames.shown, document);
  document["pinned"] = pinned(motion.model);
  document["point_charges"] = point_charges(motion.model, times);
  ordered_json field = field_arrows(motion.model, motion.stored, frames.shown);
  if (!field.is_null()) document["field"] = std::move(field);
  ordered_json wind = wind_arrows(motion.model, motion.stored, frames.shown);
  if (!wind.is_null()) document["wind"] = std::move(wind);
  document["obstacles"] = obstacle_shapes(run.document.root);
  if (!body.attributes) {  // with attributes, the mesh's particles come and go
    ordered_json faces = faces_of(run.experiment.body);
    if (!faces.is_null()) document["faces"] = std::move(faces);
    document["groups"] = groups_of(run.experiment.body);
  }
  document["up"] = vec3_json(up(motion.model));
  return document;
}

}  // namespace pithball::app
