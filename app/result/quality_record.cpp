#include "app/result/quality_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, MisfitRecord& one) {
  v.is("Misfit", "misfit of one recording, per coordinate");
  v("recording", one.recording, "as in the experiment file");
  v("misfit", one.misfit, of_kind, "RMS of model − recorded");
  v("noise", one.noise, of_kind, "the recording's own noise; null: too few uninterrupted frames");
  v("motion", one.motion, of_kind, "RMS of recorded − its mean in time");
  v.computed(
      "misfit_over_noise", [&] { return one.misfit / one.noise; }, "the misfit relative to the noise");
  v("fits", one.fits, "false: the misfit is well above the noise and a tenth of the motion");
  v("tracks", one.tracks, "the recording's own scatter, as a text");
  v("measurement", one.measurement, "its measurement kind", older);
}

void fields(FieldVisitor& v, optim::MisfitCause& cause) {
  v.is("MisfitCause", "a possible cause of a misfit");
  v("reason", cause.reason, "a phrase: \"local minimum\"");
  v("remedy", cause.remedy, "what to change or to test");
}

void fields(FieldVisitor& v, QualityRecord& quality) {
  v.is("Quality", "χ² of the fitted residuals, and the misfit of each recording");
  v("chi_square", quality.chi_square, "sum of the squared residuals in units of sigma");
  v("degrees_of_freedom", quality.degrees_of_freedom, "number of residuals − number of determined values");
  v("reduced_chi_square", quality.reduced_chi_square, "χ² / degrees of freedom");
  v("tolerance", quality.tolerance, "by how much it differs from 1 by chance at most");
  v("sigma_is_scatter", quality.sigma_is_scatter, "false: sigma is only a weight between recordings");
  v("fits", quality.fits, "whether all recordings fit");
  v("recordings", quality.recordings, "those with fitted frames");
  v("causes", quality.causes, "why it does not fit, cheapest test first");
}

}  // namespace pithball::app
