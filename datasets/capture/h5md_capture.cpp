#include "datasets/capture/h5md_capture.hpp"

#include <map>

#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

MarkerFile read_h5md_capture(const std::string& path) {
  const H5mdReader h5md(path);
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
