// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace arenascope::onnx_import {

namespace {

// A function that calls another twice, which calls another twice ...: a small file could take all time and memory.
constexpr std::int64_t kMaxInlined = 1'000'000;
constexpr std::int64_t kMaxInlinedBytes = std::int64_t{256} << 20;
constexpr std::size_t kMaxCallDepth = 100;

using Key = std::pair<std::string, std::string>; // domain, name
using Names = std::unordered_map<std::string, std::string>;

std::string plainDomain(const std::string& domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

class Inliner {
public:
    Inliner(const onnx::ModelProto& model, const Opsets& opsets);
    bool hasFunctions() const { return !m_functions.empty(); }
    Status graph(onnx::GraphProto& graph);
    NodeOpsets takeOpsets() { return std::move(m_nodeOpsets); }

private:
    using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
    using OpsetsPtr = std::shared_ptr<const Opsets>;

    Status place(const onnx::NodeProto& node, NodeList& out, const OpsetsPtr& opsets);
    /// Counts an operator or a call.
    Status spend(const onnx::NodeProto& node);
    Status call(const onnx::FunctionProto& function, const onnx::NodeProto& node, NodeList& out);
    OpsetsPtr opsetsOf(const onnx::FunctionProto& function) const;
    void noteOpsets(const onnx::GraphProto& body, const OpsetsPtr& opsets);

    const Opsets& m_opsets;
    std::map<Key, const onnx::FunctionProto*> m_functions;
    std::set<const onnx::FunctionProto*> m_open; ///< being inlined: one that is met again calls itself
    std::set<std::string> m_prefixes;
    NodeOpsets m_nodeOpsets;
    std::int64_t m_count = 0;
    std::int64_t m_bytes = 0;
};

Inliner::Inliner(const onnx::ModelProto& model, const Opsets& opsets) : m_opsets(opsets)
{
    for (const auto& function : model.functions())
        m_functions.try_emplace({plainDomain(function.domain()), function.name()}, &function);
}

Inliner::OpsetsPtr Inliner::opsetsOf(const onnx::FunctionProto& function) const
{
    Opsets own = readOpsets(function.opset_import());
    own.insert(m_opsets.begin(), m_opsets.end()); // what it does not import itself is the model's
    return own == m_opsets ? nullptr : std::make_shared<const Opsets>(std::move(own));
}

void rename(std::string& name, const Names& names)
{
    if (const auto it = names.find(name); it != names.end())
        name = it->second;
}

/// Names of the function's values in the bodies of its operators. What a body defines itself hides them.
void renameBody(onnx::GraphProto& body, const Names& names);

void renameReads(onnx::NodeProto& node, const Names& names)
{
    for (std::string& input : *node.mutable_input())
        rename(input, names);
    for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g())
            renameBody(*attribute.mutable_g(), names);
        for (auto& graph : *attribute.mutable_graphs())
            renameBody(graph, names);
    }
}

void renameBody(onnx::GraphProto& body, const Names& names)
{
    Names visible = names;
    for (const auto& input : body.input())
        visible.erase(input.name());
    for (const auto& tensor : body.initializer())
        visible.erase(tensor.name());
    for (const auto& node : body.node()) {
        for (const std::string& output : node.output())
            visible.erase(output);
    }
    for (auto& node : *body.mutable_node())
        renameReads(node, visible);
    for (auto& output : *body.mutable_output())
        rename(*output.mutable_name(), visible);
}

/// Fills in attributes that refer to the call's; those that the call leaves out vanish.
void bindAttributes(onnx::NodeProto& node, const std::map<std::string, const onnx::AttributeProto*>& given)
{
    auto* attributes = node.mutable_attribute();
    for (int i = attributes->size() - 1; i >= 0; --i) {
        auto& attribute = *attributes->Mutable(i);
        if (!attribute.ref_attr_name().empty()) {
            const auto it = given.find(attribute.ref_attr_name());
            if (it == given.end()) {
                attributes->DeleteSubrange(i, 1);
                continue;
            }
            const std::string name = attribute.name();
            attribute = *it->second;
            attribute.set_name(name);
            continue;
        }
        if (!attribute.has_g())
            continue;
        for (auto& inner : *attribute.mutable_g()->mutable_node())
            bindAttributes(inner, given);
    }
}

Status Inliner::graph(onnx::GraphProto& graph)
{
    NodeList old;
    old.Swap(graph.mutable_node());
    for (const auto& node : old) {
        if (auto placed = place(node, *graph.mutable_node(), nullptr); !placed)
            return placed;
    }
    return Ok{};
}

