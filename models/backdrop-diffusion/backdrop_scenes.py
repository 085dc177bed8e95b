"""The training pictures of the backdrop model: scenes drawn from a seed, no photo and no person among them.

Every scene is drawn at 256 x 320 pixels and reduced to 64 x 80, which is what the model learns. The scenes stand for
places a garment is photographed at: indoors lying or hanging (``studio``) and outdoors out of focus (``street``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
WIDTH, HEIGHT = 256, 320
SMALL = (64, 80)


def draw(scene: str, seed: int) -> npt.NDArray[np.uint8]:
    """Return one scene as (80, 64, 3) uint8 sRGB; the same scene and seed give the same pixels.

    Raises KeyError for a scene that is not in ``SCENES``.
    """
    import cv2

    rng = np.random.default_rng([list(SCENES).index(scene), seed])
    picture = np.clip(SCENES[scene](rng), 0, 1)
    picture = _camera(picture, rng)
    small = cv2.resize(picture, SMALL, interpolation=cv2.INTER_AREA)
    return (np.clip(small, 0, 1) * 255 + 0.5).astype(np.uint8)


def _camera(picture: Floats, rng: np.random.Generator) -> Floats:
    """White balance, exposure and vignette of a real camera."""
    warmth = rng.normal(0, 0.02)
    gain = np.asarray([1 + warmth, 1.0, 1 - warmth], np.float32) * rng.normal(1.0, 0.04)
    x, y = _grid()
    radius = ((x - 0.5) ** 2 + ((y - 0.5) * 1.25) ** 2) / 0.64
    return _as_floats(np.clip(picture * gain, 0, 1) * (1 - rng.uniform(0.02, 0.16) * radius)[..., None])


def _as_floats(values: npt.ArrayLike) -> Floats:
    return np.asarray(values, np.float32)


def _grid() -> tuple[Floats, Floats]:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return _as_floats((x + 0.5) / WIDTH), _as_floats((y + 0.5) / HEIGHT)


def _noise(rng: np.random.Generator, cells_x: int, cells_y: int | None = None) -> Floats:
    """Smooth unit-variance noise with about that many bumps across and down."""
    import cv2

    cells = rng.normal(0, 1, ((cells_y or cells_x) + 3, cells_x + 3)).astype(np.float32)
    return _as_floats(cv2.resize(cells, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC))


def _cloud(rng: np.random.Generator, cells: int, octaves: int = 4) -> Floats:
    parts = [_noise(rng, cells * 2**k, int(cells * 2**k * 1.25)) / 2**k for k in range(octaves)]
    return _as_floats(np.sum(parts, axis=0))


def _rise(distance: Floats, width: float) -> Floats:
    """0 before and 1 behind an edge, a logistic of that width."""
    return _as_floats(0.5 + 0.5 * np.tanh(distance / (2 * width)))


def _blur(picture: Floats, sigma: float) -> Floats:
    import cv2

    return _as_floats(cv2.GaussianBlur(picture, (0, 0), sigma)) if sigma > 0.2 else picture


def _hsv(hue: float, saturation: float, value: float) -> Floats:
    """Colour from hue in turns, saturation and value in 0..1."""
    import colorsys

    return _as_floats(colorsys.hsv_to_rgb(hue % 1.0, min(max(saturation, 0), 1), min(max(value, 0), 1)))


def _flat(colour: Floats) -> Floats:
    return _as_floats(np.broadcast_to(colour, (HEIGHT, WIDTH, 3)).copy())


def _light(rng: np.random.Generator, strength: float) -> Floats:
    """A multiplier (h, w, 1): one soft lamp somewhere above the middle."""
    x, y = _grid()
    cx, cy = rng.uniform(0.1, 0.9), rng.uniform(-0.1, 0.6)
    spread = rng.uniform(0.35, 0.8)
    lamp = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * spread**2))
    return _as_floats(1 - strength + strength * 1.25 * lamp)[..., None]


def _window_light(rng: np.random.Generator) -> Floats:
    """A multiplier (h, w, 1): a slanted window's light with its crossbars."""
    import cv2

    mask = np.zeros((HEIGHT, WIDTH), np.float32)
    left, top = rng.uniform(-60, 120), rng.uniform(-60, 90)
    slant, width, height = rng.uniform(-0.5, 0.5), rng.uniform(50, 90), rng.uniform(70, 120)
    for row in range(2):
        for column in range(2):
            x0, y0 = left + column * (width + 12), top + row * (height + 12)
            corners = [(x0, y0), (x0 + width, y0), (x0 + width, y0 + height), (x0, y0 + height)]
            skewed = [(x + slant * y, y + 0.25 * slant * x) for x, y in corners]
            cv2.fillPoly(mask, [np.asarray(skewed, np.int32)], 1.0)
    return _as_floats(1 + (_blur(mask, rng.uniform(3, 9)) - 0.4) * rng.uniform(0.12, 0.3))[..., None]


