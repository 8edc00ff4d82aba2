"""Tensors of PyTorch, datasets of xarray and of Hugging Face: their cases are those of the arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocscope as rs

N = 240
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
P = np.round(np.clip(Y * 0.3 + RNG.random(N) * 0.7, 0, 1), 3)
COUNTRY = np.array(["de", "fr", "it"])[RNG.integers(0, 3, N)]
WANTED = rs.evaluate(Y, P)


def same(ev: Any) -> None:
    for name in ("scores", "pos", "neg"):
        np.testing.assert_array_equal(getattr(ev.table, name), getattr(WANTED.table, name))


def test_torch_tensors_of_any_type() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    y, p = torch.tensor(Y), torch.tensor(P)
    same(rs.evaluate(y, p))
    same(rs.evaluate(y.bool(), p.requires_grad_()))
    same(rs.evaluate({"y": y, "p": p}, label="y", score="p"))
    short = p.detach().to(torch.bfloat16)
    assert rs.evaluate(y, short).table == rs.evaluate(Y, short.float().numpy()).table
    assert rs.evaluate({"y": y, "p": short}, label="y", score="p").auc == rs.evaluate(y, short).auc
    half = p.detach().half()
    assert rs.evaluate(y.to(torch.bfloat16), half).table == rs.evaluate(Y, half.numpy()).table
    assert rs.evaluate(y, p, weights=short).auc == rs.evaluate(Y, P, weights=short.float().numpy()).auc


FLOATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"]
LABELS = [*FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", LABELS)
def test_a_torch_tensor_of_each_type(dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    kind = getattr(torch, dtype)
    same(rs.evaluate(torch.tensor(Y).to(kind), P))
    if dtype in FLOATS:
        rounded = torch.tensor(P).to(kind)
        assert rs.evaluate(Y, rounded).table == rs.evaluate(Y, rounded.double().numpy()).table


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", ["complex32", "complex64", "complex128"])
def test_complex_tensors_are_refused(dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(rs.RocscopeError, match="score contains complex numbers"):
        rs.evaluate(Y, torch.tensor(P).to(getattr(torch, dtype)))


def test_an_xarray_dataset() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    data = xarray.Dataset({"y": ("case", Y), "p": ("case", P)}, coords={"country": ("case", COUNTRY), "grid": [1, 2]})
    ev = rs.evaluate(data, label="y", score="p", by="country")
    same(ev)
    assert len(ev.slices[0]) == 3
    same(rs.evaluate(data.y, data.p))
    with pytest.raises(rs.RocscopeError, match="no single dimension"):
        rs.evaluate(xarray.Dataset({"y": ("a", Y), "p": ("b", P)}), label="y", score="p")


def test_a_hugging_face_dataset() -> None:
    datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    data = datasets.Dataset.from_dict({"y": Y.tolist(), "p": P.tolist()})
    same(rs.evaluate(data, label="y", score="p"))
    same(rs.evaluate(data.shuffle(seed=1), label="y", score="p"))
    same(rs.evaluate(data.to_iterable_dataset(), label="y", score="p"))
    with pytest.raises(rs.RocscopeError, match=r'a DatasetDict holds splits: test. Choose one: data\["test"\]'):
        rs.evaluate(datasets.DatasetDict({"test": data}), label="y", score="p")
