// SPDX-License-Identifier: MIT
#include <arenascope/graph.h>

#include <algorithm>
#include <array>

namespace arenascope {

namespace {

struct TypeText {
    ElementType type;
    int bits;
    std::string_view name;
};

constexpr std::array kTypes = {
    TypeText{ElementType::Undefined, 0, "undefined"},   TypeText{ElementType::Float32, 32, "float32"},
    TypeText{ElementType::Float64, 64, "float64"},      TypeText{ElementType::Float16, 16, "float16"},
    TypeText{ElementType::BFloat16, 16, "bfloat16"},    TypeText{ElementType::Float8, 8, "float8"},
    TypeText{ElementType::Int4, 4, "int4"},             TypeText{ElementType::UInt4, 4, "uint4"},
    TypeText{ElementType::Int8, 8, "int8"},             TypeText{ElementType::UInt8, 8, "uint8"},
    TypeText{ElementType::Int16, 16, "int16"},          TypeText{ElementType::UInt16, 16, "uint16"},
    TypeText{ElementType::Int32, 32, "int32"},          TypeText{ElementType::UInt32, 32, "uint32"},
    TypeText{ElementType::Int64, 64, "int64"},          TypeText{ElementType::UInt64, 64, "uint64"},
    TypeText{ElementType::Bool, 8, "bool"},             TypeText{ElementType::Complex64, 64, "complex64"},
    TypeText{ElementType::Complex128, 128, "complex128"}, TypeText{ElementType::String, 0, "string"},
    TypeText{ElementType::Resource, 0, "resource"},     TypeText{ElementType::Variant, 0, "variant"},
};

const TypeText& textOf(ElementType type)
{
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [type](const TypeText& t) { return t.type == type; });
    return found == kTypes.end() ? kTypes.front() : *found;
}

void sortUnique(std::vector<OpId>& ids)
{
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Position of `name` in `byName`, a list of ids sorted by the names of what they stand for.
template <class IdType, class Items>
IdType findByName(const std::vector<IdType>& byName, const Items& items, std::string_view name)
{
    const auto found = std::lower_bound(byName.begin(), byName.end(), name,
        [&items](IdType id, std::string_view wanted) { return items[id.index()].name < wanted; });
    return found != byName.end() && items[found->index()].name == name ? *found : IdType();
}

} // namespace

int bitsPerElement(ElementType type)
{
    return textOf(type).bits;
}

std::string_view elementTypeName(ElementType type)
{
    return textOf(type).name;
}

std::optional<ElementType> elementTypeFromName(std::string_view name)
{
    for (const TypeText& text : kTypes) {
        if (text.name == name)
            return text.type;
    }
    return std::nullopt;
}

std::string_view roleName(TensorRole role)
{
    switch (role) {
    case TensorRole::Input: return "input";
    case TensorRole::Output: return "output";
    case TensorRole::Activation: return "activation";
    case TensorRole::Weight: return "weight";
    case TensorRole::Constant: return "constant";
    case TensorRole::Variable: return "variable";
    case TensorRole::Scratch: return "scratch";
    }
    return "unknown";
}

bool Shape::isStatic() const
{
    return rankKnown && std::all_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim >= 0; });
}

std::optional<std::int64_t> Shape::elementCount() const
{
    if (!isStatic())
        return std::nullopt;
    // An empty tensor is empty, however large its other extents are.
    if (std::find(dims.begin(), dims.end(), 0) != dims.end())
        return 0;
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) {
        const auto product = checkedMultiply(count, dim);
        if (!product)
            return std::nullopt;
        count = *product;
    }
    return count;
}

std::string toString(const Shape& shape)
{
    if (!shape.rankKnown)
        return "unknown";
    if (shape.dims.empty())
        return "scalar";
    std::string text;
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
        if (i > 0)
            text += 'x';
        text += shape.dims[i] < 0 ? std::string("?") : std::to_string(shape.dims[i]);
    }
    return text;
}

std::vector<OpId> Graph::predecessors(OpId id) const
{
    std::vector<OpId> found;
    const auto add = [&](TensorId input) {
        if (input.isValid() && tensor(input).producer.isValid())
            found.push_back(tensor(input).producer);
    };
    const Operator& self = op(id);
    std::for_each(self.inputs.begin(), self.inputs.end(), add);
    std::for_each(self.captures.begin(), self.captures.end(), add);
    found.insert(found.end(), self.runsAfter.begin(), self.runsAfter.end());
    sortUnique(found);
    return found;
}

std::vector<OpId> Graph::successors(OpId id) const
{
    std::vector<OpId> found = op(id).runsBefore;
    for (const TensorId output : op(id).outputs) {
        if (output.isValid())
            found.insert(found.end(), tensor(output).consumers.begin(), tensor(output).consumers.end());
    }
    sortUnique(found);
    return found;
}

std::vector<TensorId> Graph::tensorsOfUnknownSize() const
{
    std::vector<TensorId> found;
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        const Tensor& t = m_tensors[i];
        const bool exists = t.producer.isValid() || t.role == TensorRole::Input || !t.consumers.empty();
        if (t.isActivation() && exists && t.bytes < 0)
            found.push_back(TensorId::fromIndex(i));
    }
    return found;
}

OpId Graph::findOperator(std::string_view name) const
{
    return findByName(m_operatorsByName, m_operators, name);
}

TensorId Graph::findTensor(std::string_view name) const
{
    return findByName(m_tensorsByName, m_tensors, name);
}

} // namespace arenascope