def _paper_sweep(rng: np.random.Generator) -> Floats:
    _, y = _grid()
    tone = _hsv(rng.random(), rng.choice([0.03, 0.06, 0.14, 0.28]), rng.uniform(0.68, 0.97))
    bend, width = rng.uniform(0.66, 0.86), rng.uniform(0.02, 0.07)
    floor = _rise(y - bend, width)
    fold = np.exp(-(((y - bend) / (2.2 * width)) ** 2))
    shade = 1 + rng.uniform(0.02, 0.10) * floor - rng.uniform(0.02, 0.08) * fold
    return _as_floats(_flat(tone) * shade[..., None] * _light(rng, rng.uniform(0.12, 0.38)))


def _plaster_wall(rng: np.random.Generator) -> Floats:
    tone = _hsv(rng.choice([0.08, 0.1, 0.55, 0.33, 0.98, 0.62]), rng.uniform(0.02, 0.3), rng.uniform(0.62, 0.93))
    mottle = 1 + 0.022 * _cloud(rng, 3)
    wall = _flat(tone) * mottle[..., None] * _light(rng, rng.uniform(0.08, 0.25))
    if rng.random() < 0.55:
        wall = wall * _window_light(rng)
    if rng.random() < 0.4:  # a skirting board and a strip of floor
        _, y = _grid()
        edge = rng.uniform(0.84, 0.92)
        floor = _hsv(0.08, rng.uniform(0.2, 0.5), rng.uniform(0.4, 0.7))
        wall[y[:, 0] > edge] = floor
        strip = (y[:, 0] > edge - 0.035) & (y[:, 0] <= edge)
        wall[strip] = wall[strip] * 0.4 + 0.56
    return _blur(_as_floats(wall), 1.5)


def _planks(rng: np.random.Generator, tone: Floats, boards: float, angle: float) -> Floats:
    """Boards side by side: own tone each, grain along, dark gaps and butt joints; ``boards`` across the width."""
    x, y = _grid()
    across = (np.cos(angle) * (x - 0.5) + np.sin(angle) * (y - 0.5) * 1.25) * boards + 50.0
    along = -np.sin(angle) * (x - 0.5) + np.cos(angle) * (y - 0.5) * 1.25 + 5.0
    board = np.floor(across).astype(int)
    length = rng.uniform(0.9, 1.6)
    joint_at = along / length + np.modf(board * 0.618)[0]
    piece = np.floor(joint_at).astype(int)
    tones = rng.normal(0, 1, 4096).astype(np.float32)
    shade = 1 + rng.uniform(0.04, 0.09) * tones[(board * 37 + piece * 101) % 4096]
    wobble = 1.2 * _noise(rng, 3)
    grain = np.sin((across - board) * rng.uniform(9, 16) + wobble * 2 + tones[(board * 11) % 4096] * 9)
    shade = shade + 0.025 * grain + 0.015 * _noise(rng, 30, 8)
    gap = np.minimum(across - board, 1 - (across - board)) / boards * WIDTH
    butt = np.minimum(joint_at - piece, 1 - (joint_at - piece)) * length * WIDTH
    shade = shade * (1 - rng.uniform(0.25, 0.5) * np.exp(-((np.minimum(gap, butt) / 1.6) ** 2)))
    return _as_floats(tone * shade[..., None])


