// SPDX-License-Identifier: MIT
// Gemm and MatMul: OpenCV's InnerProduct where the second matrix is a weight, cv::gemm for matrices that are both computed.
#include "core/src/exec/broadcast.h"
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/registry.h"

#include <opencv2/core.hpp>

#include <algorithm>

namespace arenascope::exec {

namespace {

/// out = alpha * op(A) * op(B), then out += beta * C stretched.
struct Product {
    int rows = 0;
    int inner = 0;
    int columns = 0;
    bool transA = false;
    bool transB = false;
    double alpha = 1.0;
};

void multiply(const Product& p, const float* a, const float* b, float* out)
{
    const cv::Mat left(p.transA ? p.inner : p.rows, p.transA ? p.rows : p.inner, CV_32F, const_cast<float*>(a));
    const cv::Mat right(p.transB ? p.columns : p.inner, p.transB ? p.inner : p.columns, CV_32F, const_cast<float*>(b));
    cv::Mat result(p.rows, p.columns, CV_32F, out);
    cv::gemm(left, right, p.alpha, cv::noArray(), 0.0, result, (p.transA ? cv::GEMM_1_T : 0) | (p.transB ? cv::GEMM_2_T : 0));
    if (result.ptr<float>() != out)
        throw std::runtime_error("cv::gemm did not write where it was told to");
}

int matExtent(const Request& request, std::int64_t extent)
{
    if (extent > std::numeric_limits<int>::max())
        request.refuse("an extent of " + std::to_string(extent) + " is too large");
    return static_cast<int>(extent);
}

/// Any number of matrices of equal shape, with the leading dimensions stretched (NumPy's matmul).
class MatMulKernel : public Kernel {
public:
    MatMulKernel(Product product, BroadcastLoops batches) : m_product(product), m_batches(std::move(batches)) {}
    std::string engine() const override { return "gemm"; }
    void run(const KernelIo& io) override
    {
        const Product& p = m_product;
        const std::int64_t sizeA = std::int64_t{p.rows} * p.inner;
        const std::int64_t sizeB = std::int64_t{p.inner} * p.columns;
        const std::int64_t sizeOut = std::int64_t{p.rows} * p.columns;
        if (p.inner == 0) {
            std::fill_n(io.out[0].as<float>(), io.out[0].count, 0.0F);
            return;
        }
        const std::size_t rank = m_batches.extents.size();
        forEachRow<2>(m_batches, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t a = offsets[0] + (rank == 0 ? 0 : i * m_batches.strides[0][rank - 1]);
                const std::int64_t b = offsets[1] + (rank == 0 ? 0 : i * m_batches.strides[1][rank - 1]);
                multiply(p, io.in[0].as<float>() + a * sizeA, io.in[1].as<float>() + b * sizeB,
                         io.out[0].as<float>() + (at + i) * sizeOut);
            }
        });
    }

private:
    Product m_product;
    BroadcastLoops m_batches;
};