void Inliner::noteOpsets(const onnx::GraphProto& body, const OpsetsPtr& opsets)
{
    for (const auto& node : body.node()) {
        m_nodeOpsets.try_emplace(&node, opsets); // operators of functions called inside have their own already
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g())
                noteOpsets(attribute.g(), opsets);
        }
    }
}

Status Inliner::place(const onnx::NodeProto& node, NodeList& out, const OpsetsPtr& opsets)
{
    const auto it = m_functions.find({plainDomain(node.domain()), node.op_type()});
    if (it != m_functions.end())
        return call(*it->second, node, out);
    if (auto spent = spend(node); !spent)
        return spent;
    onnx::NodeProto& placed = *out.Add();
    placed = node;
    for (auto& attribute : *placed.mutable_attribute()) {
        if (attribute.has_g()) {
            if (auto done = graph(*attribute.mutable_g()); !done)
                return done;
            if (opsets)
                noteOpsets(attribute.g(), opsets);
        }
        for (auto& body : *attribute.mutable_graphs()) {
            if (auto done = graph(body); !done)
                return done;
        }
    }
    if (opsets)
        m_nodeOpsets.emplace(&placed, opsets);
    return Ok{};
}

Status Inliner::spend(const onnx::NodeProto& node)
{
    m_bytes += static_cast<std::int64_t>(node.ByteSizeLong());
    if (++m_count > kMaxInlined || m_bytes > kMaxInlinedBytes)
        return Error{ErrorCode::TooLarge, "functions",
                     {"the network with its functions", "a million operators or 256 MiB"}};
    return Ok{};
}

Status Inliner::call(const onnx::FunctionProto& function, const onnx::NodeProto& node, NodeList& out)
{
    if (auto spent = spend(node); !spent)
        return spent;
    if (m_open.size() >= kMaxCallDepth)
        return Error{ErrorCode::TooLarge, "function '" + function.name() + "'",
                     {"the nesting of functions", std::to_string(kMaxCallDepth) + " levels"}};
    if (!m_open.insert(&function).second)
        return Error{ErrorCode::FileCorrupt, "function '" + function.name() + "'", {"the function calls itself"}};
    // One prefix a call; two calls may have one name.
    const std::string wanted = node.name().empty() ? function.name() : node.name();
    std::string prefix = wanted;
    for (int copy = 2; !m_prefixes.insert(prefix).second; ++copy)
        prefix = wanted + '#' + std::to_string(copy);

    Names names;
    for (int i = 0; i < function.input_size(); ++i)
        names[function.input(i)] = i < node.input_size() ? node.input(i) : std::string();
    for (const auto& inner : function.node()) {
        for (const std::string& output : inner.output()) {
            if (!output.empty())
                names[output] = prefix + '/' + output;
        }
    }
    for (int i = 0; i < function.output_size() && i < node.output_size(); ++i) {
        if (node.output(i).empty())
            continue;
        std::string& name = names[function.output(i)];
        if (std::ranges::count(function.input(), function.output(i)) == 0) {
            name = node.output(i);
            continue;
        }
        onnx::NodeProto& copy = *out.Add(); // an input that is handed out as it is
        copy.set_op_type("Identity");
        copy.add_input(name);
        copy.add_output(node.output(i));
    }
    std::map<std::string, const onnx::AttributeProto*> given;
    for (const auto& attribute : node.attribute())
        given[attribute.name()] = &attribute;

    const OpsetsPtr opsets = opsetsOf(function);
    for (const auto& inner : function.node()) {
        onnx::NodeProto copy = inner;
        copy.set_name(prefix + '/' + (inner.name().empty() ? inner.op_type() : inner.name()));
        bindAttributes(copy, given);
        renameReads(copy, names);
        for (std::string& output : *copy.mutable_output())
            rename(output, names);
        if (auto placed = place(copy, out, opsets); !placed)
            return placed;
    }
    m_open.erase(&function);
    return Ok{};
}

} // namespace

Opsets readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports)
{
    Opsets opsets;
    for (const auto& import : imports) {
        auto& version = opsets[plainDomain(import.domain())];
        version = std::max<std::int64_t>(version, import.version());
    }
    return opsets;
}

Result<NodeOpsets> inlineFunctions(onnx::ModelProto& model, const Opsets& opsets)
{
    Inliner inliner(model, opsets);
    if (!inliner.hasFunctions())
        return NodeOpsets();
    if (auto done = inliner.graph(*model.mutable_graph()); !done)
        return done.error();
    return inliner.takeOpsets();
}

} // namespace arenascope::onnx_import
