#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "app/export/each_state.hpp"
#include "app/export/export_format.hpp"

namespace pithball::app {

ExportResult export_lammpstrj(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder,
                              Progress& progress) {
  const std::string file = motion.name + ".lammpstrj";
  folder.write(file, [&](std::ostream& out) {
    out << "ITEM: UNITS\nsi\n";
    each_state(motion, progress, [&](std::size_t k, const datasets::H5mdFrame& frame, const sim::Model& model) {
      const sim::State& s = frame.state;
      std::string text = fmt::format("ITEM: TIME\n{}\nITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n", s.t,
                                     motion.step[k], s.x.cols());
      text += "ITEM: BOX BOUNDS ss ss ss\n";  // the box is as large as the body
      for (int a = 0; a < 3; ++a) {
        const bool any = s.x.cols() > 0;
        fmt::format_to(std::back_inserter(text), "{} {}\n", any ? s.x.row(a).minCoeff() : 0.0,
                       any ? s.x.row(a).maxCoeff() : 0.0);
      }
      text += "ITEM: ATOMS id type x y z vx vy vz mass q\n";
      for (Index i = 0; i < s.x.cols(); ++i)
        fmt::format_to(std::back_inserter(text), "{} 1 {} {} {} {} {} {} {} {}\n", frame.id(i) + 1, s.x(0, i),
                       s.x(1, i), s.x(2, i), s.v(0, i), s.v(1, i), s.v(2, i), model.mass()[i], model.charge()[i]);
      out << text;
    });
  });
  return {file, {}};
}

}  // namespace pithball::app
