// A half-space is drawn as a part of its surface: a grid that fades away.

import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, Vector2 } from "three";

/** What its colour, its grid and its reach are set by. */
function uniformsOf() {
  return { colour: { value: new Color("#8494a6") }, step: { value: 0.1 }, reach: { value: 1 }, middle: { value: new Vector2() } };
}

export type Floor = Mesh<PlaneGeometry, ShaderMaterial & { uniforms: ReturnType<typeof uniformsOf> }>;

export function floorOf(): Floor {
  const uniforms = uniformsOf();
  const material = new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    uniforms,
    vertexShader: /* glsl */ `
      uniform float reach;
      uniform vec2 middle;
      varying vec2 at;
      void main() {
        at = middle + position.xy * reach;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 colour;
      uniform float step;
      uniform float reach;
      uniform vec2 middle;
      varying vec2 at;
      float lines(float every) {
        vec2 cell = at / every;
        vec2 width = fwidth(cell);
        vec2 near = abs(fract(cell - 0.5) - 0.5) / max(width, 1e-6);
        // Where lines would flicker they are left out.
        return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
      }
      void main() {
        float fade = 1.0 - smoothstep(0.25, 1.0, length(at - middle) / reach);
        float ink = 0.13 + 0.2 * lines(step) + 0.3 * lines(step * 5.0);
        gl_FragColor = vec4(colour, ink * fade);
        #include <colorspace_fragment>
      }`,
  });
  const floor: Floor = new Mesh(new PlaneGeometry(2, 2), Object.assign(material, { uniforms }));
  floor.renderOrder = -2;
  return floor;
}
