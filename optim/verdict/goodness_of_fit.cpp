#include "optim/verdict/goodness_of_fit.hpp"

#include <algorithm>

namespace pithball::optim {

bool GoodnessOfFit::has_correlated_residuals() const {
  return std::ranges::any_of(whiteness, [&](const RecordingWhiteness& color) {
    if (!color.all.is_colored() && !color.between.is_common()) return false;
    const auto misfit = std::ranges::find(quality.recordings, color.recording, &RecordingMisfit::recording);
    return misfit != quality.recordings.end() && !(misfit->misfit <= misfit->noise);
  });
}

void fields(FieldVisitor& v, GoodnessOfFit& goodness) {
  v("errors", goodness.errors, "RMS errors of the fit and of its baselines");
  v.field({"quality", {}, "misfit of the recordings compared with their noise"}, [&] {
    v.object([&] {
      fields(v, goodness.quality);
      v("causes", goodness.causes, "why it does not fit, cheapest test first");
    });
  });
  v.if_any("suspect", goodness.suspect, "what a test without a refit says that the model or the file lacks",
           "where residuals are not those of noise and one candidate explains more than a fifth of the excess of χ²");
  v("whiteness", goodness.whiteness, "whether the fitted residuals are independent, by recording");
  v.after_reading([&] { share_alarm(goodness.whiteness); });
  const auto agreement = [&] {
    v("p_value", goodness.agreement.p_value,
      "probability of such a difference by chance; null: not computed, or too few frames");
    v("autocorrelation", goodness.agreement.autocorrelation, "of the residuals beside changes of the values");
    v("sentence", or_null(goodness.change), "what changes along the recordings; null: nothing significant");
  };
  v.block("agreement", "Agreement",
          "whether the values are the same at all times of the recordings; computed where residuals are correlated or "
          "too large",
          agreement);
  const auto homogeneity = [&] {
    v("p_value", goodness.homogeneity, "probability of such differences by chance; null: nothing can be compared");
    v("sentence", or_null(goodness.contradiction), "how they contradict each other; null: nothing significant");
    v("value", or_null(goodness.contradicted), "the value on which they do, as in `fit.parameters`; null: none");
  };
  v.block("homogeneity", "Homogeneity", "whether the recordings agree on the values that they share", homogeneity);
  v("aliases", or_null(goodness.aliases),
    "that the fitted motion is so fast for the frames that others fit as well; null: others do not");
}

}  // namespace pithball::optim
