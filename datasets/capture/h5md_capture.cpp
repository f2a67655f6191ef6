#include "datasets/capture/h5md_capture.hpp"

#include <map>

#include "datasets/text/foreign_file.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "datasets/trajectory/hdf5_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// Excludes MATLAB's files, which are HDF5 after a text header.
bool begins_as_hdf5(const std::string& path) { return read_beginning(path, 4) == "\x89HDF"; }

}  // namespace

MarkerFile read_h5md_capture(const CaptureSpec& spec) {
  const std::string& path = spec.file;
  if (!begins_as_hdf5(path)) reject_foreign_file(path, FileUse::Recording);
  if (spec.particle_group.empty())
    if (const auto groups = list_particle_groups(Hdf5File(path)); groups.size() > 1)
      reject_several_groups(path, groups);
  const H5mdReader h5md(path, spec.particle_group);
  if (h5md.body().attributes)
    throw InvalidArgument({path, "particles", "must be the same in all frames, to be used as markers",
                           "particles that come and go", "give a run without `population:`"});
  MarkerFile file;
  file.path = path;
  file.unit_name = h5md.length_unit();
  file.unit = h5md.length_unit().empty() ? 1.0 : find_length_unit(h5md.length_unit());
  static const std::map<std::string, double> seconds{{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                                     {"ns", 1e-9}, {"ps", 1e-12}, {"fs", 1e-15}};
  const auto unit = seconds.find(h5md.time_unit());
  if (unit == seconds.end())
    throw InvalidArgument({path, "unit of time", "must be s, ms, us, ns, ps or fs", "'" + h5md.time_unit() + "'",
                           "convert the trajectory's times to seconds"});
  H5mdPages states(h5md);
  for (std::size_t k = 0; k < states.size(); ++k) {
    file.time.push_back(unit->second * states[k].state.t);
    file.positions.push_back(states[k].state.x);
  }
  if (!file.positions.empty())
    for (Index m = 0; m < file.positions.front().cols(); ++m) file.markers.push_back(std::to_string(m));
  return file;
}

}  // namespace pithball::datasets
