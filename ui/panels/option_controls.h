// SPDX-License-Identifier: MIT
// Combo boxes that show and change one option of the document each; as many of a kind as wanted, all in step.
#pragma once

#include "ui/document.h"

#include <QComboBox>

namespace arenascope::ui {

QComboBox* makeStrategyCombo(Document* document, QWidget* parent = nullptr);
QComboBox* makeAliasCombo(Document* document, QWidget* parent = nullptr);
QComboBox* makeScheduleCombo(Document* document, QWidget* parent = nullptr);
/// Whether network inputs and outputs take bytes of the arena.
QComboBox* makeIoCombo(Document* document, QWidget* parent = nullptr);
QComboBox* makeAlignmentCombo(Document* document, QWidget* parent = nullptr);
/// How much of the order a runtime keeps.
QComboBox* makeConcurrencyCombo(Document* document, QWidget* parent = nullptr);
QComboBox* makeJoinCombo(Document* document, QWidget* parent = nullptr);

} // namespace arenascope::ui
