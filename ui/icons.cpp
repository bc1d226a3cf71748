// SPDX-License-Identifier: MIT
#include "ui/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

// A static library's resources are not found unless they are asked for; the macro must stand outside namespaces.
static void loadResources()
{
    Q_INIT_RESOURCE(arenascope);
}

namespace arenascope::ui {

namespace {

QByteArray readIcon(const QString& name)
{
    loadResources();
    QFile file(QStringLiteral(":/arenascope/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap render(const QByteArray& svg, int pixels)
{
    QSvgRenderer renderer(svg);
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

} // namespace

QIcon themedIcon(const QString& name, const Theme& theme)
{
    const QByteArray svg = readIcon(name);
    if (svg.isEmpty())
        return {};
    const auto coloured = [&](const QColor& colour) { return QByteArray(svg).replace("#000", colour.name().toLatin1()); };
    QIcon icon;
    for (const int pixels : { 16, 20, 24, 32, 48, 64 }) {
        icon.addPixmap(render(coloured(theme.text), pixels), QIcon::Normal);
        icon.addPixmap(render(coloured(theme.palette().color(QPalette::Disabled, QPalette::WindowText)), pixels), QIcon::Disabled);
    }
    return icon;
}

QIcon programIcon()
{
    const QByteArray svg = readIcon(QStringLiteral("arenascope"));
    QIcon icon;
    for (const int pixels : { 16, 24, 32, 48, 64, 128, 256 })
        icon.addPixmap(render(svg, pixels));
    return icon;
}

} // namespace arenascope::ui