def _wood_floor(rng: np.random.Generator) -> Floats:
    tone = _hsv(rng.uniform(0.06, 0.11), rng.uniform(0.2, 0.58), rng.uniform(0.42, 0.86))
    floor = _planks(rng, tone, rng.uniform(4, 8), rng.choice([0.0, np.pi / 2]) + rng.normal(0, 0.12))
    return _blur(_as_floats(floor * _light(rng, rng.uniform(0.1, 0.3))), 1.0)


def _bed_sheet(rng: np.random.Generator) -> Floats:
    x, y = _grid()
    tone = _hsv(rng.choice([0.6, 0.1, 0.05, 0.58, 0.95, 0.4]), rng.choice([0.02, 0.05, 0.16]), rng.uniform(0.8, 0.96))
    height = 0.55 * _cloud(rng, 2, 2)
    for _ in range(rng.integers(4, 9)):
        turn = rng.uniform(0, np.pi)
        off = np.cos(turn) * (x - rng.random()) + np.sin(turn) * (y - rng.random()) * 1.25 + 0.05 * _noise(rng, 3)
        height = height + rng.uniform(0.4, 1.0) * np.exp(-((off / rng.uniform(0.03, 0.08)) ** 2))
    slope = (
        np.gradient(_blur(_as_floats(height), 3), axis=1) * 0.8
        + np.gradient(_blur(_as_floats(height), 3), axis=0) * 0.6
    )
    shade = np.clip(1 + rng.uniform(1.6, 3.2) * slope, 0.72, 1.1)
    return _blur(_as_floats(_flat(tone) * shade[..., None] * _light(rng, rng.uniform(0.06, 0.2))), 1.5)


def _concrete_floor(rng: np.random.Generator) -> Floats:
    x, y = _grid()
    tone = _hsv(rng.choice([0.1, 0.58, 0.08]), rng.uniform(0.01, 0.08), rng.uniform(0.5, 0.82))
    shade = 1 + 0.04 * _cloud(rng, 2)
    angle = rng.normal(0, 0.15)
    u = np.cos(angle) * x + np.sin(angle) * y * 1.25
    v = -np.sin(angle) * x + np.cos(angle) * y * 1.25
    if rng.random() < 0.7:
        tile = rng.uniform(0.45, 0.9)
        for line, start in ((u, rng.random()), (v, rng.random())):
            place = np.mod(line / tile + start, 1.0)
            away = np.minimum(place, 1 - place) * tile * WIDTH
            shade = shade * (1 - rng.uniform(0.15, 0.35) * np.exp(-((away / 1.8) ** 2)))
    return _blur(_as_floats(_flat(tone) * shade[..., None] * _light(rng, rng.uniform(0.08, 0.25))), 1.2)


def _rug(rng: np.random.Generator) -> Floats:
    x, y = _grid()
    hue, deep = rng.choice([0.02, 0.07, 0.1, 0.35, 0.57, 0.62, 0.95]) + rng.normal(0, 0.03), rng.uniform(0.08, 0.42)
    base, second = (
        _hsv(hue, deep, rng.uniform(0.45, 0.85)),
        _hsv(hue + rng.uniform(-0.1, 0.1), deep * 0.6, rng.uniform(0.55, 0.92)),
    )
    angle = rng.normal(0, 0.1) + rng.choice([0.0, np.pi / 2])
    u = np.cos(angle) * x + np.sin(angle) * y * 1.25 + 0.006 * _noise(rng, 4)
    v = -np.sin(angle) * x + np.cos(angle) * y * 1.25
    kind = rng.integers(0, 3)
    period = rng.uniform(0.12, 0.3)
    if kind == 0:
        share = (np.mod(u / period, 1.0) < rng.uniform(0.25, 0.6)).astype(np.float32)
    elif kind == 1:  # diamonds
        share = (np.abs(np.mod(u / period, 1) - 0.5) + np.abs(np.mod(v / period, 1) - 0.5) < 0.35).astype(np.float32)
    else:
        share = np.zeros_like(x)
    share = _blur(_as_floats(share), 2.0)[..., None] * rng.uniform(0.5, 1.0)
    pile = 1 + 0.012 * _noise(rng, 50, 62) + 0.02 * _cloud(rng, 5, 3)
    rug = (base * (1 - share) + second * share) * pile[..., None]
    return _blur(_as_floats(rug * _light(rng, rng.uniform(0.08, 0.25))), 1.6)


