// SPDX-License-Identifier: MIT
#include <arenascope/importer.h>

#include "core/src/import/byte_source.h"
#include "core/src/import/caffe/caffe_importer.h"
#include "core/src/import/darknet/darknet_importer.h"
#include "core/src/import/ncnn/ncnn_importer.h"
#include "core/src/import/onnx/onnx_importer.h"
#include "core/src/import/recognised_formats.h"
#include "core/src/import/tflite/tflite_importer.h"

#include <array>
#include <exception>
#include <new>
#include <system_error>

namespace arenascope {

namespace {

constexpr std::int64_t kHeadBytes = 4096;

Error unsupported(const RecognisedFormat& format, const std::filesystem::path& path)
{
    return Error{ErrorCode::FormatUnsupported, path.string(), {std::string(format.title), remedyOf(format, path)}};
}

struct Match {
    const Importer* importer = nullptr;
    int certainty = 0;
};

Match bestImporter(std::string_view head, const std::filesystem::path& path)
{
    Match best;
    for (const Importer* importer : importers()) {
        const int certainty = importer->probe(head, path);
        if (certainty > best.certainty)
            best = {importer, certainty};
    }
    return best;
}

/// Errors of importers name the place in the file; the file goes before it.
Result<ImportedModel> namingTheFile(Result<ImportedModel> model, const std::filesystem::path& path)
{
    if (model || model.error().where.starts_with(path.string()))
        return model;
    Error error = model.error();
    error.where = path.string() + (error.where.empty() ? "" : ", " + error.where);
    return error;
}

Result<ImportedModel> readBy(const Importer& importer, const std::filesystem::path& path, const ImportOptions& options,
                             std::stop_token stop, const ProgressFn& progress)
{
    // Libraries below may throw, above all where memory runs out; nothing of that may leave core.
    try {
        return namingTheFile(importer.read(path, options, std::move(stop), progress), path);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, path.string(), {"the structure of the model"}};
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, path.string(), {e.what()}};
    }
}

} // namespace

std::span<const Importer* const> importers()
{
    // A new format is a new line here.
    static const std::array kImporters = {
        &onnxImporter(), &tfliteImporter(), &caffeImporter(), &darknetImporter(), &ncnnImporter(),
    };
    return kImporters;
}

Result<ImportedModel> importModel(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                                  const ProgressFn& progress)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        if (const auto folder = recogniseFolder(path))
            return unsupported(*folder, path);
    }
    const auto head = readHead(path, kHeadBytes);
    if (!head)
        return head.error();
    const Match match = bestImporter(*head, path);
    const auto known = recogniseFormat(*head, path);
    if (known && known->certainty > match.certainty)
        return unsupported(*known, path);
    if (match.importer == nullptr)
        return Error{ErrorCode::FormatUnknown, path.string(), {}};
    return readBy(*match.importer, path, options, std::move(stop), progress);
}

} // namespace arenascope
