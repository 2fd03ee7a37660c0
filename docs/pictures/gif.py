"""Puts frames together: gif.py FOLDER OUT.gif. FOLDER has frames.json, a list of [file, milliseconds]. Needs Pillow."""

import json
import sys
from pathlib import Path

from PIL import Image, ImageChops

#: Half of the colours are the frequent ones (the background), half are far from each other (what is small and bright).
FREQUENT, VARIED = 140, 115
COLOURS = FREQUENT + VARIED

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
listed = json.loads((folder / "frames.json").read_text())
pictures = [Image.open(folder / name).convert("RGB") for name, _ in listed]

# One palette for all frames, so that what does not move stays the same to the last bit. It is taken from every third frame and
# from those that are shown for long.
chosen = [picture for k, picture in enumerate(pictures) if k % 3 == 0 or listed[k][1] > 500]
width, height = pictures[0].size
strip = Image.new("RGB", (width, height * len(chosen)))
for k, picture in enumerate(chosen):
    strip.paste(picture, (0, k * height))
frequent = strip.quantize(FREQUENT, method=Image.Quantize.MEDIANCUT).getpalette()[: 3 * FREQUENT]
varied = strip.quantize(VARIED, method=Image.Quantize.MAXCOVERAGE).getpalette()[: 3 * VARIED]
palette = Image.new("P", (1, 1))
palette.putpalette((frequent + varied + [255] * 3 * COLOURS)[: 3 * COLOURS])
flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
# What has not changed is left open: the frame before shows through.
frames = [flat[0]]
for before, now in zip(flat, flat[1:]):
    same = ImageChops.difference(Image.frombytes("L", now.size, before.tobytes()), Image.frombytes("L", now.size, now.tobytes()))
    changed = now.copy()
    changed.paste(COLOURS, mask=same.point(lambda value: 255 if value == 0 else 0))
    frames.append(changed)
frames[0].save(
    out,
    save_all=True,
    append_images=frames[1:],
    duration=[milliseconds for _, milliseconds in listed],
    loop=0,
    transparency=COLOURS,
    optimize=False,
    disposal=1,
)
with Image.open(out) as written:
    for k, wanted in enumerate(flat):
        written.seek(k)
        assert ImageChops.difference(written.convert("RGB"), wanted.convert("RGB")).getbbox() is None, f"frame {k} is not as it was"
seconds = sum(milliseconds for _, milliseconds in listed) / 1000
print(f"{out}: {out.stat().st_size} bytes, {len(flat)} frames, {seconds:.1f} s")
