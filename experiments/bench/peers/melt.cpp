#include <fmt/format.h>

#include <cmath>

#include "app/backend/lammps.hpp"
#include "experiments/bench/peers/comparison.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

std::vector<PeerRow> compare_melt(const PeerSizes& sizes) {
  const Melt& melt = sizes.melt;
  PeerRow row{.work = fmt::format("{} steps of a melt of {} particles", melt.steps, melt.particles()),
              .peer = "LAMMPS"};
  double difference = NAN;
  try {
    row.version = app::lammps_backend().start()->version().substr(row.peer.size() + 1);  // without the name
    std::vector<double> own, theirs;
    for (const MeltTurn& turn : measure_melt(melt, app::find_lammps(), sizes.repeats, [](double) {})) {
      own.push_back(static_cast<double>(melt.steps) * turn[0].seconds_per_step);
      theirs.push_back(static_cast<double>(melt.steps) * turn[1].seconds_per_step);
      difference = melt_difference(turn[0], turn[1]);
    }
    row.times = paired_times(own, theirs);
  } catch (const InvalidArgument& absent) {
    row.skipped = absent.what();
  }
  row.same = {claim_same_melt(melt, difference)};
  row.same[0].skipped = row.skipped;
  return {row};
}

}  // namespace pithball::experiments
