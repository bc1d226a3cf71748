// SPDX-License-Identifier: MIT
#include "ui/usual_alignment.h"

#include "ui/document.h"

#include <arenascope/runtime.h>

#include <utility>

namespace arenascope::ui {

UsualAlignment* UsualAlignment::of(Document* document)
{
    if (auto* made = document->findChild<UsualAlignment*>(QString(), Qt::FindDirectChildrenOnly))
        return made;
    return new UsualAlignment(document);
}

UsualAlignment::UsualAlignment(Document* document) : QObject(document), m_document(document)
{
    connect(document, &Document::graphChanged, this, &UsualAlignment::follow);
}

void UsualAlignment::follow()
{
    // A plan brings its own.
    const auto opened = m_document->openedPlan();
    if (!m_document->graph() || (opened && !opened->isFromModel))
        return;
    const Bytes before = std::exchange(m_usual, preferredAlignment(*m_document->graph()));
    StudyOptions options = m_document->studyOptions();
    if (m_isKept || options.problem.alignment != before)
        return;
    options.problem.alignment = m_usual;
    m_document->setStudyOptions(options);
}

StudyOptions UsualAlignment::optionsToKeep() const
{
    StudyOptions options = m_document->studyOptions();
    if (!m_isKept && options.problem.alignment == m_usual)
        options.problem.alignment = ProblemOptions{}.alignment;
    return options;
}

} // namespace arenascope::ui
