#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/commands/mesh_description.hpp"
#include "app/export/mesh_writer.hpp"
#include "datasets/mesh/mesh_pieces.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

/// What `mesh` does with a file.
struct MeshOptions {
  std::string file, to;
  bool weld = false;
};

/// A mesh file, or the body of an experiment file, with the notes on it.
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