def _facade(rng: np.random.Generator, picture: Floats, corners: Floats, tone: Floats) -> None:
    """Paint a house front with rows of windows into the quadrilateral ``corners`` (4, 2), clockwise from upper left."""
    import cv2

    front = np.empty((160, 160, 3), np.float32)
    front[:] = tone
    rows, columns = int(rng.integers(4, 8)), int(rng.integers(3, 6))
    glass = _hsv(rng.uniform(0.52, 0.62), rng.uniform(0.1, 0.3), rng.uniform(0.25, 0.6))
    for row in range(rows):
        for column in range(columns):
            x0, y0 = (column + 0.25) * 160 / columns, (row + 0.2) * 160 / (rows + 1)
            shade = glass * rng.uniform(0.75, 1.3)
            cv2.rectangle(
                front, (int(x0), int(y0)), (int(x0 + 80 / columns), int(y0 + 96 / (rows + 1))), shade.tolist(), -1
            )
    awning = _hsv(rng.random(), rng.uniform(0.2, 0.7), rng.uniform(0.3, 0.8))
    cv2.rectangle(front, (0, int(160 - 150 / (rows + 1))), (160, 160), (awning * 0.7).tolist(), -1)
    cv2.rectangle(front, (0, int(160 - 150 / (rows + 1))), (160, int(160 - 105 / (rows + 1))), awning.tolist(), -1)
    square = np.asarray([(0, 0), (160, 0), (160, 160), (0, 160)], np.float32)
    view = cv2.getPerspectiveTransform(square, corners.astype(np.float32))
    warped = cv2.warpPerspective(front, view, (WIDTH, HEIGHT), flags=cv2.INTER_AREA)
    inside = cv2.warpPerspective(np.ones((160, 160), np.float32), view, (WIDTH, HEIGHT))[..., None]
    picture[:] = picture * (1 - inside) + warped * inside


def _city_street(rng: np.random.Generator) -> Floats:
    import cv2

    _, y = _grid()
    vx, vy = rng.uniform(0.35, 0.65) * WIDTH, rng.uniform(0.42, 0.52) * HEIGHT
    sky = _hsv(0.58, rng.uniform(0.04, 0.35), rng.uniform(0.8, 0.98))
    picture = _flat(sky) * (1 - 0.1 * y[..., None])
    road = _hsv(rng.choice([0.08, 0.6]), rng.uniform(0.02, 0.1), rng.uniform(0.38, 0.66))
    picture[int(vy) :] = road
    for side in (-1, 1):
        edge = vx + side * 0.10 * WIDTH
        far, walls = 0.0, int(rng.integers(2, 4))
        stops = np.linspace(0, 1, walls + 1) ** 0.7
        for k in range(walls):
            far, near = stops[k], stops[k + 1]
            tall = rng.uniform(0.75, 1.25)
            out = vx + side * (0.75 * WIDTH)

            def at(t: float, up: float, edge: float = edge, out: float = out) -> tuple[float, float]:
                grow = 0.15 + 1.0 * t
                return edge + (out - edge) * t, vy + (
                    HEIGHT * 0.40 * grow * 0.62 if up < 0 else -HEIGHT * 0.72 * grow * up
                )

            quad = [at(far, tall), at(near, tall), at(near, -1), at(far, -1)]
            if side < 0:
                quad = [quad[1], quad[0], quad[3], quad[2]]
            tone = _hsv(rng.uniform(0.02, 0.13), rng.uniform(0.05, 0.42), rng.uniform(0.42, 0.88)) * (
                0.86 if side > 0 else 1
            )
            _facade(rng, picture, _as_floats(quad), _as_floats(tone))
        kerb = np.asarray(
            [
                (edge, vy + 6),
                (vx + side * 0.35 * WIDTH, HEIGHT),
                (vx + side * 1.2 * WIDTH, HEIGHT),
                (vx + side * 0.75 * WIDTH, vy + 90),
            ]
        )
        cv2.fillPoly(picture, [kerb.astype(np.int32)], (road * 1.25).tolist())
    cv2.rectangle(
        picture, (int(vx - 0.1 * WIDTH), int(vy - 50)), (int(vx + 0.1 * WIDTH), int(vy + 4)), (sky * 0.78).tolist(), -1
    )
    for _ in range(rng.integers(0, 4)):  # parked cars far away, as blobs
        tone = _hsv(rng.random(), rng.uniform(0.0, 0.7), rng.uniform(0.15, 0.8))
        cx, cy, size = vx + rng.normal(0, 38), vy + rng.uniform(8, 26), rng.uniform(7, 15)
        cv2.ellipse(picture, (int(cx), int(cy)), (int(size * 1.5), int(size)), 0, 0, 360, tone.tolist(), -1)
    haze = np.exp(-(((y - vy / HEIGHT) / 0.22) ** 2))[..., None] * rng.uniform(0.05, 0.25)
    return _blur(_as_floats(picture * (1 - haze) + sky * haze), rng.uniform(4, 7))


