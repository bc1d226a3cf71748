// SPDX-License-Identifier: MIT
// Small networks as text pictures, for tests.
#pragma once

#include <arenascope/graph_builder.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

namespace arenascope::test {

/// Reads one network, a line a statement ('#' begins a comment):
///
///     in:      x 100, mask 4            network inputs with their bytes
///     weight:  w 36                     read-only tensors
///     x, w          -> Conv      -> a 40         operator kind between what it reads and what it writes
///     a             -> Split s1  -> b 20, c 20   second word: the operator's name
///     b, _          -> Clip      -> d 20         '_': an optional input (or output) left out
///     d | c         -> If @64    -> e 8          after '|': captured by bodies; '@': bytes of workspace
///     e             -> Relu      -> f            no bytes: unknown size
///     out:     f, b                     network outputs
///
/// Lines are operators in file order, topological or not. What is wrong with the network comes back as its Error;
/// what is wrong with the picture ends the program.
class TextGraph {
public:
    static Result<std::shared_ptr<const Graph>> parse(std::string_view picture)
    {
        TextGraph reader;
        std::istringstream lines{std::string(picture)};
        for (std::string line; std::getline(lines, line);)
            reader.addLine(trimmed(line.substr(0, line.find('#'))));
        return std::move(reader.m_builder).build();
    }

private:
    [[noreturn]] static void fail(const std::string& line)
    {
        std::fprintf(stderr, "bad line in a text graph: %s\n", line.c_str());
        std::abort();
    }

    static std::string trimmed(std::string text)
    {
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
            text.pop_back();
        std::size_t begin = 0;
        while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin])))
            ++begin;
        return text.substr(begin);
    }

    static std::vector<std::string> split(const std::string& text, const std::string& separator)
    {
        std::vector<std::string> parts;
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size())
            parts.push_back(trimmed(text.substr(begin, end - begin)));
        parts.push_back(trimmed(text.substr(begin)));
        return parts;
    }

    // "name bytes", "name" or "_".
    TensorId tensorOf(const std::string& text)
    {
        std::istringstream words(text);
        std::string name;
        Bytes bytes = kUnknownBytes;
        words >> name;
        if (name.empty())
            fail(text);
        if (name == "_")
            return {};
        const TensorId id = m_builder.tensor(name);
        if (words >> bytes)
            m_builder.setBytes(id, bytes);
        return id;
    }

    std::vector<TensorId> tensorsOf(const std::string& text)
    {
        std::vector<TensorId> ids;
        if (!text.empty()) {
            for (const std::string& part : split(text, ","))
                ids.push_back(tensorOf(part));
        }
        return ids;
    }

    // Input by input, so that an operator may come before the line that says how large its input is.
    void addGiven(const std::string& text, bool isInput)
    {
        for (const std::string& part : split(text, ",")) {
            std::istringstream words(part);
            std::string name;
            words >> name;
            if (isInput)
                m_builder.addInput(name, ElementType::Undefined, {});
            else
                m_builder.addWeight(name, ElementType::Undefined, {});
            tensorOf(part);
        }
    }

    void addOperator(const std::string& line)
    {
        const std::vector<std::string> parts = split(line, "->");
        if (parts.size() != 3)
            fail(line);
        Operator op;
        const std::vector<std::string> reads = split(parts[0], "|");
        op.inputs = tensorsOf(reads.front());
        if (reads.size() > 1)
            op.captures = tensorsOf(reads[1]);
        std::istringstream words(parts[1]);
        words >> op.kind;
        for (std::string word; words >> word;) {
            if (word.front() == '@')
                op.workspace = std::stoll(word.substr(1));
            else
                op.name = word;
        }
        op.outputs = tensorsOf(parts[2]);
        m_builder.addOperator(std::move(op));
    }

    void addLine(const std::string& line)
    {
        if (line.empty())
            return;
        const auto rest = [&line](std::string_view word) { return trimmed(line.substr(word.size())); };
        if (line.rfind("in:", 0) == 0)
            return addGiven(rest("in:"), true);
        if (line.rfind("weight:", 0) == 0)
            return addGiven(rest("weight:"), false);
        if (line.rfind("out:", 0) != 0)
            return addOperator(line);
        for (const TensorId id : tensorsOf(rest("out:")))
            m_builder.addOutput(id);
    }

    GraphBuilder m_builder;
};

inline Result<std::shared_ptr<const Graph>> tryTextGraph(std::string_view picture)
{
    return TextGraph::parse(picture);
}

/// The same for pictures of sound networks; ends the program with the error otherwise.
inline std::shared_ptr<const Graph> textGraph(std::string_view picture)
{
    auto graph = TextGraph::parse(picture);
    if (!graph) {
        std::fprintf(stderr, "text graph: %s\n", describe(graph.error()).c_str());
        std::abort();
    }
    return *std::move(graph);
}

} // namespace arenascope::test
