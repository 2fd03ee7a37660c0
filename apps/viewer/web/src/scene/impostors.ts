// Many balls as flat pieces that face the eye, each drawn as the ball that it would be; and many boxes as their edges.

import {
  BufferAttribute,
  type Color,
  DoubleSide,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  ShaderMaterial,
} from "three";

/** Balls: middle and radius, four numbers each. */
export function ballGeometry(numbers: Float32Array): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.setAttribute("ball", new InstancedBufferAttribute(numbers, 4));
  geometry.instanceCount = numbers.length / 4;
  return geometry;
}

export function ballMaterial(colour: Color, opacity: number): ShaderMaterial {
  return new ShaderMaterial({
    side: DoubleSide,
    transparent: opacity < 1,
    depthWrite: opacity === 1,
    uniforms: { colour: { value: colour }, opacity: { value: opacity } },
    vertexShader: /* glsl */ `
      attribute vec4 ball;
      varying vec3 seen;
      varying vec3 middle;
      varying float radius;
      void main() {
        vec4 at = modelViewMatrix * vec4(ball.xyz, 1.0);
        middle = at.xyz;
        radius = ball.w;
        float away = length(middle);
        vec3 toward = middle / away;
        vec3 across = normalize(cross(toward, abs(toward.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
        vec3 up = cross(across, toward);
        // Large enough for the outline of the ball, which is nearer than its middle.
        float reach = radius * away / sqrt(max(away * away - radius * radius, 1e-4 * away * away));
        seen = middle + (across * position.x + up * position.y) * reach;
        gl_Position = projectionMatrix * vec4(seen, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 colour;
      uniform float opacity;
      uniform mat4 projectionMatrix;
      varying vec3 seen;
      varying vec3 middle;
      varying float radius;
      void main() {
        vec3 ray = normalize(seen);
        float along = dot(ray, middle);
        float left = along * along - dot(middle, middle) + radius * radius;
        if (left < 0.0) discard;
        vec3 hit = ray * (along - sqrt(left));
        vec3 normal = (hit - middle) / radius;
        float light = 0.42 + 0.5 * max(dot(normal, normalize(vec3(-0.45, 0.6, 0.75))), 0.0);
        vec4 clip = projectionMatrix * vec4(hit, 1.0);
        gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
        gl_FragColor = vec4(colour * light * 1.15, opacity);
        #include <colorspace_fragment>
      }`,
  });
}

/** Boxes: middle, half edges and a quaternion, ten numbers each. */
export function boxGeometry(numbers: Float32Array): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const corners: number[] = [];
  for (let k = 0; k < 8; k++) corners.push(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.setIndex([0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7]);
  const buffer = new InstancedInterleavedBuffer(numbers, 10);
  geometry.setAttribute("middle", new InterleavedBufferAttribute(buffer, 3, 0));
  geometry.setAttribute("halves", new InterleavedBufferAttribute(buffer, 3, 3));
  geometry.setAttribute("turn", new InterleavedBufferAttribute(buffer, 4, 6));
  geometry.instanceCount = numbers.length / 10;
  return geometry;
}

export function boxMaterial(colour: Color): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    uniforms: { colour: { value: colour } },
    vertexShader: /* glsl */ `
      attribute vec3 middle;
      attribute vec3 halves;
      attribute vec4 turn;
      void main() {
        vec3 p = position * halves;
        p += 2.0 * cross(turn.xyz, cross(turn.xyz, p) + turn.w * p);
        gl_Position = projectionMatrix * modelViewMatrix * vec4(middle + p, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 colour;
      void main() {
        gl_FragColor = vec4(colour, 0.75);
        #include <colorspace_fragment>
      }`,
  });
}