def _blobs(rng: np.random.Generator, picture: Floats, count: int, tone: Callable[[], Floats], top: float, bottom: float,
           size: tuple[float, float], opacity: float) -> None:  # fmt: skip
    """Round spots between two heights (0..1), as leaves or lamps out of focus."""
    import cv2

    for _ in range(count):
        cx, cy, radius = (
            int(rng.uniform(-0.05, 1.05) * WIDTH),
            int(rng.uniform(top, bottom) * HEIGHT),
            int(rng.uniform(*size)),
        )
        x0, y0 = max(cx - radius, 0), max(cy - radius, 0)
        window = picture[y0 : max(cy + radius + 1, 0), x0 : max(cx + radius + 1, 0)]
        layer = np.zeros(window.shape[:2], np.float32)
        colour, share = tone(), opacity * rng.uniform(0.5, 1.0)
        if layer.size:
            cv2.circle(layer, (cx - x0, cy - y0), radius, share, -1)
            window[:] = window * (1 - layer[..., None]) + colour * layer[..., None]


def _park(rng: np.random.Generator) -> Floats:
    import cv2

    x, y = _grid()
    horizon = rng.uniform(0.5, 0.66)
    hue = rng.uniform(0.2, 0.34) if rng.random() < 0.8 else rng.uniform(0.07, 0.14)
    picture = _flat(_hsv(hue, rng.uniform(0.35, 0.6), rng.uniform(0.25, 0.45)))
    _blobs(
        rng,
        picture,
        90,
        lambda: _hsv(hue + rng.normal(0, 0.03), rng.uniform(0.3, 0.65), rng.uniform(0.2, 0.72)),
        -0.05,
        horizon,
        (7, 22),
        0.7,
    )
    _blobs(
        rng,
        picture,
        int(rng.integers(4, 22)),
        lambda: _hsv(0.15, rng.uniform(0.02, 0.2), rng.uniform(0.85, 1)),
        -0.05,
        horizon * 0.75,
        (4, 13),
        0.8,
    )
    for _ in range(rng.integers(0, 4)):
        cx, half = rng.uniform(0, WIDTH), rng.uniform(5, 13)
        bark = _hsv(0.07, rng.uniform(0.2, 0.5), rng.uniform(0.12, 0.35))
        cv2.rectangle(
            picture, (int(cx - half), -5), (int(cx + half), int((horizon + 0.05) * HEIGHT)), bark.tolist(), -1
        )
    lawn = (
        _hsv(hue + rng.normal(0, 0.015), rng.uniform(0.35, 0.62), rng.uniform(0.45, 0.72))
        * (1 + 0.08 * _cloud(rng, 3, 3))[..., None]
    )
    ground = (_rise(y - horizon, 0.01))[..., None]
    picture = picture * (1 - ground) + lawn * ground
    if rng.random() < 0.7:
        depth = np.clip((y - horizon) / (1 - horizon), 0, 1)
        middle = rng.uniform(0.3, 0.7) + rng.normal(0, 0.25) * (1 - depth) ** 2
        path = (np.abs(x - middle) < 0.04 + rng.uniform(0.25, 0.5) * depth) & (y > horizon)
        soft = _blur(_as_floats(path), 3)[..., None]
        picture = picture * (1 - soft) + _hsv(0.1, rng.uniform(0.08, 0.25), rng.uniform(0.6, 0.82)) * soft
    return _blur(_as_floats(picture), rng.uniform(4, 7))


