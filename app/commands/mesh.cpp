#include "app/commands/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>

#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/export/mesh_writer.hpp"
#include "datasets/mesh/mesh_edit.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json group_sizes(const std::map<std::string, std::vector<Index>>& groups) {
  ordered_json sizes = ordered_json::object();
  for (const auto& [name, members] : groups) sizes[name] = members.size();
  return sizes;
}

std::string group_text(const std::map<std::string, std::vector<Index>>& groups) {
  std::string text;
  for (const auto& [name, members] : groups)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, members.size());
  return text.empty() ? "none" : text;
}

/// "2, and 1 single vertex"
std::string pieces_text(const datasets::MeshPieces& found) {
  if (found.single_vertices == 0) return fmt::format("{}", found.pieces);
  return fmt::format("{}, and {} single {}", found.pieces, found.single_vertices,
                     found.single_vertices == 1 ? "vertex" : "vertices");
}

/// "2 pairs of vertices, 1 of them in different pieces"
std::string coinciding_text(const datasets::MeshPieces& found) {
  if (found.coinciding == 0) return "no vertices";
  std::string text = fmt::format("{} {} of vertices", found.coinciding, found.coinciding == 1 ? "pair" : "pairs");
  if (found.torn > 0) text += fmt::format(", {} of them in different pieces", found.torn);
  return text;
}

std::string edges_text(const datasets::MeshPieces& found) {
  if (found.edges == 0) return "";
  const auto& [shortest, median, longest] = found.edge_lengths;
  return fmt::format("  edge length    shortest {:g} m, median {:g} m, longest {:g} m{}\n", shortest, median, longest,
                     found.zero_edges == 0 ? "" : fmt::format("; {} of zero length", found.zero_edges));
}

ordered_json pieces_json(const datasets::MeshPieces& found) {
  ordered_json json{{"pieces", found.pieces},
                    {"single_vertices", found.single_vertices},
                    {"coinciding_pairs", found.coinciding},
                    {"coinciding_pairs_of_different_pieces", found.torn},
                    {"edges", found.edges},
                    {"zero_edges", found.zero_edges}};
  if (found.edges > 0)
    json["edge_length"] = {{"shortest", found.edge_lengths.shortest},
                           {"median", found.edge_lengths.median},
                           {"longest", found.edge_lengths.longest}};
  return json;
}

}  // namespace

MeshDescription describe_mesh(const std::string& name, const datasets::Mesh& mesh,
                              const std::vector<std::string>& notes) {
  const Vec3 low = mesh.vertices.rowwise().minCoeff(), high = mesh.vertices.rowwise().maxCoeff();
  const Vector lengths = mesh.spring_lengths();
  const datasets::MeshPieces found = datasets::find_pieces(mesh);
  ordered_json json{{"file", name},
                    {"vertices", mesh.vertices.cols()},
                    {"faces", mesh.faces.size()},
                    {"springs", mesh.springs.size()}};
  json["box"] = {json_vector(low), json_vector(high)};
  json.update(pieces_json(found));
  if (lengths.size() > 0)
    json["spring_length"] = {{"min", lengths.minCoeff()}, {"mean", lengths.mean()}, {"max", lengths.maxCoeff()}};
  json["vertex_groups"] = group_sizes(mesh.vertex_groups);
  json["spring_groups"] = group_sizes(mesh.spring_groups);
  json["notes"] = notes;
  std::string text = fmt::format(
      "{}: {} vertices, {} faces, {} springs\n  box            [{:g}, {:g}, {:g}] to [{:g}, {:g}, {:g}] m\n", name,
      mesh.vertices.cols(), mesh.faces.size(), mesh.springs.size(), low[0], low[1], low[2], high[0], high[1], high[2]);
  text += fmt::format("  pieces         {}\n  at one place   {}\n{}", pieces_text(found), coinciding_text(found),
                      edges_text(found));
  if (lengths.size() > 0)
    text += fmt::format("  spring length  {:g} to {:g} m, mean {:g} m\n", lengths.minCoeff(), lengths.maxCoeff(),
                        lengths.mean());
  text += fmt::format("  vertex groups  {}\n  spring groups  {}\n", group_text(mesh.vertex_groups),
                      group_text(mesh.spring_groups));
  for (const std::string& note : notes) text += "  note: " + note + "\n";
  return {std::move(text), std::move(json)};
}

bool is_mesh_file(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(datasets::mesh_file_endings(), ending) != datasets::mesh_file_endings().end();
}

MeshDescription describe_mesh_file(const std::string& file) {
  const datasets::Mesh mesh = datasets::read_mesh(file);
  const std::string advice = datasets::weld_advice(datasets::find_pieces(mesh));
  return describe_mesh(file, mesh, advice.empty() ? std::vector<std::string>() : std::vector{advice});
}

namespace {

namespace fs = std::filesystem;

/// The options of `mesh`.
struct MeshOptions {
  std::string file, to;
  bool weld = false;
};

/// Loads a mesh file, or the body of an experiment file, with the notes on it.
ExperimentMesh load(const MeshOptions& wanted, const CommonOptions& options) {
  const std::string ending = fs::path(wanted.file).extension().string();
  ExperimentMesh read;
  if (ending == ".yaml" || ending == ".yml") {
    read = read_experiment_mesh(load_document(wanted.file, options));
  } else {
    if (!options.set.empty()) throw InvalidArgument({"--set", "", "needs an experiment file", wanted.file, "omit it"});
    read.mesh = datasets::read_mesh(wanted.file);
    if (const std::string advice = datasets::weld_advice(datasets::find_pieces(read.mesh)); !advice.empty())
      read.notes = {advice + " (here: --weld)"};
  }
  if (wanted.weld) read = {datasets::welded(read.mesh), {}};
  return read;
}

int describe(const MeshOptions& wanted, const CommonOptions& options) {
  const auto [mesh, notes] = load(wanted, options);
  MeshDescription description = describe_mesh(wanted.file, mesh, notes);
  if (!wanted.to.empty()) {
    const std::string ending = fs::path(wanted.to).extension().string();
    const std::string text = mesh_text(mesh, ending);
    require_read_back(mesh, ending);
    write_new_file(wanted.to, text);
    description.json["written"] = wanted.to;
    description.text += fmt::format("written to {}\n", wanted.to);
  }
  print_result(options, description.json, description.text);
  return Done;
}

}  // namespace

Action declare_mesh(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<MeshOptions>();
  parser.add_option("FILE", wanted->file, "A mesh (.obj, .off, .ply, .stl) or an experiment file with a body")
      ->required();
  parser.add_option("--to", wanted->to, "Write the mesh with its springs to this new file (.obj, .off, .ply)")
      ->type_name("FILE");
  parser.add_flag("--weld", wanted->weld, "Join vertices at one place, as `weld: true` does in an experiment file");
  add_set(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball mesh duck.obj\n  pithball mesh experiments/configs/torus-release.yaml --to torus.ply",
      "Prints the numbers of vertices, faces and springs, the extent, the pieces, vertices at one place, the\n"
      "lengths of edges and springs, and the named groups."));
  return [=] { return describe(*wanted, *options); };
}

}  // namespace pithball::app
