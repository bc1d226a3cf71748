// SPDX-License-Identifier: MIT
// Compares what bench_run --dump wrote with ONNX Runtime, where that is at hand (npm install onnxruntime-node --ignore-scripts):
//     node compare_onnxruntime.js DUMP_FOLDER
// A dump folder holds, for each model, a folder with index.json (model, inputs, outputs: name, type, dims, file) and raw files.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const arrays = {
    float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int16: Int16Array, int8: Int8Array,
    uint8: Uint8Array, bool: Uint8Array, uint16: Uint16Array, float16: Uint16Array,
};

function contentOf(folder, entry) {
    const bytes = fs.readFileSync(path.join(folder, entry.file));
    return new arrays[entry.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function compare(ours, theirs) {
    let worst = 0;
    let scale = 0;
    for (let i = 0; i < theirs.length; ++i)
        scale = Math.max(scale, Math.abs(Number(theirs[i])));
    for (let i = 0; i < theirs.length; ++i) {
        const distance = Math.abs(Number(ours[i]) - Number(theirs[i]));
        if (!(distance <= worst) && !(Number.isNaN(Number(ours[i])) && Number.isNaN(Number(theirs[i]))))
            worst = distance;
    }
    return {worst, scale};
}

async function run(folder) {
    const index = JSON.parse(fs.readFileSync(path.join(folder, 'index.json'), 'utf8'));
    const session = await ort.InferenceSession.create(index.model, {logSeverityLevel: 4});
    const feeds = {};
    for (const input of index.inputs)
        feeds[input.name] = new ort.Tensor(input.type, contentOf(folder, input), input.dims);
    const results = await session.run(feeds);
    for (const output of index.outputs) {
        const {worst, scale} = compare(contentOf(folder, output), results[output.name].data);
        const relative = scale > 0 ? worst / scale : worst;
        console.log(`| ${path.basename(folder)} | ${output.name} | ${scale.toExponential(2)} | ${worst.toExponential(2)} | `
            + `${relative.toExponential(2)}${relative <= 1e-3 ? '' : ' **'} |`);
    }
}

(async () => {
    console.log('| model | output | largest | worst difference | of the largest |\n|---|---|---:|---:|---:|');
    for (const name of fs.readdirSync(process.argv[2]).sort()) {
        try {
            await run(path.join(process.argv[2], name));
        } catch (error) {
            console.log(`| ${name} | ${String(error.message).split('\n')[0]} |`);
        }
    }
})();
