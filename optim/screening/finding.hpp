#pragma once
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;

/// What screening finds in the samples of a recording, before any fit.
enum class FindingKind {
  // Faults: until the file answers one, a fit is at best doubtful.
  Placeholder,  ///< one value that repeats exactly, where a tracker lost its marker: 0, −1, −999, the last position
  Repeats,      ///< frames that repeat the frame before
  Swap,         ///< markers whose names are exchanged from a frame on
  Outlier,      ///< samples far from what their neighbors in time predict
  Fill,         ///< stretches filled by interpolation
  FullTurn,     ///< angles that jump by nearly a full turn
  OutsideImage,  ///< pixels beyond the image
  Order,         ///< markers that fit the simulated start in another order
  Axes,          ///< axes that fit it mirrored or exchanged
  Unit,          ///< readings that fit it in another unit
  // Remarks: they change no status.
  Correlated,    ///< noise that is smoothed or correlated
  Resting,       ///< a marker that never moves, beside others that do
  ChargedPinned  ///< a pinned particle with charge
};

/// All of them, in this order.
inline constexpr FindingKind finding_kinds[] = {
    FindingKind::Placeholder,  FindingKind::Repeats,  FindingKind::Swap,         FindingKind::Outlier,
    FindingKind::Fill,         FindingKind::FullTurn, FindingKind::OutsideImage, FindingKind::Order,
    FindingKind::Axes,         FindingKind::Unit,     FindingKind::Correlated,   FindingKind::Resting,
    FindingKind::ChargedPinned};

/// One finding, about one marker or the whole recording.
struct Finding {
  FindingKind kind = FindingKind::Placeholder;  ///< what it is
  std::string marker;                           ///< its name; empty: the whole recording
  std::vector<Index> frames;  ///< numbers of the frames concerned (`Observation::frame_numbers`); empty: all
  double number = 0;          ///< the size that shows it, whose meaning and unit are in the sentence
  std::string sentence;       ///< "frames 20 to 22 and 50 of marker 'A' are exactly (0, 0)"
  std::string key;            ///< what answers it in the experiment file, "missing: [0]"; empty: nothing is needed
};

/// The name of a kind in files and output: "placeholder", "outside_image".
const char* to_string(FindingKind kind);

/// Whether a finding of this kind makes a fit doubtful until the file answers it.
bool is_fault(FindingKind kind);

}  // namespace pithball::optim
