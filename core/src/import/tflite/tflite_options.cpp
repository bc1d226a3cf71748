// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_options.h"

namespace arenascope::tflite_import {

namespace {

/// Writes attributes of one operator.
class Writer {
public:
    explicit Writer(Operator& op) : m_op(op) {}

    Writer& integer(const char* name, std::int64_t value)
    {
        m_op.attributes[name] = value;
        return *this;
    }
    Writer& real(const char* name, double value)
    {
        m_op.attributes[name] = value;
        return *this;
    }
    Writer& text(const char* name, std::string value)
    {
        m_op.attributes[name] = std::move(value);
        return *this;
    }
    Writer& list(const char* name, const flatbuffers::Vector<std::int32_t>* values)
    {
        if (values != nullptr)
            m_op.attributes[name] = std::vector<std::int64_t>(values->begin(), values->end());
        return *this;
    }
    /// Padding, strides and the activation that it fuses: what all kinds of windows have.
    template <class Options>
    Writer& window(const Options& options)
    {
        return text("padding", paddingName(options.padding()))
            .integer("stride_h", options.stride_h())
            .integer("stride_w", options.stride_w())
            .fused(options);
    }
    template <class Options>
    Writer& dilated(const Options& options)
    {
        return integer("dilation_h", options.dilation_h()).integer("dilation_w", options.dilation_w());
    }
    template <class Options>
    Writer& fused(const Options& options)
    {
        m_op.fusedActivation = activationName(options.fused_activation());
        return *this;
    }

private:
    Operator& m_op;
};

void readWindow(const tflite_file::Operator& from, Writer& to)
{
    using tflite_file::Options;
    switch (from.options_type()) {
    case Options::Conv2D: to.window(*from.options_as_Conv2D()).dilated(*from.options_as_Conv2D()); break;
    case Options::DepthwiseConv2D:
        to.window(*from.options_as_DepthwiseConv2D()).dilated(*from.options_as_DepthwiseConv2D())
            .integer("depth_multiplier", from.options_as_DepthwiseConv2D()->depth_multiplier());
        break;
    case Options::Conv3D:
        to.window(*from.options_as_Conv3D()).dilated(*from.options_as_Conv3D())
            .integer("stride_d", from.options_as_Conv3D()->stride_d())
            .integer("dilation_d", from.options_as_Conv3D()->dilation_d());
        break;
    case Options::Pool2D:
        to.window(*from.options_as_Pool2D()).integer("filter_h", from.options_as_Pool2D()->filter_h())
            .integer("filter_w", from.options_as_Pool2D()->filter_w());
        break;
    case Options::TransposeConv: to.window(*from.options_as_TransposeConv()); break;
    default: break;
    }
}

void readFused(const tflite_file::Operator& from, Writer& to)
{
    using tflite_file::Options;
    switch (from.options_type()) {
    case Options::Add: to.fused(*from.options_as_Add()); break;
    case Options::Sub: to.fused(*from.options_as_Sub()); break;
    case Options::Mul: to.fused(*from.options_as_Mul()); break;
    case Options::Div: to.fused(*from.options_as_Div()); break;
    case Options::L2Norm: to.fused(*from.options_as_L2Norm()); break;
    case Options::Rnn: to.fused(*from.options_as_Rnn()); break;
    case Options::Lstm: to.fused(*from.options_as_Lstm()); break;
    case Options::SequenceRnn:
        to.fused(*from.options_as_SequenceRnn()).integer("time_major", from.options_as_SequenceRnn()->time_major());
        break;
    case Options::UnidirectionalLstm:
        to.fused(*from.options_as_UnidirectionalLstm())
            .real("cell_clip", from.options_as_UnidirectionalLstm()->cell_clip())
            .real("proj_clip", from.options_as_UnidirectionalLstm()->proj_clip())
            .integer("time_major", from.options_as_UnidirectionalLstm()->time_major());
        break;
    case Options::Svdf: to.fused(*from.options_as_Svdf()).integer("rank", from.options_as_Svdf()->rank()); break;
    case Options::FullyConnected:
        to.fused(*from.options_as_FullyConnected())
            .integer("keep_num_dims", from.options_as_FullyConnected()->keep_num_dims());
        break;
    case Options::Concatenation:
        to.fused(*from.options_as_Concatenation()).integer("axis", from.options_as_Concatenation()->axis());
        break;
    default: break;
    }
}

void readMovement(const tflite_file::Operator& from, Writer& to)
{
    using tflite_file::Options;
    switch (from.options_type()) {
    case Options::Reshape: to.list("new_shape", from.options_as_Reshape()->new_shape()); break;
    case Options::Squeeze: to.list("squeeze_dims", from.options_as_Squeeze()->squeeze_dims()); break;
    case Options::SpaceToDepth: to.integer("block_size", from.options_as_SpaceToDepth()->block_size()); break;
    case Options::DepthToSpace: to.integer("block_size", from.options_as_DepthToSpace()->block_size()); break;
    case Options::Gather:
        to.integer("axis", from.options_as_Gather()->axis()).integer("batch_dims", from.options_as_Gather()->batch_dims());
        break;
    case Options::Split: to.integer("num_splits", from.options_as_Split()->num_splits()); break;
    case Options::SplitV: to.integer("num_splits", from.options_as_SplitV()->num_splits()); break;
    case Options::StridedSlice: {
        const auto& slice = *from.options_as_StridedSlice();
        to.integer("begin_mask", slice.begin_mask()).integer("end_mask", slice.end_mask())
            .integer("ellipsis_mask", slice.ellipsis_mask()).integer("new_axis_mask", slice.new_axis_mask())
            .integer("shrink_axis_mask", slice.shrink_axis_mask()).integer("offset", slice.offset());
        break;
    }
    case Options::Pack: to.integer("axis", from.options_as_Pack()->axis()); break;
    case Options::Unpack:
        to.integer("axis", from.options_as_Unpack()->axis()).integer("num", from.options_as_Unpack()->count());
        break;
    case Options::OneHot: to.integer("axis", from.options_as_OneHot()->axis()); break;
    case Options::MirrorPad: to.text("mode", from.options_as_MirrorPad()->mode() == 0 ? "REFLECT" : "SYMMETRIC"); break;
    default: break;
    }
}

void readOthers(const tflite_file::Operator& from, Writer& to)
{
    using tflite_file::Options;
    switch (from.options_type()) {
    case Options::Softmax: to.real("beta", from.options_as_Softmax()->beta()); break;
    case Options::LeakyRelu: to.real("alpha", from.options_as_LeakyRelu()->alpha()); break;
    case Options::Gelu: to.integer("approximate", from.options_as_Gelu()->approximate()); break;
    case Options::Reducer: to.integer("keep_dims", from.options_as_Reducer()->keep_dims()); break;
    case Options::BatchMatMul:
        to.integer("adj_x", from.options_as_BatchMatMul()->adj_x()).integer("adj_y", from.options_as_BatchMatMul()->adj_y());
        break;
    case Options::LocalResponseNormalization: {
        const auto& norm = *from.options_as_LocalResponseNormalization();
        to.integer("radius", norm.radius()).real("bias", norm.bias()).real("alpha", norm.alpha()).real("beta", norm.beta());
        break;
    }
    case Options::ResizeBilinear:
        to.integer("align_corners", from.options_as_ResizeBilinear()->align_corners())
            .integer("half_pixel_centers", from.options_as_ResizeBilinear()->half_pixel_centers());
        break;
    case Options::ResizeNearest:
        to.integer("align_corners", from.options_as_ResizeNearest()->align_corners())
            .integer("half_pixel_centers", from.options_as_ResizeNearest()->half_pixel_centers());
        break;
    case Options::VarHandle:
        if (sizeOf(from.options_as_VarHandle()->shared_name()) > 0)
            to.text("shared_name", from.options_as_VarHandle()->shared_name()->str());
        break;
    default: break;
    }
}

} // namespace

void readOptions(const tflite_file::Operator& from, Operator& op)
{
    // The verifier lets a union pass that names a kind and holds nothing.
    if (from.options() != nullptr) {
        Writer writer(op);
        readWindow(from, writer);
        readFused(from, writer);
        readMovement(from, writer);
        readOthers(from, writer);
    }
    if (sizeOf(from.custom_options()) > 0)
        op.attributes["custom_options_bytes"] = static_cast<std::int64_t>(from.custom_options()->size());
}

} // namespace arenascope::tflite_import
