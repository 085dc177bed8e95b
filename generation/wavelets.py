"""The picture codec of the backdrop model: two levels of the 5/3 wavelet on luma, one of them dropped for chroma.

A 64 x 80 picture becomes 24 channels of 16 x 20: a diffusion model over them is some sixteen times cheaper than over
pixels, and since smooth areas have no detail coefficients at all, a small error of the model gives no speckle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

LUMA, CHROMA = 16, 4  # bands at 1/4 size: two levels of luma; the second level alone for each of Cb and Cr
CHANNELS = LUMA + 2 * CHROMA

# ITU-T T.871 (JFIF), full range RGB to YCbCr, without the offset of 128.
_TO_YCC = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))


def analyse(picture: torch.Tensor) -> torch.Tensor:
    """Turn RGB pictures (n, 3, h, w) in 0..1 into bands (n, 24, h/4, w/4); ``h`` and ``w`` are multiples of 4."""
    import torch

    ycc = torch.einsum("ij,njhw->nihw", torch.tensor(_TO_YCC, dtype=picture.dtype), picture)
    luma = _split(_split(ycc[:, :1]))
    chroma = _split(torch.nn.functional.avg_pool2d(ycc[:, 1:], 2))
    return torch.cat([luma, chroma], dim=1)


def synthesise(bands: torch.Tensor) -> torch.Tensor:
    """Turn bands (n, 24, h/4, w/4) back into RGB pictures (n, 3, h, w); chroma comes back at half resolution."""
    import torch

    luma = _merge(_merge(bands[:, :LUMA]))
    half = _merge(bands[:, LUMA:])
    chroma = torch.nn.functional.interpolate(half, scale_factor=2, mode="bilinear", align_corners=False)
    inverse = torch.linalg.inv(torch.tensor(_TO_YCC, dtype=torch.float64)).to(bands.dtype)
    return torch.einsum("ij,njhw->nihw", inverse, torch.cat([luma, chroma], dim=1))


def normalise(bands: torch.Tensor, mean: Sequence[float], scale: Sequence[float]) -> torch.Tensor:
    """Return ``(bands - mean) / scale``, channel by channel."""
    return (bands - _column(bands, mean)) / _column(bands, scale)


def restore(bands: torch.Tensor, mean: Sequence[float], scale: Sequence[float]) -> torch.Tensor:
    """Undo ``normalise``."""
    return bands * _column(bands, scale) + _column(bands, mean)


def _column(like: torch.Tensor, values: Sequence[float]) -> torch.Tensor:
    import torch

    return torch.tensor(list(values), dtype=like.dtype, device=like.device).view(1, -1, 1, 1)


def _split(x: torch.Tensor) -> torch.Tensor:
    """One level in both directions: (n, c, h, w) to (n, 4c, h/2, w/2), low band first."""
    import torch

    low, high = _forward(x, 3)
    return torch.cat([part for band in (low, high) for part in _forward(band, 2)], dim=1)


def _merge(x: torch.Tensor) -> torch.Tensor:
    low_low, low_high, high_low, high_high = x.chunk(4, dim=1)
    return _inverse(_inverse(low_low, low_high, 2), _inverse(high_low, high_high, 2), 3)


def _next(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    last = x.shape[dim] - 1
    return torch.cat([x.narrow(dim, 1, last), x.narrow(dim, last, 1)], dim=dim)


def _previous(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    return torch.cat([x.narrow(dim, 0, 1), x.narrow(dim, 0, x.shape[dim] - 1)], dim=dim)


def _forward(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Le Gall 5/3 lifting (ISO/IEC 15444-1 annex F) in floating point: low and high band along one direction."""
    halves = x.unflatten(dim, (x.shape[dim] // 2, 2))
    even, odd = halves.select(dim + 1, 0), halves.select(dim + 1, 1)
    high = odd - (even + _next(even, dim)) / 2
    return even + (_previous(high, dim) + high) / 4, high


def _inverse(low: torch.Tensor, high: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    even = low - (_previous(high, dim) + high) / 4
    odd = high + (even + _next(even, dim)) / 2
    return torch.stack([even, odd], dim=dim + 1).flatten(dim, dim + 1)
