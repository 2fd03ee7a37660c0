// Small pictures: 256 colours, packed as well as it goes.

import zlib from "node:zlib";

/** A picture of a page (PNG), in 256 colours. */
export async function smallScreenshot(page, size) {
  const shot = await page.screenshot();
  const points = await page.evaluate(async (shot) => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let k = 0; k < data.length; k += 8192) text += String.fromCharCode(...data.subarray(k, k + 8192));
    return btoa(text);
  }, shot.toString("base64"));
  return png(Buffer.from(points, "base64"), size);
}

/** A picture (PNG) from red, green, blue and opacity of each point. */
export function png(points, { width, height }) {
  const { palette, nearest } = colours(points);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest(4 * (y * width + x));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = zlib.deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("PLTE", Buffer.from(palette.flat())), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(zlib.crc32 ? zlib.crc32(body) : crc(body), body.length + 4);
  return whole;
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** At most 256 colours that stand for all, by cutting the box with the longest side in the middle of its points. */
function colours(points) {
  const counts = new Map();
  const key = (at) => ((points[at] >> 2) << 12) | ((points[at + 1] >> 2) << 6) | (points[at + 2] >> 2);
  for (let at = 0; at < points.length; at += 4) counts.set(key(at), (counts.get(key(at)) ?? 0) + 1);
  const all = [...counts].map(([own, count]) => ({ own, count, rgb: [own >> 12, (own >> 6) & 63, own & 63] }));
  const side = (list, k) => Math.max(...list.map((one) => one.rgb[k])) - Math.min(...list.map((one) => one.rgb[k]));
  const longest = (list) => [0, 1, 2].reduce((best, k) => (side(list, k) > side(list, best) ? k : best), 0);
  const worth = (list) => (list.length < 2 ? 0 : side(list, longest(list)) ** 2 * Math.sqrt(list.reduce((sum, one) => sum + one.count, 0)));
  const boxes = [{ list: all, worth: worth(all) }];
  while (boxes.length < 256) {
    boxes.sort((a, b) => a.worth - b.worth);
    const { list, worth: most } = boxes.pop();
    if (most === 0) {
      boxes.push({ list, worth: 0 });
      break;
    }
    const k = longest(list);
    list.sort((a, b) => a.rgb[k] - b.rgb[k] || a.own - b.own);
    const half = list.reduce((sum, one) => sum + one.count, 0) / 2;
    let [at, sum] = [0, 0];
    while (at < list.length - 1 && sum + list[at].count <= half) sum += list[at++].count;
    at = Math.max(at, 1);
    for (const part of [list.slice(0, at), list.slice(at)]) boxes.push({ list: part, worth: worth(part) });
  }
  const of = new Map();
  const palette = boxes.map(({ list }, index) => {
    const total = list.reduce((sum, one) => sum + one.count, 0);
    for (const { own } of list) of.set(own, index);
    return [0, 1, 2].map((k) => Math.min(Math.round((4 * list.reduce((sum, one) => sum + one.count * (one.rgb[k] + 0.5), 0)) / total), 255));
  });
  return { palette, nearest: (at) => of.get(key(at)) };
}
