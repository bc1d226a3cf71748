// SPDX-License-Identifier: MIT
// A header for any runtime that takes an arena and offsets into it.
#include <arenascope/plan_export.h>

#include "core/src/io/plan_facts.h"

#include <algorithm>
#include <cctype>

namespace arenascope {

namespace {

/// Every macro begins with the model's name, so that the headers of several models can be included together; what comes from
/// tensors has a word of its own before it, so that no tensor's name can make a macro that is there already.
class CHeaderWriter {
public:
    explicit CHeaderWriter(const PlanOutcome& outcome)
        : m_outcome(outcome)
        , m_problem(outcome.study->problem)
    {
        std::string name = io::CNames().unique(std::filesystem::path(outcome.study->graph->info().name).stem().string());
        for (char& c : name)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        // What begins with a digit is no identifier.
        m_prefix = std::isdigit(static_cast<unsigned char>(name.front())) ? "MODEL_" + name : name;
    }

    std::string write();

private:
    void define(const std::string& name, Bytes value) { m_text += "#define " + m_prefix + "_" + name + " " + std::to_string(value) + "u\n"; }
    void addComment();
    void addAssertion();
    void addArena();
    void addRegions();
    void addTensors();
    void addOthers();
    void addPlace(const std::string& name, const std::string& original, RegionId region, Offset offset, Bytes size);
    void assertThat(const std::string& what, const std::string& condition);

    const PlanOutcome& m_outcome;
    const PlacementProblem& m_problem;
    std::string m_prefix;
    std::string m_text;
    io::CNames m_names;
    std::vector<std::string> m_regionNames;
};

void CHeaderWriter::addComment()
{
    m_text += "/*\n * Memory plan by Arenascope. Offsets and sizes are bytes.\n *\n";
    for (const std::string& line : io::factLines(m_outcome))
        m_text += " * " + io::commentText(line) + "\n";
    m_text += " *\n"
              " * Give the runtime " + m_prefix + "_ARENA_SIZE bytes at an address that is a multiple of\n"
              " * " + m_prefix + "_ARENA_ALIGNMENT. A tensor begins " + m_prefix + "_OFFSET_... bytes from there.\n */\n";
}

void CHeaderWriter::addAssertion()
{
    const std::string name = m_prefix + "_ASSERT_";
    m_text += "#if defined(__cplusplus) && __cplusplus >= 201103L\n"
              "#define " + name + "(what, condition) static_assert(condition, #what)\n"
              "#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
              "#define " + name + "(what, condition) _Static_assert(condition, #what)\n"
              "#else\n"
              "#define " + name + "(what, condition) typedef char what[(condition) ? 1 : -1]\n"
              "#endif\n\n";
}

void CHeaderWriter::assertThat(const std::string& what, const std::string& condition)
{
    m_text += m_prefix + "_ASSERT_(" + m_prefix + "_" + what + ", " + condition + ");\n";
}

void CHeaderWriter::addArena()
{
    Bytes alignment = std::max<Bytes>(m_problem.alignment, 1);
    for (std::size_t i = 0; i < m_problem.buffers.size(); ++i)
        alignment = std::max(alignment, m_problem.alignmentOf(BufferId::fromIndex(i)));
    define("ARENA_SIZE", m_outcome.plan.arenaSize);
    define("ARENA_ALIGNMENT", alignment);
    assertThat("arena_size_fits_size_t", m_prefix + "_ARENA_SIZE <= (size_t)-1");
    m_text += "\n";
}

void CHeaderWriter::addRegions()
{
    if (!io::hasSeveralRegions(m_outcome))
        return;
    m_text += "/* Several memories: ARENA_SIZE is their sum, offsets count from the start of each one's part. */\n";
    io::CNames names;
    for (std::size_t i = 0; i < m_problem.regions.size(); ++i) {
        m_regionNames.push_back(names.unique(m_problem.regions[i].name));
        const std::string& name = m_regionNames.back();
        m_text += "/* " + io::commentText(m_problem.regions[i].name) + " */\n";
        define("MEMORY_" + name, static_cast<Bytes>(i));
        define("MEMORY_SIZE_" + name, io::regionBytes(m_outcome, RegionId::fromIndex(i)));
    }
    m_text += "\n";
}

void CHeaderWriter::addPlace(const std::string& name, const std::string& original, RegionId region, Offset offset, Bytes size)
{
    m_text += "/* " + io::commentText(original) + " */\n";
    define("OFFSET_" + name, offset);
    define("SIZE_" + name, size);
    std::string limit = m_prefix + "_ARENA_SIZE";
    if (region.index() < m_regionNames.size()) {
        const std::string& memory = m_regionNames[region.index()];
        m_text += "#define " + m_prefix + "_MEMORY_OF_" + name + " " + m_prefix + "_MEMORY_" + memory + "\n";
        limit = m_prefix + "_MEMORY_SIZE_" + memory;
    }
    assertThat("size_" + name, m_prefix + "_OFFSET_" + name + " + " + m_prefix + "_SIZE_" + name + " <= " + limit);
}

void CHeaderWriter::addTensors()
{
    for (const io::PlacedTensor& placed : io::placedTensors(m_outcome)) {
        if (!placed.buffer.isValid())
            continue; // nothing that runs touches it
        const Tensor& tensor = m_outcome.study->graph->tensor(placed.tensor);
        const Bytes bytes = std::max<Bytes>(tensor.bytes, 0);
        addPlace(m_names.unique(tensor.name), tensor.name, placed.region, placed.offset, bytes);
    }
}

/// Workspace of operators, and whatever else has no tensor.
void CHeaderWriter::addOthers()
{
    for (std::size_t i = 0; i < m_problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = m_problem.buffers[i];
        if (!buffer.tensors.empty())
            continue;
        addPlace(m_names.unique(buffer.name), buffer.name, io::regionOf(m_outcome, id), io::offsetOf(m_outcome, id), buffer.size);
    }
}

std::string CHeaderWriter::write()
{
    const std::string guard = "ARENASCOPE_" + m_prefix + "_PLAN_H";
    m_text = "";
    addComment();
    m_text += "#ifndef " + guard + "\n#define " + guard + "\n\n#include <stddef.h>\n\n";
    addAssertion();
    addArena();
    addRegions();
    addTensors();
    addOthers();
    m_text += "\n#undef " + m_prefix + "_ASSERT_\n\n#endif /* " + guard + " */\n";
    return std::move(m_text);
}

} // namespace

Result<std::string> planToCHeader(const PlanOutcome& outcome)
{
    if (auto error = io::invalidPlan(outcome))
        return std::move(*error);
    return CHeaderWriter(outcome).write();
}

} // namespace arenascope
