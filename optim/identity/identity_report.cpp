#include "optim/identity/identity_report.hpp"

#include "sim/core/text.hpp"

namespace pithball::optim {

std::string RecordingIdentities::sentence() const {
  std::string said = recording + formatted(
                                     ": %td of %td detections belong to a particle, the least certain with "
                                     "probability %.3g; a particle is detected with probability %.3g, and "
                                     "%.3g detections of a frame are false",
                                     assigned, detections, smallest_probability, detection_rate, false_per_frame);
  if (!swaps.empty()) said += formatted("; %zu exchanges were undone", swaps.size());
  if (approximated > 0)
    said += formatted("; probabilities of %td places in crowded frames are approximate", approximated);
  return said;
}

void fields(FieldVisitor& v, IdentitySwap& swap) {
  v.is("IdentitySwap", "where points change their particle");
  v("frame", swap.frame, "number of the first frame, as in the recording");
  v("track", swap.track, "marker whose name the points have, or with which their track began");
  v("particle", swap.particle, "marker that they are from this frame on");
}

void fields(FieldVisitor& v, IdentityLoss& loss) {
  v.is("IdentityLoss", "frames in which a marker in the picture was not detected");
  v("particle", loss.particle, "the marker");
  v("first", loss.first, "number of the first of the frames, as in the recording");
  v("last", loss.last, "number of the last of them");
  v("frames", loss.frames, "how many they are");
}

void fields(FieldVisitor& v, OpenIdentity& open) {
  v.is("OpenIdentity", "two markers that may be exchanged in all frames");
  v("one", open.one, "the first marker");
  v("other", open.other, "the second one");
  v("worse_by", open.worse_by,
    "2 ln of the likelihood ratio by which a fit with both exchanged is worse; null: it was not tried");
}

void fields(FieldVisitor& v, RecordingIdentities& one) {
  v.is("RecordingIdentities", "how the detections of a recording were assigned to its particles");
  v("recording", one.recording, "as in the experiment file");
  v("detections", one.detections, "number of points in all frames");
  v("assigned", one.assigned, "number of them that were assigned to a particle");
  v("smallest_probability", one.smallest_probability, "smallest probability of an assignment that was chosen");
  v("detection_rate", one.detection_rate, "probability that a particle in the picture is detected");
  v("false_per_frame", one.false_per_frame, "mean number of false detections in a frame");
  v("exchange_rate", one.exchange_rate,
    "probability that a point has the name of another particle; null: points have no names");
  v("swaps", one.swaps, "where points change their particle, in the order of the frames");
  v("losses", one.losses, "where a particle is not detected in 3 frames or more");
  v("open", one.open, "markers that the recording does not tell apart");
  v("approximated", one.approximated, "places in crowded frames whose probabilities are approximate");
}

}  // namespace pithball::optim
