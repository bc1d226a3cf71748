// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/study.h>

#include <QObject>

namespace arenascope::ui {

class Document;

/// Alignment that follows the network's format (16 for TensorFlow Lite, else 64, as for the command line) for as long as the
/// user has not chosen another.
class UsualAlignment : public QObject {
    Q_OBJECT
public:
    /// The one that belongs to the document, made on first use.
    static UsualAlignment* of(Document* document);

    /// The user has chosen the alignment, even if it is the usual one.
    void keep() { m_isKept = true; }
    /// The document's options with the alignment that a next session begins with.
    StudyOptions optionsToKeep() const;

private:
    explicit UsualAlignment(Document* document);
    void follow();

    Document* m_document;
    Bytes m_usual = ProblemOptions{}.alignment; ///< of the network that is open, or was last
    bool m_isKept = false;
};

} // namespace arenascope::ui