/// Rows of A times a constant matrix [inner, columns] (or its transpose), with a bias where there is one of `columns` values.
std::unique_ptr<Kernel> weightProduct(const Request& request, const Product& p, std::optional<std::size_t> biasInput,
                                      double beta)
{
    LayerSpec spec;
    spec.type = "InnerProduct";
    spec.operands = {{0, {p.rows, p.inner}}};
    spec.outputs = {{p.rows, p.columns}};
    spec.blobInputs = {1};
    if (biasInput)
        spec.blobInputs.push_back(*biasInput);
    spec.params.set("num_output", p.columns);
    spec.params.set("bias_term", biasInput.has_value());
    spec.params.set("axis", 1);
    spec.blobs = [p, biasInput, beta](const ContentFn& content) {
        cv::Mat weight(p.transB ? p.columns : p.inner, p.transB ? p.inner : p.columns, CV_32F, content(1).data);
        if (!p.transB)
            weight = weight.t();
        if (p.alpha != 1.0)
            weight = weight * p.alpha;
        std::vector<cv::Mat> blobs{weight};
        if (biasInput) {
            const View bias = content(*biasInput);
            cv::Mat row(1, p.columns, CV_32F, cv::Scalar(bias.as<float>()[0]));
            if (bias.count != 1)
                cv::Mat(1, p.columns, CV_32F, bias.data).copyTo(row);
            blobs.push_back(beta == 1.0 ? row : cv::Mat(row * beta));
        }
        return blobs;
    };
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

std::unique_ptr<Kernel> makeMatMul(const Request& request)
{
    request.requireFloatInput(0);
    request.requireFloatInput(1);
    Dims a = request.dims(0);
    Dims b = request.dims(1);
    if (a.empty() || b.empty())
        request.refuse("it has a scalar operand");
    const bool isRow = a.size() == 1; // a vector is one row, or one column
    const bool isColumn = b.size() == 1;
    if (isRow)
        a.insert(a.begin(), 1);
    if (isColumn)
        b.push_back(1);
    Product p;
    p.rows = matExtent(request, a[a.size() - 2]);
    p.inner = matExtent(request, a.back());
    p.columns = matExtent(request, b.back());
    if (b[b.size() - 2] != p.inner)
        request.refuse("its operands do not fit");
    request.requireFloatOutput();
    const Dims batchA(a.begin(), a.end() - 2);
    const Dims batchB(b.begin(), b.end() - 2);
    if (batchB.empty() && request.isConstant(1) && p.inner > 0 && product(a) > 0) {
        p.rows = matExtent(request, product(a) / p.inner);
        request.requireCount(std::int64_t{p.rows} * p.columns);
        return weightProduct(request, p, std::nullopt, 1.0);
    }
    Dims batch = request.outputDims();
    for (const bool isOne : {isRow, isColumn}) {
        if (!isOne && !batch.empty())
            batch.pop_back();
    }
    request.requireCount(product(batch) * p.rows * p.columns);
    return std::make_unique<MatMulKernel>(p, broadcastLoops(request, std::vector<Dims>{batchA, batchB}, batch));
}

class GemmKernel : public Kernel {
public:
    GemmKernel(Product product, double beta, std::optional<BroadcastLoops> bias)
        : m_product(product), m_beta(static_cast<float>(beta)), m_bias(std::move(bias))
    {
    }
    std::string engine() const override { return "gemm"; }
    void run(const KernelIo& io) override
    {
        float* out = io.out[0].as<float>();
        multiply(m_product, io.in[0].as<float>(), io.in[1].as<float>(), out);
        if (!m_bias)
            return;
        const std::size_t rank = m_bias->extents.size();
        const std::int64_t stride = rank == 0 ? 0 : m_bias->strides[0][rank - 1];
        const float* bias = io.in[2].as<float>();
        forEachRow<1>(*m_bias, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
            for (std::int64_t i = 0; i < length; ++i)
                out[at + i] += m_beta * bias[offsets[0] + i * stride];
        });
    }

private:
    Product m_product;
    float m_beta;
    std::optional<BroadcastLoops> m_bias;
};

std::unique_ptr<Kernel> makeGemm(const Request& request)
{
    request.requireFloatInput(0);
    request.requireFloatInput(1);
    if (request.rank(0) != 2 || request.rank(1) != 2)
        request.refuse("its operands are no matrices");
    Product p;
    p.transA = request.integer("transA", 0) != 0;
    p.transB = request.integer("transB", 0) != 0;
    p.alpha = request.real("alpha", 1.0);
    p.rows = matExtent(request, request.dims(0)[p.transA ? 1 : 0]);
    p.inner = matExtent(request, request.dims(0)[p.transA ? 0 : 1]);
    p.columns = matExtent(request, request.dims(1)[p.transB ? 0 : 1]);
    if (request.dims(1)[p.transB ? 1 : 0] != p.inner || p.inner == 0)
        request.refuse("its operands do not fit");
    request.requireFloatOutput();
    request.requireCount(std::int64_t{p.rows} * p.columns);
    if (request.outputDims().size() != 2)
        request.refuse("its output is no matrix");
    const double beta = request.real("beta", 1.0);
    const bool hasBias = request.hasInput(2);
    if (hasBias)
        request.requireFloatInput(2);
    const bool isRowBias = hasBias && request.isConstant(2)
        && (product(request.dims(2)) == 1 || (product(request.dims(2)) == p.columns && request.dims(2).back() == p.columns));
    if (request.isConstant(1) && !p.transA && p.rows > 0 && p.columns > 0 && (!hasBias || isRowBias))
        return weightProduct(request, p, hasBias ? std::optional<std::size_t>(2) : std::nullopt, beta);
    std::optional<BroadcastLoops> bias;
    if (hasBias) {
        bias = broadcastLoops(request, std::vector<Dims>{request.dims(2)}, request.outputDims());
    }
    return std::make_unique<GemmKernel>(p, beta, std::move(bias));
}

constexpr KernelEntry kEntries[] = {
    {"Gemm", makeGemm},
    {"MatMul", makeMatMul},
};

} // namespace

std::span<const KernelEntry> denseKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
