#include "optim/verdict/goodness_of_fit.hpp"

namespace pithball::optim {

void fields(FieldVisitor& v, GoodnessOfFit& goodness) {
  v("errors", goodness.errors, "RMS errors of the fit and of its baselines");
  v.field({"quality", {}, "misfit of the recordings compared with their noise", older}, [&] {
    v.object([&] {
      fields(v, goodness.quality);
      v("causes", goodness.causes, "why it does not fit, cheapest test first");
    });
  });
  v("whiteness", goodness.whiteness, "whether the fitted residuals are independent, by recording", older);
  v.after_reading([&] { share_alarm(goodness.whiteness); });
}

}  // namespace pithball::optim
