#include "datasets/trajectory/h5md_groups.hpp"

#include <algorithm>

#include "datasets/text/nearest.hpp"
#include "datasets/trajectory/hdf5_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::size_t most_groups = 1000, most_named = 8, deepest = 4;

/// "/tracks [2][2][13][1100]", for every dataset in a group, as far as there is room.
void name_arrays(const Hdf5File& file, const std::string& group, std::size_t depth, std::vector<std::string>& names) {
  for (const Hdf5Member& member : file.members(group, 4 * most_named)) {
    if (names.size() > most_named) return;
    const std::string path = (group == "/" ? "" : group) + "/" + member.name;
    if (member.is_group && depth < deepest) name_arrays(file, path, depth + 1, names);
    if (!member.is_array) continue;
    std::string name = path + " ";
    for (const std::uint64_t length : member.size) name += "[" + std::to_string(length) + "]";
    names.push_back(member.size.empty() ? path : name);
  }
}

[[noreturn]] void reject_layout(const Hdf5File& file) {
  std::vector<std::string> arrays;
  name_arrays(file, "/", 1, arrays);
  if (arrays.size() > most_named) arrays.back() = "…";
  const auto has = [&](const char* object) {
    return std::ranges::any_of(file.members("/", most_groups), [&](const Hdf5Member& m) { return m.name == object; });
  };
  std::string program, remedy = "export the positions as a table (CSV) or as .npy [frames][markers][3]";
  if (has("track_names") || has("tracks_json")) {
    program = " of SLEAP";
    remedy = "write the tracks as CSV: `sleap-convert --format analysis.csv`";
  } else if (has("df_with_missing")) {
    program = " of DeepLabCut";
    remedy = "give the CSV that DeepLabCut writes beside it (`save_as_csv=True`)";
  }
  throw InvalidArgument({file.name(), "trajectory",
                         "must contain the positions of particles in the H5MD layout, /particles/NAME/position",
                         "HDF5" + program + " with " + (arrays.empty() ? "no data sets" : joined(arrays)), remedy});
}

}  // namespace

std::vector<std::string> list_particle_groups(const Hdf5File& file) {
  std::vector<std::string> groups;
  for (const Hdf5Member& member : file.members("/particles", most_groups))
    if (member.is_group && file.has("/particles/" + member.name + "/position/value")) groups.push_back(member.name);
  return groups;
}

std::string find_particle_group(const Hdf5File& file, const std::string& wanted) {
  const std::string usual = wanted.empty() ? "all" : wanted;
  if (file.has("/particles/" + usual + "/position/value")) return usual;
  const std::vector<std::string> groups = list_particle_groups(file);
  if (groups.empty()) reject_layout(file);
  if (!wanted.empty())
    throw InvalidArgument({file.name(), "particle_group", "must be a group of particles with positions",
                           "'" + wanted + "'", suggestion(wanted, groups)});
  if (groups.size() > 1) reject_several_groups(file.name(), groups);
  return groups.front();
}

void reject_several_groups(const std::string& file, const std::vector<std::string>& groups) {
  throw InvalidArgument({file, "particle_group", "must be given where a file has several groups of particles",
                         joined(groups), "write `particle_group: " + groups.front() + "`"});
}

}  // namespace pithball::datasets