def _brick_wall(rng: np.random.Generator) -> Floats:
    x, y = _grid()
    wide, high = rng.uniform(0.15, 0.22), rng.uniform(0.07, 0.1)
    edge = rng.uniform(0.78, 0.9)
    v = y * 1.25 / high
    row = np.floor(v).astype(int)
    u = x / wide + 0.5 * (row % 2) + rng.random()
    brick = np.floor(u).astype(int)
    tones = rng.normal(0, 1, 4096).astype(np.float32)[(row * 131 + brick * 17) % 4096]
    painted = rng.random() < 0.25
    tone = (
        _hsv(0.1, 0.04, rng.uniform(0.78, 0.93))
        if painted
        else _hsv(rng.uniform(0.01, 0.06), rng.uniform(0.3, 0.6), rng.uniform(0.42, 0.7))
    )
    wall = tone * (1 + (0.03 if painted else 0.1) * tones)[..., None]
    away = np.minimum(np.minimum(u - brick, 1 - (u - brick)) * wide, np.minimum(v - row, 1 - (v - row)) * high) * WIDTH
    mortar = np.exp(-((away / 2.2) ** 2))[..., None] * 0.8
    wall = wall * (1 - mortar) + (tone * 0.86 if painted else _hsv(0.09, 0.1, rng.uniform(0.6, 0.78))) * mortar
    ground = (_rise(y - edge, 0.006))[..., None]
    pavement = _hsv(0.1, rng.uniform(0.02, 0.1), rng.uniform(0.45, 0.72)) * (1 + 0.04 * _cloud(rng, 4, 3))[..., None]
    shaded = (wall * (1 - ground) + pavement * ground) * _light(rng, rng.uniform(0.12, 0.35))
    return _blur(_as_floats(shaded), rng.uniform(1.2, 3.0))


def _seaside(rng: np.random.Generator) -> Floats:
    _, y = _grid()
    horizon, shore = rng.uniform(0.34, 0.46), rng.uniform(0.56, 0.7)
    sunset = rng.random() < 0.25
    zenith = _hsv(0.58, rng.uniform(0.25, 0.55), rng.uniform(0.75, 0.95))
    low = _hsv(0.07, rng.uniform(0.25, 0.5), 0.97) if sunset else _hsv(0.56, rng.uniform(0.05, 0.18), 0.97)
    share = np.clip(y / horizon, 0, 1)[..., None] ** 1.3
    clouds = np.clip(_cloud(rng, 2, 3) - 0.6, 0, 1.2)[..., None] * 0.35 * (1 - share)
    sky = (zenith * (1 - share) + low * share) * (1 - clouds) + clouds
    sea = (
        _hsv(rng.uniform(0.5, 0.6), rng.uniform(0.3, 0.65), rng.uniform(0.42, 0.72))
        * (1 + 0.07 * _noise(rng, 6, 60))[..., None]
    )
    sand = (
        _hsv(rng.uniform(0.09, 0.12), rng.uniform(0.15, 0.38), rng.uniform(0.72, 0.92))
        * (1 + 0.04 * _cloud(rng, 4))[..., None]
    )
    line = shore + 0.012 * _noise(rng, 3, 1)
    surf = np.exp(-(((y - line) / 0.012) ** 2))[..., None] * rng.uniform(0.3, 0.85)
    wet = (_rise(y - line, 0.008))[..., None]
    water = (_rise(y - horizon, 0.004))[..., None]
    picture = sky * (1 - water) + (sea * (1 - wet) + sand * wet) * water
    picture = picture * (1 - surf) + 0.95 * surf
    return _blur(_as_floats(picture), rng.uniform(2.5, 5))


