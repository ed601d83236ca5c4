// The ceiling: a kernel that only copies, and the device's own copy, over the case's values.

const COPY = (/** @type {number} */ width) => `
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let index = (workgroup.y * ${width}u + workgroup.x) * 256u + thread;
  if (index < arrayLength(&x)) {
    y[index] = x[index];
  }
}`;

/** @param {any} gpu @returns {import("./measure.js").Subject} */
export function copySubject(gpu) {
  const { device } = gpu.context.session;
  return {
    name: "copy",
    version: "kernel, vec4",
    async prepare(_, { x }) {
      const size = x.byteLength;
      const [from, to] = [0, 1].map(() => device.createBuffer({ size, usage: 0x80 | 0x8 | 0x4 }));
      device.queue.writeBuffer(from, 0, x);
      const workgroups = Math.ceil(size / 4096);
      const width = Math.min(workgroups, Math.ceil(Math.sqrt(workgroups)));
      const module = device.createShaderModule({ code: COPY(width) });
      const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
      const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [from, to].map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
      return {
        run() {
          const encoder = device.createCommandEncoder();
          const pass = encoder.beginComputePass();
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, group);
          pass.dispatchWorkgroups(width, Math.ceil(workgroups / width));
          pass.end();
          device.queue.submit([encoder.finish()]);
        },
        fence: () => device.queue.onSubmittedWorkDone(),
        read: async () => x,
        dispose: () => [from, to].forEach((buffer) => buffer.destroy()),
      };
    },
  };
}
