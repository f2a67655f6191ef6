import type { MaybeNumber } from '../documents';
import { commonScale, formatFixed, formatNumber, tidy } from '../format';

/** An estimate and its standard error as text, in one unit. */
export interface EstimateText {
  estimate: string;
  error: string;
  unit: string;
}

/** Writes both with as many decimals as two digits of the error have: "59.93 ± 0.11 nC". */
export function formatEstimate(estimate: MaybeNumber, error: MaybeNumber, unit: string): EstimateText {
  const scale = commonScale([estimate, error], unit);
  const scaled = (value: MaybeNumber) => (value === null ? null : tidy(value * scale.factor));
  const value = scaled(estimate);
  const spread = scaled(error);
  if (value === null || spread === null || spread <= 0 || Math.abs(value) >= 1e6) {
    return { estimate: formatNumber(value, 5), error: formatNumber(spread, 2), unit: scale.unit };
  }
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(spread)));
  if (decimals > 9) return { estimate: formatNumber(value, 9), error: formatNumber(spread, 2), unit: scale.unit };
  return { estimate: formatFixed(value, decimals), error: formatFixed(spread, decimals), unit: scale.unit };
}
