// SPDX-License-Identifier: MIT
// Small networks of Caffe as text.
#pragma once

#include <QByteArray>

namespace arenascope::test {

/// A network whose input "x" is 2x4x6x8.
inline QByteArray net(const QByteArray& layers)
{
    return "name: \"n\"\ninput: \"x\"\ninput_shape { dim: 2 dim: 4 dim: 6 dim: 8 }\n" + layers;
}

/// One layer from x to y.
inline QByteArray layer(const QByteArray& type, const QByteArray& parameters = {})
{
    return "layer { name: \"l\" type: \"" + type + "\" bottom: \"x\" top: \"y\" " + parameters + " }\n";
}

} // namespace arenascope::test
