#pragma once
#include "sim/core/types.hpp"

namespace pithball::experiments {

using sim::Index;
using sim::Points;

/// Frequency of the strongest line [Hz]: mean removed, Hann taper, zero-padded to 8192 samples, powers of x, y and z
/// added, nothing below 0.5 Hz, parabola through the logarithm of the three highest samples. Column k is the sample at
/// k/rate.
double spectral_peak(const Points& path, double rate);

/// A damped sinusoid e^{−at} (A cos 2πft + B sin 2πft) with one f and a for x, y and z.
struct DampedSinusoid {
  double frequency = 0;  ///< f [Hz]
  double decay = 0;      ///< a [1/s]
};
/// Least squares over a path: amplitudes in closed form, f and a by Gauss–Newton from several frequencies, the best
/// kept.
DampedSinusoid fit_damped_sinusoid(const Points& path, double rate);

/// The path of a damped sinusoid that begins with displacement x and velocity v.
Points damped_sinusoid_path(const DampedSinusoid& s, const sim::Vec3& x, const sim::Vec3& v, double rate,
                            Index samples);

/// Root mean square distance between two paths, over samples; of one path: from the origin.
double rms(const Points& path);

}  // namespace pithball::experiments
