#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/capture/capture.hpp"

namespace pithball::experiments {

/// A fault of a recording whose size is drawn anew for every recording, and the words by which a fit names it.
struct RecordingFault {
  std::string name;  ///< "offset of 2 mm"
  void (*spoil)(datasets::Capture&, std::uint64_t seed);
  std::vector<std::string> said;  ///< one of them is in the verdict or in a note
};

/// A common offset of 2 mm (standard deviation in each coordinate), a drift of 6 mm over the recording, the mean over
/// five frames, every frame twice, stretches that are held, and a clock that is 2 ms late.
const std::vector<RecordingFault>& recording_faults();

}  // namespace pithball::experiments
