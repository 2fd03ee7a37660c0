// Shapes and motions of a report: from few bytes to what the scene takes.

import type { GeometryHeader, Place } from "../api";
import { Pack } from "../api";
import { Motion } from "../motion";

interface SmallHeader {
  meshes: { low: number[]; size: number[]; few: boolean; positions: Place; normals: Place; corners: Place }[];
  motions: { name: string; joints: number; count: number; postures: Place }[];
}

/** Bytes from text. */
export function bytes(text: string): ArrayBuffer {
  const raw = atob(text.trim());
  const data = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) data[k] = raw.charCodeAt(k);
  return data.buffer;
}

/** The same shapes as the viewer gets from its server, and motions. */
export function unpack(data: ArrayBuffer): { pack: Pack<GeometryHeader>; motions: Motion[] } {
  const small = Pack.of<SmallHeader>(data);
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (array: Float32Array | Uint32Array | Int8Array): Place => {
    const at = length;
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    length += array.byteLength;
    return [at, array.length];
  };
  const meshes = small.header.meshes.map(({ low, size, few, positions, normals, corners }) => {
    const short = small.short(positions);
    const wide = new Float32Array(short.length);
    for (let k = 0; k < short.length; k++) wide[k] = (low[k % 3] as number) + ((short[k] as number) / 65535) * (size[k % 3] as number);
    const three = small.small(normals);
    const four = new Int8Array((three.length / 3) * 4);
    for (let k = 0; k < three.length / 3; k++) four.set(three.subarray(3 * k, 3 * k + 3), 4 * k);
    return { positions: add(wide), normals: add(four), corners: add(few ? Uint32Array.from(small.short(corners)) : small.whole(corners)) };
  });
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const motions = small.header.motions.map(({ name, joints, count, postures }) => through(name, small.floats(postures), joints, count));
  return { pack: new Pack<GeometryHeader>({ meshes, motions: [] }, whole.buffer, 0), motions };
}

/** A motion through postures, evenly from one to the next. */
function through(name: string, postures: Float32Array, joints: number, count: number): Motion {
  const controls: number[] = [];
  for (let k = 0; k + 1 < count; k++) {
    for (let joint = 0; joint < joints; joint++) {
      const [a, b] = [postures[k * joints + joint] as number, postures[(k + 1) * joints + joint] as number];
      controls.push(a, a + (b - a) / 3, b - (b - a) / 3, b);
    }
  }
  return new Motion(name, count - 1, Float64Array.from(controls), joints);
}
