#include "datasets/capture/column_words.hpp"

#include "datasets/text/text_scan.hpp"

namespace pithball::datasets {

const ColumnWords& column_words() {
  static const auto known = [] {
    ColumnWords words;
    const auto add = [&](ColumnWord meaning, std::string_view list) {
      for (const std::string_view word : split_words(list)) words[std::string(word)] = meaning;
    };
    using enum Quantity;
    add({WordRole::Quantity, Length},
        "pos position positions coord coords coordinate coordinates loc location disp displacement "
        "distance dist length separation gap lage center centre centroid ort abstand posicion posición "
        "posizione");
    add({WordRole::Quantity, Pixel}, "pixel pixels");
    add({WordRole::Quantity, Angle}, "angle angles theta phi psi θ φ ϕ ψ winkel angulo ángulo angolo roll pitch yaw");
    add({WordRole::Quantity, Velocity},
        "vel velocity velocities speed geschwindigkeit vitesse velocidad velocita velocità");
    add({WordRole::Quantity, Acceleration},
        "acc accel acceleration accelerations accelerometer beschleunigung aceleracion aceleración "
        "accelerazione accélération");
    add({WordRole::Quantity, Force}, "force forces load kraft fuerza forza");
    add({WordRole::Quantity, Time},
        "t time times timestamp timestamps elapsed clock seconds sec secs milliseconds msec zeit temps "
        "tiempo tempo frametime");
    add({WordRole::Quantity, Frame},
        "frame frames framenumber frameid frameidx frameindex framenum frameno fr slice slices bild "
        "image img");
    add({WordRole::Quantity, Identity},
        "particle particles track tracks trackid trajectory trajectories traj id tid object objects obj "
        "objectid marker markers bead cell instance individual label blob ball drop");
    add({WordRole::Quantity, Likelihood}, "likelihood confidence conf score prob probability visibility");
    add({WordRole::Quantity, Other},
        "std stdev err error sigma unc uncertainty variance rms residual gyro gyroscope gyr omega ω mag "
        "magnetometer magnetic energy momentum torque jerk quaternion quat qw qx qy qz delta rotation dx "
        "dy dz wx wy wz gx gy gz mx my mz");
    add({WordRole::PartOfPoint, Other},
        "mass size area width height temperature temp pressure voltage current intensity quality rate "
        "fps moment var");
    add({WordRole::Filler}, "n n° nº no nr num number nummer idx index value data in raw");
    add({WordRole::Adjective}, "axis component of the linear absolute global world latest measured stamp");
    add({WordRole::Angular}, "angular rotational");
    return words;
  }();
  return known;
}

}  // namespace pithball::datasets
