// SPDX-License-Identifier: MIT
#pragma once

class QTableView;

namespace arenascope::ui {

/// What all tables of the window have in common: rows of one height, room between columns, no grid, names shortened in
/// the middle, one selected row.
void dressTable(QTableView* table);

} // namespace arenascope::ui
