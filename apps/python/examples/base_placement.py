"""Where should the robot stand? A sweep over base placements, and a heat map of how free its work is.

python base_placement.py [JOB.toml] [--size N] [--ray ADDRESS] [--picture FILE.png] [--out FOLDER]; needs matplotlib for the picture. Without a job
a short one of the built-in cell is taken.
"""

import argparse
import tempfile

import numpy as np

import kansho


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", nargs="?")
    parser.add_argument("--size", type=int, default=8, help="placements along each side of the grid")
    parser.add_argument("--ray", help="address of a Ray cluster; local starts one")
    parser.add_argument("--picture", default="placement.png")
    parser.add_argument("--out", help="folder in which results are kept, to go on after a crash")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        job = kansho.Job.load(arguments.job or kansho.demo_files(folder, points=100, degrees=30))
    x = y = np.linspace(-0.25, 0.25, arguments.size)
    places = [{"arm": [dx, dy, 0.0]} for dy in y for dx in x]
    found = kansho.sweep(
        job, kansho.grid(at=places), out=arguments.out, ray=arguments.ray, progress=kansho.progress_bar("placements")
    )
    share = found.column("free_share").reshape(len(y), len(x))
    paths = (found.column("verdict") == "path").reshape(len(y), len(x))
    best = np.unravel_index(np.argmax(np.where(paths.any(), np.where(paths, share, 0), share)), share.shape)
    print(found)
    print(f"best: x {x[best[1]]:+.3f} m, y {y[best[0]]:+.3f} m, {100 * share[best]:.1f} % of the map free")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 5))
    picture = axes.pcolormesh(x, y, 100 * share, shading="nearest")
    rows, columns = np.nonzero(paths)
    axes.scatter(x[columns], y[rows], s=12, color="white", label="a whole path, proven free")
    axes.set(xlabel="base, x (m)", ylabel="base, y (m)", title="How much of the work is free, by place of the robot")
    figure.colorbar(picture, label="free cells of the map (%)")
    if paths.any():
        axes.legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(arguments.picture, dpi=110)
    print(f"{arguments.picture} written")


if __name__ == "__main__":
    main()
