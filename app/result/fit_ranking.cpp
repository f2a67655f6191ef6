#include "app/result/fit_ranking.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, RankedFit& fit) {
  v.is("RankedFit", "one of several fits to the same recordings");
  v("run", fit.name, "its run folder");
  v("status", fit.status, "how it ended, as in its fit.json");
  v("parameters", fit.parameters, "number of fitted values, nuisance parameters included");
  v("chi_square", fit.chi_square, "sum of its squared residuals in units of sigma");
  v("reduced_chi_square", fit.reduced, "χ² / degrees of freedom; null: no degrees of freedom");
  v("aicc", fit.aicc,
    "Akaike's criterion, corrected for few coordinates; smaller is better; null: more values than effective "
    "coordinates less two");
  v("bic", fit.bic, "Bayesian information criterion; smaller is better");
  v("validation_frames", fit.validation_frames.model, of_kind,
    "RMS error of the validation frames; null: none, or in several units");
  v("validation_markers", fit.validation_markers.model, of_kind,
    "RMS error of the validation markers; null: none, or in several units");
}

void fields(FieldVisitor& v, FitRanking& ranking) {
  v.is("FitRanking", "several fits to the same recordings, ranked by information criteria");
  v("coordinates", ranking.coordinates, "number of fitted coordinates");
  v("effective_coordinates", ranking.effective,
    "number of independent ones with the same information, by the correlation in time and between markers");
  v("known_sigma", ranking.known_sigma, "`absolute_sigma` of all fits; false: sigma is known up to a factor");
  v("fits", ranking.fits, "smallest AICc first; those without, last, by BIC");
}

}  // namespace pithball::app
