import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from generation import wavelets  # noqa: E402


@given(st.integers(0, 10_000), st.sampled_from([(8, 8), (16, 12), (80, 64)]))
@settings(max_examples=15, deadline=None)
def test_grey_pictures_come_back_whole(seed: int, shape: tuple[int, int]) -> None:
    grey = torch.from_numpy(np.random.default_rng(seed).random((2, 1, *shape), dtype=np.float32)).expand(-1, 3, -1, -1)
    assert torch.allclose(wavelets.synthesise(wavelets.analyse(grey)), grey, atol=1e-5)


def test_luma_of_colour_pictures_comes_back_and_chroma_only_softer() -> None:
    picture = torch.rand((1, 3, 32, 32), generator=torch.Generator().manual_seed(1))
    back = wavelets.synthesise(wavelets.analyse(picture))
    weights = torch.tensor([0.299, 0.587, 0.114])
    luma, luma_back = (torch.einsum("c,nchw->nhw", weights, x) for x in (picture, back))
    assert torch.allclose(luma, luma_back, atol=1e-5)
    pooled, pooled_back = (torch.nn.functional.avg_pool2d(x, 8) for x in (picture, back))
    assert (pooled - pooled_back).abs().max() < 0.06


def test_a_ramp_has_no_detail_inside() -> None:
    ramp = torch.linspace(0, 1, 32).repeat(32, 1)[None, None].expand(1, 3, -1, -1)
    bands = wavelets.analyse(ramp)
    assert bands.shape == (1, wavelets.CHANNELS, 8, 8)
    # The coarsest luma band is the picture; every other luma band is zero but at the mirrored right edge.
    assert bands[:, 1 : wavelets.LUMA, :, :-1].abs().max() < 1e-6
    assert bands[0, 0, 4, 4] == pytest.approx(float(ramp[0, 0, 16, 16]), abs=0.05)


def test_normalise_and_restore_are_inverse() -> None:
    bands = torch.rand((2, wavelets.CHANNELS, 4, 4))
    mean, scale = [0.1 * k for k in range(wavelets.CHANNELS)], [1.0 + k for k in range(wavelets.CHANNELS)]
    assert torch.allclose(wavelets.restore(wavelets.normalise(bands, mean, scale), mean, scale), bands, atol=1e-5)