def _night_street(rng: np.random.Generator) -> Floats:
    _, y = _grid()
    horizon = rng.uniform(0.5, 0.62)
    dusk = _hsv(rng.uniform(0.58, 0.72), rng.uniform(0.35, 0.65), rng.uniform(0.1, 0.28))
    picture = _flat(dusk) * (1.25 - 0.5 * np.abs(y - horizon))[..., None]
    warm = rng.uniform(0.06, 0.12)
    glow = np.exp(-(((y - horizon) / rng.uniform(0.08, 0.2)) ** 2))[..., None]
    picture = picture + glow * _hsv(warm, 0.6, rng.uniform(0.15, 0.4))

    def lamp() -> Floats:
        if rng.random() < 0.65:
            return _hsv(warm + rng.normal(0, 0.02), rng.uniform(0.2, 0.65), rng.uniform(0.8, 1))
        return _hsv(rng.choice([0.0, 0.35, 0.55, 0.85]), rng.uniform(0.3, 0.7), rng.uniform(0.7, 1))

    _blobs(rng, picture, int(rng.integers(14, 34)), lamp, 0.12, horizon + 0.04, (5, 15), 0.75)
    mirrored = picture[int(horizon * HEIGHT) :: -1][: HEIGHT - int(horizon * HEIGHT)]
    below = picture[int(horizon * HEIGHT) : int(horizon * HEIGHT) + len(mirrored)]
    below[:] = below * 0.7 + _blur(np.ascontiguousarray(mirrored), 9) * 0.3
    return _blur(_as_floats(picture), rng.uniform(2.5, 4.5))


def _shop_interior(rng: np.random.Generator) -> Floats:
    import cv2

    _, y = _grid()
    edge = rng.uniform(0.64, 0.78)
    wall = _hsv(rng.uniform(0.06, 0.12), rng.uniform(0.05, 0.35), rng.uniform(0.65, 0.92))
    picture = _flat(wall)
    for _ in range(rng.integers(1, 4)):  # shelves and rails with things on them, far out of focus
        x0, width = rng.uniform(-0.1, 0.8) * WIDTH, rng.uniform(0.25, 0.5) * WIDTH
        top = rng.uniform(0.2, 0.38) * HEIGHT
        wood = _hsv(0.07, rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.5))
        cv2.rectangle(picture, (int(x0), int(top)), (int(x0 + width), int(edge * HEIGHT)), (wood * 0.8).tolist(), -1)
        shelf = rng.uniform(30, 46)
        while top < edge * HEIGHT - 20:
            cv2.rectangle(picture, (int(x0), int(top)), (int(x0 + width), int(top + 4)), (wood * 1.5).tolist(), -1)
            at = x0 + 3
            while at < x0 + width - 10:
                thing = _hsv(rng.random(), rng.uniform(0.05, 0.55), rng.uniform(0.3, 0.9))
                broad = rng.uniform(7, 17)
                cv2.rectangle(
                    picture,
                    (int(at), int(top + rng.uniform(9, 20))),
                    (int(at + broad), int(top + shelf)),
                    thing.tolist(),
                    -1,
                )
                at += broad + rng.uniform(1, 5)
            top += shelf
    _blobs(
        rng, picture, int(rng.integers(2, 8)), lambda: _hsv(0.11, rng.uniform(0.05, 0.3), 1), 0.02, 0.2, (6, 13), 1.0
    )
    floor = _planks(rng, _hsv(0.08, rng.uniform(0.15, 0.45), rng.uniform(0.45, 0.75)), 6, np.pi / 2)
    ground = (_rise(y - edge, 0.006))[..., None]
    picture = picture * (1 - ground) + floor * (0.8 + 0.4 * (y[..., None] - edge)) * ground
    return _blur(_as_floats(picture * _light(rng, rng.uniform(0.1, 0.3))), rng.uniform(4, 6.5))


SCENES: dict[str, Callable[[np.random.Generator], Floats]] = {
    "paper sweep": _paper_sweep,
    "plaster wall": _plaster_wall,
    "wood floor": _wood_floor,
    "bed sheet": _bed_sheet,
    "concrete floor": _concrete_floor,
    "rug": _rug,
    "city street": _city_street,
    "park": _park,
    "brick wall": _brick_wall,
    "seaside": _seaside,
    "night street": _night_street,
    "shop interior": _shop_interior,
}
