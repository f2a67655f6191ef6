#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/export/mesh_writer.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
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

/// A mesh file, or the body of an experiment file.
datasets::Mesh load(const std::string& file, const CommonOptions& options) {
  const std::string ending = fs::path(file).extension().string();
  if (ending == ".yaml" || ending == ".yml") return read_experiment_mesh(load_document(file, options));
  if (!options.set.empty()) throw InvalidArgument({"--set", "", "needs an experiment file", file, "omit it"});
  return datasets::read_mesh(file);
}

int describe(const std::string& file, const std::string& to, const CommonOptions& options) {
  const datasets::Mesh mesh = load(file, options);
  const Vec3 low = mesh.vertices.rowwise().minCoeff(), high = mesh.vertices.rowwise().maxCoeff();
  const Vector lengths = mesh.spring_lengths();
  ordered_json json{{"file", file},
                    {"vertices", mesh.vertices.cols()},
                    {"faces", mesh.faces.size()},
                    {"springs", mesh.springs.size()}};
  json["box"] = {json_vector(low), json_vector(high)};
  if (lengths.size() > 0)
    json["spring_length"] = {{"min", lengths.minCoeff()}, {"mean", lengths.mean()}, {"max", lengths.maxCoeff()}};
  json["vertex_groups"] = group_sizes(mesh.vertex_groups);
  json["spring_groups"] = group_sizes(mesh.spring_groups);
  std::string text = fmt::format(
      "{}: {} vertices, {} faces, {} springs\n  box            [{:g}, {:g}, {:g}] to [{:g}, {:g}, {:g}] m\n", file,
      mesh.vertices.cols(), mesh.faces.size(), mesh.springs.size(), low[0], low[1], low[2], high[0], high[1], high[2]);
  if (lengths.size() > 0)
    text += fmt::format("  spring length  {:g} to {:g} m, mean {:g} m\n", lengths.minCoeff(), lengths.maxCoeff(),
                        lengths.mean());
  text += fmt::format("  vertex groups  {}\n  spring groups  {}\n", group_text(mesh.vertex_groups),
                      group_text(mesh.spring_groups));
  if (!to.empty()) {
    write_new_file(to, mesh_text(mesh, fs::path(to).extension().string()));
    json["written"] = to;
    text += fmt::format("written to {}\n", to);
  }
  print_result(options, json, text);
  return Done;
}

}  // namespace

Action declare_mesh(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>(), to = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "A mesh (.obj, .off, .ply, .stl) or an experiment file with a body")->required();
  parser.add_option("--to", *to, "Write the mesh to this new file (.obj, .off, .ply)")->type_name("FILE");
  add_set(parser, *options);
  add_printing(parser, *options);
  parser.footer(
      help_footer("  pithball mesh duck.obj\n  pithball mesh experiments/configs/torus-release.yaml --to torus.ply",
                  "Prints the numbers of vertices, faces and springs, the extent and the named groups."));
  return [=] { return describe(*file, *to, *options); };
}

}  // namespace pithball::app
