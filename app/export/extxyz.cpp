#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "app/export/each_state.hpp"
#include "app/export/export_format.hpp"

namespace pithball::app {

ExportResult export_extxyz(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  const std::string file = motion.name + ".extxyz";
  folder.write(file, [&](std::ostream& out) {
    each_state(motion, progress, [&](std::size_t k, const datasets::H5mdFrame& frame, const sim::Model& model) {
      const sim::State& s = frame.state;
      // X is the symbol of an unknown element; molecular viewers require one.
      std::string text = fmt::format(
          "{}\nProperties=species:S:1:pos:R:3:velo:R:3:mass:R:1:charge:R:1:id:I:1 pbc=\"F F F\" Time={} Step={}\n",
          s.x.cols(), s.t, motion.step[k]);
      for (Index i = 0; i < s.x.cols(); ++i)
        fmt::format_to(std::back_inserter(text), "X {} {} {} {} {} {} {} {} {}\n", s.x(0, i), s.x(1, i), s.x(2, i),
                       s.v(0, i), s.v(1, i), s.v(2, i), model.mass()[i], model.charge()[i], frame.id(i));
      out << text;
    });
  });
  return {file, {"numbers are in SI units: programs for molecules call the meters ångström"}};
}

}  // namespace pithball::app
