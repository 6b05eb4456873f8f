"""Attacks of this reading on Python and numpy semantics that were rightly not proved: the scale s is what CPython makes of the body; 0.999 / s is claimed.

Beside them 721 random programs (425 of known values, 296 with loops over records) were read, and each held against CPython: no difference.
"""

import functools, math, types, collections, dataclasses, enum
import numpy as np

NAN = float("nan")


def helper(a, b=2, *c, d=3, **e):
    return [a, b, c, d, [k for k in e]]


class C:
    p = 4

    def __init__(s):
        s.q = 5

    def m(s, z=1):
        return s.p + s.q + z

    @property
    def r(s):
        return s.q * 2

    @staticmethod
    def st(u):
        return u + 1


O = C()


class D(C):
    p = 1

    def __init__(s):
        s.q = 2

    def m(s):
        return C.m(s, 4)


D_ = D()


@dataclasses.dataclass(frozen=True)
class K1_:
    w: float = 0.5


K1 = K1_()


class K2_:
    __slots__ = ("w",)

    def __init__(s):
        s.w = 4


K2 = K2_()
PART = 2
MODX = types.SimpleNamespace(val=0.5)


def e0(data, rng):
    s = 1.0
    g = [lambda: i for i in (2.0, 0.5)]
    s = g[0]()
    return np.sum(data) + rng.laplace(0, s)


def v0():
    s = 1.0
    g = [lambda: i for i in (2.0, 0.5)]
    s = g[0]()
    return s


def e1(data, rng):
    g = [lambda i=i: i for i in (0.5, 2.0)]
    s = g[0]()
    return np.sum(data) + rng.laplace(0, s)


def v1():
    g = [lambda i=i: i for i in (0.5, 2.0)]
    s = g[0]()
    return s


def e2(data, rng):
    fs = []
    for i in (2.0, 0.5):
        fs.append(lambda: i)
    s = fs[0]()
    return np.sum(data) + rng.laplace(0, s)


def v2():
    fs = []
    for i in (2.0, 0.5):
        fs.append(lambda: i)
    s = fs[0]()
    return s


def e3(data, rng):
    x = 0.5
    l = [x for x in (1.0, 2.0)]
    s = x
    return np.sum(data) + rng.laplace(0, s)


def v3():
    x = 0.5
    l = [x for x in (1.0, 2.0)]
    s = x
    return s


def e4(data, rng):
    x = 2.0

    def q():
        return x

    x = 0.5
    s = q()
    return np.sum(data) + rng.laplace(0, s)


def v4():
    x = 2.0

    def q():
        return x

    x = 0.5
    s = q()
    return s


def e5(data, rng):
    def q(a=[]):
        a.append(1)
        return len(a)

    q()
    q()
    s = 1.0 / q()
    return np.sum(data) + rng.laplace(0, s)


def v5():
    def q(a=[]):
        a.append(1)
        return len(a)

    q()
    q()
    s = 1.0 / q()
    return s


def e6(data, rng):
    a = [1.0, 2.0]
    b = a
    b[0] = 0.5
    s = a[0]
    return np.sum(data) + rng.laplace(0, s)


def v6():
    a = [1.0, 2.0]
    b = a
    b[0] = 0.5
    s = a[0]
    return s


def e7(data, rng):
    a = [1.0, 2.0]
    b = a[:]
    b[0] = 0.5
    s = a[0]
    return np.sum(data) + rng.laplace(0, s)


def v7():
    a = [1.0, 2.0]
    b = a[:]
    b[0] = 0.5
    s = a[0]
    return s


def e8(data, rng):
    a = [[1.0]] * 2
    a[0][0] = 0.5
    s = a[1][0]
    return np.sum(data) + rng.laplace(0, s)


def v8():
    a = [[1.0]] * 2
    a[0][0] = 0.5
    s = a[1][0]
    return s


def e9(data, rng):
    a = [[1.0] for _ in range(2)]
    a[0][0] = 0.5
    s = a[1][0]
    return np.sum(data) + rng.laplace(0, s)


def v9():
    a = [[1.0] for _ in range(2)]
    a[0][0] = 0.5
    s = a[1][0]
    return s


def e10(data, rng):
    a = np.ones(2)
    b = a
    b = b * 0.5
    s = a[0]
    return np.sum(data) + rng.laplace(0, s)


def v10():
    a = np.ones(2)
    b = a
    b = b * 0.5
    s = a[0]
    return s


def e11(data, rng):
    a = np.ones(2)
    a *= 0.5
    s = a[0]
    return np.sum(data) + rng.laplace(0, s)


def v11():
    a = np.ones(2)
    a *= 0.5
    s = a[0]
    return s


def e12(data, rng):
    a = np.ones(2)
    b = a[:1]
    a = a * 0.5
    s = b[0]
    return np.sum(data) + rng.laplace(0, s)


def v12():
    a = np.ones(2)
    b = a[:1]
    a = a * 0.5
    s = b[0]
    return s


def e13(data, rng):
    a = np.ones((2, 2))
    a[0] = 0.5
    s = a[0, 1]
    return np.sum(data) + rng.laplace(0, s)


def v13():
    a = np.ones((2, 2))
    a[0] = 0.5
    s = a[0, 1]
    return s


def e14(data, rng):
    a = np.ones((2, 2))
    a[:, 0] = 0.5
    s = a[1, 0]
    return np.sum(data) + rng.laplace(0, s)


def v14():
    a = np.ones((2, 2))
    a[:, 0] = 0.5
    s = a[1, 0]
    return s


def e15(data, rng):
    a = np.ones(3)
    a[-1] = 0.5
    s = a[2]
    return np.sum(data) + rng.laplace(0, s)


def v15():
    a = np.ones(3)
    a[-1] = 0.5
    s = a[2]
    return s


def e16(data, rng):
    a = np.ones(3)
    a[1:] = 0.5
    s = a[2]
    return np.sum(data) + rng.laplace(0, s)


def v16():
    a = np.ones(3)
    a[1:] = 0.5
    s = a[2]
    return s


def e17(data, rng):
    a = np.ones(3)
    a[::-1][0] = 0.5
    s = a[2]
    return np.sum(data) + rng.laplace(0, s)


def v17():
    a = np.ones(3)
    a[::-1][0] = 0.5
    s = a[2]
    return s


def e18(data, rng):
    a = np.arange(3)
    a[0] = 0.9
    s = a[0] + 0.5
    return np.sum(data) + rng.laplace(0, s)


def v18():
    a = np.arange(3)
    a[0] = 0.9
    s = a[0] + 0.5
    return s


def e19(data, rng):
    a = np.arange(3)
    a[1] += 0.7
    s = a[1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v19():
    a = np.arange(3)
    a[1] += 0.7
    s = a[1] * 0.5
    return s


def e20(data, rng):
    a = np.zeros(2, int)
    a[0] = 1
    a[0] += 0.9
    s = a[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v20():
    a = np.zeros(2, int)
    a[0] = 1
    a[0] += 0.9
    s = a[0] * 0.5
    return s


def e21(data, rng):
    s = -7 // 2 + 4.5
    return np.sum(data) + rng.laplace(0, s)


def v21():
    s = -7 // 2 + 4.5
    return s


def e22(data, rng):
    s = -7 % 3 - 1.5
    return np.sum(data) + rng.laplace(0, s)


def v22():
    s = -7 % 3 - 1.5
    return s


def e23(data, rng):
    s = 7 % -3 + 2.5
    return np.sum(data) + rng.laplace(0, s)


def v23():
    s = 7 % -3 + 2.5
    return s


def e24(data, rng):
    s = -7.5 // 2 + 4.5
    return np.sum(data) + rng.laplace(0, s)


def v24():
    s = -7.5 // 2 + 4.5
    return s


def e25(data, rng):
    s = -7.5 % 2
    return np.sum(data) + rng.laplace(0, s)


def v25():
    s = -7.5 % 2
    return s


def e26(data, rng):
    s = 2**-1
    return np.sum(data) + rng.laplace(0, s)


def v26():
    s = 2**-1
    return s


def e27(data, rng):
    s = -(2**2) + 4.5
    return np.sum(data) + rng.laplace(0, s)


def v27():
    s = -(2**2) + 4.5
    return s


def e28(data, rng):
    s = 2**3**0 / 4
    return np.sum(data) + rng.laplace(0, s)


def v28():
    s = 2**3**0 / 4
    return s


def e29(data, rng):
    s = round(0.5) + 0.5
    return np.sum(data) + rng.laplace(0, s)


def v29():
    s = round(0.5) + 0.5
    return s


def e30(data, rng):
    s = round(2.5) - 1.5
    return np.sum(data) + rng.laplace(0, s)


def v30():
    s = round(2.5) - 1.5
    return s


def e31(data, rng):
    s = round(-1.5) + 2.5
    return np.sum(data) + rng.laplace(0, s)


def v31():
    s = round(-1.5) + 2.5
    return s


def e32(data, rng):
    s = round(2.675, 2) - 2.17
    return np.sum(data) + rng.laplace(0, s)


def v32():
    s = round(2.675, 2) - 2.17
    return s


def e33(data, rng):
    s = round(1234, -2) / 2400
    return np.sum(data) + rng.laplace(0, s)


def v33():
    s = round(1234, -2) / 2400
    return s


def e34(data, rng):
    s = np.round(2.5) - 1.5
    return np.sum(data) + rng.laplace(0, s)


def v34():
    s = np.round(2.5) - 1.5
    return s


def e35(data, rng):
    s = 1 < 2 < 3 and 0.5 or 2.0
    return np.sum(data) + rng.laplace(0, s)


def v35():
    s = 1 < 2 < 3 and 0.5 or 2.0
    return s


def e36(data, rng):
    s = (1 < 2) < 2 and 0.5 or 2.0
    return np.sum(data) + rng.laplace(0, s)


def v36():
    s = (1 < 2) < 2 and 0.5 or 2.0
    return s


def e37(data, rng):
    s = 3 > 2 == 2 and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v37():
    s = 3 > 2 == 2 and 0.5
    return s


def e38(data, rng):
    s = not 1 == 2 and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v38():
    s = not 1 == 2 and 0.5
    return s


def e39(data, rng):
    s = 0 or 0.5 or 2.0
    return np.sum(data) + rng.laplace(0, s)


def v39():
    s = 0 or 0.5 or 2.0
    return s


def e40(data, rng):
    s = 2.0 and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v40():
    s = 2.0 and 0.5
    return s


def e41(data, rng):
    s = [] or 0.5
    return np.sum(data) + rng.laplace(0, s)


def v41():
    s = [] or 0.5
    return s


def e42(data, rng):
    s = 2.0 if [] else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v42():
    s = 2.0 if [] else 0.5
    return s


def e43(data, rng):
    s = 2.0 if () else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v43():
    s = 2.0 if () else 0.5
    return s


def e44(data, rng):
    s = 2.0 if "" else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v44():
    s = 2.0 if "" else 0.5
    return s


def e45(data, rng):
    s = 0.5 if "0" else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v45():
    s = 0.5 if "0" else 2.0
    return s


def e46(data, rng):
    s = 0.5 if [0] else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v46():
    s = 0.5 if [0] else 2.0
    return s


def e47(data, rng):
    s = 2.0 if {} else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v47():
    s = 2.0 if {} else 0.5
    return s


def e48(data, rng):
    s = 0.5 if NAN else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v48():
    s = 0.5 if NAN else 2.0
    return s


def e49(data, rng):
    s = 0.5 if NAN != NAN else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v49():
    s = 0.5 if NAN != NAN else 2.0
    return s


def e50(data, rng):
    s = 0.5 if NAN in [NAN] else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v50():
    s = 0.5 if NAN in [NAN] else 2.0
    return s


def e51(data, rng):
    s = 0.5 if [NAN] == [NAN] else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v51():
    s = 0.5 if [NAN] == [NAN] else 2.0
    return s


def e52(data, rng):
    s = 0.5 if float("nan") not in [float("nan")] else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v52():
    s = 0.5 if float("nan") not in [float("nan")] else 2.0
    return s


def e53(data, rng):
    s = min(NAN, 0.5) if min(NAN, 0.5) == min(NAN, 0.5) else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v53():
    s = min(NAN, 0.5) if min(NAN, 0.5) == min(NAN, 0.5) else 0.5
    return s


def e54(data, rng):
    s = min(0.5, NAN)
    return np.sum(data) + rng.laplace(0, s)


def v54():
    s = min(0.5, NAN)
    return s


def e55(data, rng):
    s = max(0.5, NAN)
    return np.sum(data) + rng.laplace(0, s)


def v55():
    s = max(0.5, NAN)
    return s


def e56(data, rng):
    s = 0.5 if max(NAN, 0.5) != max(NAN, 0.5) else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v56():
    s = 0.5 if max(NAN, 0.5) != max(NAN, 0.5) else 2.0
    return s


def e57(data, rng):
    s = min([2.0, 0.5, 1.0])
    return np.sum(data) + rng.laplace(0, s)


def v57():
    s = min([2.0, 0.5, 1.0])
    return s


def e58(data, rng):
    s = max(0.25, 0.5)
    return np.sum(data) + rng.laplace(0, s)


def v58():
    s = max(0.25, 0.5)
    return s


def e59(data, rng):
    s = sum([0.25, 0.25])
    return np.sum(data) + rng.laplace(0, s)


def v59():
    s = sum([0.25, 0.25])
    return s


def e60(data, rng):
    s = sum([1, 2], -2.5)
    return np.sum(data) + rng.laplace(0, s)


def v60():
    s = sum([1, 2], -2.5)
    return s


def e61(data, rng):
    s = sum((x for x in (0.25, 0.25)))
    return np.sum(data) + rng.laplace(0, s)


def v61():
    s = sum((x for x in (0.25, 0.25)))
    return s


def e62(data, rng):
    s = sum([[0.5], [1]], [])[0]
    return np.sum(data) + rng.laplace(0, s)


def v62():
    s = sum([[0.5], [1]], [])[0]
    return s


def e63(data, rng):
    s = {1: 2.0, True: 0.5}[1]
    return np.sum(data) + rng.laplace(0, s)


def v63():
    s = {1: 2.0, True: 0.5}[1]
    return s


def e64(data, rng):
    s = {1: 2.0, 1.0: 0.5}[1]
    return np.sum(data) + rng.laplace(0, s)


def v64():
    s = {1: 2.0, 1.0: 0.5}[1]
    return s


def e65(data, rng):
    s = {"a": 2.0, "a": 0.5}["a"]
    return np.sum(data) + rng.laplace(0, s)


def v65():
    s = {"a": 2.0, "a": 0.5}["a"]
    return s


def e66(data, rng):
    s = dict(a=0.5)["a"]
    return np.sum(data) + rng.laplace(0, s)


def v66():
    s = dict(a=0.5)["a"]
    return s


def e67(data, rng):
    s = dict([("a", 2.0), ("a", 0.5)])["a"]
    return np.sum(data) + rng.laplace(0, s)


def v67():
    s = dict([("a", 2.0), ("a", 0.5)])["a"]
    return s


def e68(data, rng):
    s = {**{"a": 2.0}, "a": 0.5}["a"]
    return np.sum(data) + rng.laplace(0, s)


def v68():
    s = {**{"a": 2.0}, "a": 0.5}["a"]
    return s


def e69(data, rng):
    s = {"a": 0.5, **{"b": 1}}["a"]
    return np.sum(data) + rng.laplace(0, s)


def v69():
    s = {"a": 0.5, **{"b": 1}}["a"]
    return s


def e70(data, rng):
    s = list({"b": 0.5, "a": 2.0}.values())[0]
    return np.sum(data) + rng.laplace(0, s)


def v70():
    s = list({"b": 0.5, "a": 2.0}.values())[0]
    return s


def e71(data, rng):
    d = {"a": 1.0}
    d["b"] = 2.0
    d["a"] = 0.5
    s = list(d.values())[0]
    return np.sum(data) + rng.laplace(0, s)


def v71():
    d = {"a": 1.0}
    d["b"] = 2.0
    d["a"] = 0.5
    s = list(d.values())[0]
    return s


def e72(data, rng):
    d = {k: v for k, v in zip("ab", (0.5, 2.0))}
    s = d["a"]
    return np.sum(data) + rng.laplace(0, s)


def v72():
    d = {k: v for k, v in zip("ab", (0.5, 2.0))}
    s = d["a"]
    return s


def e73(data, rng):
    d = {"a": 0.5}
    e = dict(d)
    e["a"] = 2.0
    s = d["a"]
    return np.sum(data) + rng.laplace(0, s)


def v73():
    d = {"a": 0.5}
    e = dict(d)
    e["a"] = 2.0
    s = d["a"]
    return s


def e74(data, rng):
    d = {"a": 0.5}
    e = d
    e["b"] = 2.0
    s = 1.0 / len(d)
    return np.sum(data) + rng.laplace(0, s)


def v74():
    d = {"a": 0.5}
    e = d
    e["b"] = 2.0
    s = 1.0 / len(d)
    return s


def e75(data, rng):
    d = {"a": 0.5}
    s = d.get("a", 2.0)
    return np.sum(data) + rng.laplace(0, s)


def v75():
    d = {"a": 0.5}
    s = d.get("a", 2.0)
    return s


def e76(data, rng):
    d = {"a": 0.5}
    s = d.get("b", 0.5)
    return np.sum(data) + rng.laplace(0, s)


def v76():
    d = {"a": 0.5}
    s = d.get("b", 0.5)
    return s


def e77(data, rng):
    d = {1: 2.0}
    s = 0.5 if d.get("1") is None else 2.0
    return np.sum(data) + rng.laplace(0, s)


def v77():
    d = {1: 2.0}
    s = 0.5 if d.get("1") is None else 2.0
    return s


def e78(data, rng):
    t = (2.0, 0.5)
    a, b = t
    s = b
    return np.sum(data) + rng.laplace(0, s)


def v78():
    t = (2.0, 0.5)
    a, b = t
    s = b
    return s


def e79(data, rng):
    (a, b), c = (1, 0.5), 2
    s = b
    return np.sum(data) + rng.laplace(0, s)


def v79():
    (a, b), c = (1, 0.5), 2
    s = b
    return s


def e80(data, rng):
    a, *b = (2.0, 0.5, 1)
    s = b[0]
    return np.sum(data) + rng.laplace(0, s)


def v80():
    a, *b = (2.0, 0.5, 1)
    s = b[0]
    return s


def e81(data, rng):
    *a, b = (2.0, 0.5)
    s = b
    return np.sum(data) + rng.laplace(0, s)


def v81():
    *a, b = (2.0, 0.5)
    s = b
    return s


def e82(data, rng):
    a = b = 0.5
    s = b
    return np.sum(data) + rng.laplace(0, s)


def v82():
    a = b = 0.5
    s = b
    return s


def e83(data, rng):
    a = [0, 1]
    i = 0
    i, a[i] = 1, 0.5
    s = a[1]
    return np.sum(data) + rng.laplace(0, s)


def v83():
    a = [0, 1]
    i = 0
    i, a[i] = 1, 0.5
    s = a[1]
    return s


def e84(data, rng):
    a = [0, 0.5]
    i = 1
    a[i], i = 0.5, 0
    s = a[1]
    return np.sum(data) + rng.laplace(0, s)


def v84():
    a = [0, 0.5]
    i = 1
    a[i], i = 0.5, 0
    s = a[1]
    return s


def e85(data, rng):
    a = [1, 2, 3]
    a[0], a[1] = a[1], a[0]
    s = a[1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v85():
    a = [1, 2, 3]
    a[0], a[1] = a[1], a[0]
    s = a[1] * 0.5
    return s


def e86(data, rng):
    a = [3, 1, 2]
    s = sorted(a)[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v86():
    a = [3, 1, 2]
    s = sorted(a)[0] * 0.5
    return s


def e87(data, rng):
    a = [3, 1, 2]
    b = sorted(a)
    s = a[1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v87():
    a = [3, 1, 2]
    b = sorted(a)
    s = a[1] * 0.5
    return s


def e88(data, rng):
    a = [1.0, 0.5]
    s = list(reversed(a))[0]
    return np.sum(data) + rng.laplace(0, s)


def v88():
    a = [1.0, 0.5]
    s = list(reversed(a))[0]
    return s


def e89(data, rng):
    a = [1.0, 0.5]
    s = a[::-1][0]
    return np.sum(data) + rng.laplace(0, s)


def v89():
    a = [1.0, 0.5]
    s = a[::-1][0]
    return s


def e90(data, rng):
    a = [1.0, 0.5, 2.0]
    s = a[1:][0]
    return np.sum(data) + rng.laplace(0, s)


def v90():
    a = [1.0, 0.5, 2.0]
    s = a[1:][0]
    return s


def e91(data, rng):
    a = [1.0, 0.5, 2.0]
    s = a[-2]
    return np.sum(data) + rng.laplace(0, s)


def v91():
    a = [1.0, 0.5, 2.0]
    s = a[-2]
    return s


def e92(data, rng):
    a = [1.0, 0.5, 2.0]
    s = a[-2:-1][0]
    return np.sum(data) + rng.laplace(0, s)


def v92():
    a = [1.0, 0.5, 2.0]
    s = a[-2:-1][0]
    return s


def e93(data, rng):
    s = 1.0 / len(list(zip((1, 2, 3), (1, 2))))
    return np.sum(data) + rng.laplace(0, s)


def v93():
    s = 1.0 / len(list(zip((1, 2, 3), (1, 2))))
    return s


def e94(data, rng):
    s = [a * b for a, b in zip((1, 0.5), (1, 1))][1]
    return np.sum(data) + rng.laplace(0, s)


def v94():
    s = [a * b for a, b in zip((1, 0.5), (1, 1))][1]
    return s


def e95(data, rng):
    s = list(enumerate([1, 1], 1))[0][0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v95():
    s = list(enumerate([1, 1], 1))[0][0] * 0.5
    return s


def e96(data, rng):
    s = [i for i, _ in enumerate("ab")][1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v96():
    s = [i for i, _ in enumerate("ab")][1] * 0.5
    return s


def e97(data, rng):
    it = zip((0.5, 2.0), (1, 1))
    a = list(it)[0]
    s = a[0]
    return np.sum(data) + rng.laplace(0, s)


def v97():
    it = zip((0.5, 2.0), (1, 1))
    a = list(it)[0]
    s = a[0]
    return s


def e98(data, rng):
    s = list(range(5, 0, -2))[1] / 6
    return np.sum(data) + rng.laplace(0, s)


def v98():
    s = list(range(5, 0, -2))[1] / 6
    return s


def e99(data, rng):
    s = len(range(0, 10, 3)) / 8
    return np.sum(data) + rng.laplace(0, s)


def v99():
    s = len(range(0, 10, 3)) / 8
    return s


def e100(data, rng):
    s = 0.5 if 4 in range(0, 10, 2) else 2
    return np.sum(data) + rng.laplace(0, s)


def v100():
    s = 0.5 if 4 in range(0, 10, 2) else 2
    return s


def e101(data, rng):
    s = 0.5 if "b" in "abc" else 2
    return np.sum(data) + rng.laplace(0, s)


def v101():
    s = 0.5 if "b" in "abc" else 2
    return s


def e102(data, rng):
    s = 0.5 if "" in "abc" else 2
    return np.sum(data) + rng.laplace(0, s)


def v102():
    s = 0.5 if "" in "abc" else 2
    return s


def e103(data, rng):
    s = len("a" * 2) / 4
    return np.sum(data) + rng.laplace(0, s)


def v103():
    s = len("a" * 2) / 4
    return s


def e104(data, rng):
    s = len(f"{1.5:.3f}") / 10
    return np.sum(data) + rng.laplace(0, s)


def v104():
    s = len(f"{1.5:.3f}") / 10
    return s


def e105(data, rng):
    s = len(f"{12!r:>5}") / 10
    return np.sum(data) + rng.laplace(0, s)


def v105():
    s = len(f"{12!r:>5}") / 10
    return s


def e106(data, rng):
    s = len(f"{True}") / 8
    return np.sum(data) + rng.laplace(0, s)


def v106():
    s = len(f"{True}") / 8
    return s


def e107(data, rng):
    s = len("{:>5}".format(1)) / 10
    return np.sum(data) + rng.laplace(0, s)


def v107():
    s = len("{:>5}".format(1)) / 10
    return s


def e108(data, rng):
    s = len("%5d" % 3) / 10
    return np.sum(data) + rng.laplace(0, s)


def v108():
    s = len("%5d" % 3) / 10
    return s


def e109(data, rng):
    s = len("a b c".split()) / 6
    return np.sum(data) + rng.laplace(0, s)


def v109():
    s = len("a b c".split()) / 6
    return s


def e110(data, rng):
    s = len("a,b,c".split(",", 1)) / 4
    return np.sum(data) + rng.laplace(0, s)


def v110():
    s = len("a,b,c".split(",", 1)) / 4
    return s


def e111(data, rng):
    s = 0.5 if "Ab".lower() == "ab" else 2
    return np.sum(data) + rng.laplace(0, s)


def v111():
    s = 0.5 if "Ab".lower() == "ab" else 2
    return s


def e112(data, rng):
    s = 0.5 if "abc".startswith("ab") else 2
    return np.sum(data) + rng.laplace(0, s)


def v112():
    s = 0.5 if "abc".startswith("ab") else 2
    return s


def e113(data, rng):
    s = 0.5 if " a ".strip() == "a" else 2
    return np.sum(data) + rng.laplace(0, s)


def v113():
    s = 0.5 if " a ".strip() == "a" else 2
    return s


def e114(data, rng):
    s = 0.5 if "-".join(["a", "b"]) == "a-b" else 2
    return np.sum(data) + rng.laplace(0, s)


def v114():
    s = 0.5 if "-".join(["a", "b"]) == "a-b" else 2
    return s


def e115(data, rng):
    s = int("12") / 24
    return np.sum(data) + rng.laplace(0, s)


def v115():
    s = int("12") / 24
    return s


def e116(data, rng):
    s = int(-0.5) + 0.5
    return np.sum(data) + rng.laplace(0, s)


def v116():
    s = int(-0.5) + 0.5
    return s


def e117(data, rng):
    s = int(2.9) / 4
    return np.sum(data) + rng.laplace(0, s)


def v117():
    s = int(2.9) / 4
    return s


def e118(data, rng):
    s = float("0.5")
    return np.sum(data) + rng.laplace(0, s)


def v118():
    s = float("0.5")
    return s


def e119(data, rng):
    s = abs(-0.5)
    return np.sum(data) + rng.laplace(0, s)


def v119():
    s = abs(-0.5)
    return s


def e120(data, rng):
    s = bool(0.1) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v120():
    s = bool(0.1) * 0.5
    return s


def e121(data, rng):
    s = True + True - 1.5
    return np.sum(data) + rng.laplace(0, s)


def v121():
    s = True + True - 1.5
    return s


def e122(data, rng):
    s = divmod(-7, 2)[1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v122():
    s = divmod(-7, 2)[1] * 0.5
    return s


def e123(data, rng):
    s = pow(2, -1)
    return np.sum(data) + rng.laplace(0, s)


def v123():
    s = pow(2, -1)
    return s


def e124(data, rng):
    s = pow(3, 2, 8) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v124():
    s = pow(3, 2, 8) * 0.5
    return s


def e125(data, rng):
    s = math.floor(-0.5) + 1.5
    return np.sum(data) + rng.laplace(0, s)


def v125():
    s = math.floor(-0.5) + 1.5
    return s


def e126(data, rng):
    s = math.ceil(0.1) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v126():
    s = math.ceil(0.1) * 0.5
    return s


def e127(data, rng):
    s = math.fsum([0.25, 0.25])
    return np.sum(data) + rng.laplace(0, s)


def v127():
    s = math.fsum([0.25, 0.25])
    return s


def e128(data, rng):
    s = math.hypot(0.3, 0.4)
    return np.sum(data) + rng.laplace(0, s)


def v128():
    s = math.hypot(0.3, 0.4)
    return s


def e129(data, rng):
    s = math.copysign(0.5, 1)
    return np.sum(data) + rng.laplace(0, s)


def v129():
    s = math.copysign(0.5, 1)
    return s


def e130(data, rng):
    s = math.fmod(-7.5, 2) + 2
    return np.sum(data) + rng.laplace(0, s)


def v130():
    s = math.fmod(-7.5, 2) + 2
    return s


def e131(data, rng):
    s = math.gcd(4, 6) / 4
    return np.sum(data) + rng.laplace(0, s)


def v131():
    s = math.gcd(4, 6) / 4
    return s


def e132(data, rng):
    s = math.log(8, 2) / 6
    return np.sum(data) + rng.laplace(0, s)


def v132():
    s = math.log(8, 2) / 6
    return s


def e133(data, rng):
    s = math.log2(8) / 6
    return np.sum(data) + rng.laplace(0, s)


def v133():
    s = math.log2(8) / 6
    return s


def e134(data, rng):
    s = math.inf and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v134():
    s = math.inf and 0.5
    return s


def e135(data, rng):
    s = 1 / math.inf + 0.5
    return np.sum(data) + rng.laplace(0, s)


def v135():
    s = 1 / math.inf + 0.5
    return s


def e136(data, rng):
    s = np.sum(np.eye(2), axis=0)[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v136():
    s = np.sum(np.eye(2), axis=0)[0] * 0.5
    return s


def e137(data, rng):
    s = np.sum(np.ones((2, 3)), 1)[0] / 6
    return np.sum(data) + rng.laplace(0, s)


def v137():
    s = np.sum(np.ones((2, 3)), 1)[0] / 6
    return s


def e138(data, rng):
    s = np.mean(np.array([0.25, 0.75]))
    return np.sum(data) + rng.laplace(0, s)


def v138():
    s = np.mean(np.array([0.25, 0.75]))
    return s


def e139(data, rng):
    s = np.cumsum([0.25, 0.25])[1]
    return np.sum(data) + rng.laplace(0, s)


def v139():
    s = np.cumsum([0.25, 0.25])[1]
    return s


def e140(data, rng):
    s = np.diff([1.0, 1.5])[0]
    return np.sum(data) + rng.laplace(0, s)


def v140():
    s = np.diff([1.0, 1.5])[0]
    return s


def e141(data, rng):
    s = np.clip(2.0, 0.0, 0.5)
    return np.sum(data) + rng.laplace(0, s)


def v141():
    s = np.clip(2.0, 0.0, 0.5)
    return s


def e142(data, rng):
    s = np.clip(0.2, 0.5, 0.4) + 0.1
    return np.sum(data) + rng.laplace(0, s)


def v142():
    s = np.clip(0.2, 0.5, 0.4) + 0.1
    return s


def e143(data, rng):
    s = np.where(np.array([True, False]), 0.5, 2.0)[0]
    return np.sum(data) + rng.laplace(0, s)


def v143():
    s = np.where(np.array([True, False]), 0.5, 2.0)[0]
    return s


def e144(data, rng):
    s = np.minimum(NAN, 1.0) if False else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v144():
    s = np.minimum(NAN, 1.0) if False else 0.5
    return s


def e145(data, rng):
    s = np.array([1, 2]).dtype == np.int64 and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v145():
    s = np.array([1, 2]).dtype == np.int64 and 0.5
    return s


def e146(data, rng):
    s = np.array([0.5, 1])[0]
    return np.sum(data) + rng.laplace(0, s)


def v146():
    s = np.array([0.5, 1])[0]
    return s


def e147(data, rng):
    s = np.array([True, 2])[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v147():
    s = np.array([True, 2])[0] * 0.5
    return s


def e148(data, rng):
    s = np.arange(3)[-1] / 4
    return np.sum(data) + rng.laplace(0, s)


def v148():
    s = np.arange(3)[-1] / 4
    return s


def e149(data, rng):
    s = np.arange(0.5, 2.0, 0.5)[0]
    return np.sum(data) + rng.laplace(0, s)


def v149():
    s = np.arange(0.5, 2.0, 0.5)[0]
    return s


def e150(data, rng):
    s = np.linspace(0, 1, 3)[1]
    return np.sum(data) + rng.laplace(0, s)


def v150():
    s = np.linspace(0, 1, 3)[1]
    return s


def e151(data, rng):
    s = np.linspace(0, 1, 2, endpoint=False)[1]
    return np.sum(data) + rng.laplace(0, s)


def v151():
    s = np.linspace(0, 1, 2, endpoint=False)[1]
    return s


def e152(data, rng):
    s = np.full(2, 0.5)[1]
    return np.sum(data) + rng.laplace(0, s)


def v152():
    s = np.full(2, 0.5)[1]
    return s


def e153(data, rng):
    s = np.array([[1, 0.5]]).T[1, 0]
    return np.sum(data) + rng.laplace(0, s)


def v153():
    s = np.array([[1, 0.5]]).T[1, 0]
    return s


def e154(data, rng):
    s = np.array([[1, 0.5]]).ravel()[1]
    return np.sum(data) + rng.laplace(0, s)


def v154():
    s = np.array([[1, 0.5]]).ravel()[1]
    return s


def e155(data, rng):
    s = np.array([1.0, 0.5, 2.0, 4.0]).reshape(2, 2)[0, 1]
    return np.sum(data) + rng.laplace(0, s)


def v155():
    s = np.array([1.0, 0.5, 2.0, 4.0]).reshape(2, 2)[0, 1]
    return s


def e156(data, rng):
    s = np.array([1.0, 0.5])[::-1][0]
    return np.sum(data) + rng.laplace(0, s)


def v156():
    s = np.array([1.0, 0.5])[::-1][0]
    return s


def e157(data, rng):
    s = np.array([1.0, 0.5])[None, 1:][0, 0]
    return np.sum(data) + rng.laplace(0, s)


def v157():
    s = np.array([1.0, 0.5])[None, 1:][0, 0]
    return s


def e158(data, rng):
    s = np.array([1.0, 0.5])[np.array([1, 0])][0]
    return np.sum(data) + rng.laplace(0, s)


def v158():
    s = np.array([1.0, 0.5])[np.array([1, 0])][0]
    return s


def e159(data, rng):
    s = np.array([1.0, 0.5])[[1]][0]
    return np.sum(data) + rng.laplace(0, s)


def v159():
    s = np.array([1.0, 0.5])[[1]][0]
    return s


def e160(data, rng):
    s = np.array([1.0, 0.5])[np.array([False, True])][0]
    return np.sum(data) + rng.laplace(0, s)


def v160():
    s = np.array([1.0, 0.5])[np.array([False, True])][0]
    return s


def e161(data, rng):
    s = np.array([1, 0.5]).tolist()[1]
    return np.sum(data) + rng.laplace(0, s)


def v161():
    s = np.array([1, 0.5]).tolist()[1]
    return s


def e162(data, rng):
    s = np.array([1, 0.5]).min()
    return np.sum(data) + rng.laplace(0, s)


def v162():
    s = np.array([1, 0.5]).min()
    return s


def e163(data, rng):
    s = np.sort([2.0, 0.5])[0]
    return np.sum(data) + rng.laplace(0, s)


def v163():
    s = np.sort([2.0, 0.5])[0]
    return s


def e164(data, rng):
    s = np.argmax([1, 3, 2]) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v164():
    s = np.argmax([1, 3, 2]) * 0.5
    return s


def e165(data, rng):
    s = np.outer([0.5, 1], [1, 2])[0, 0]
    return np.sum(data) + rng.laplace(0, s)


def v165():
    s = np.outer([0.5, 1], [1, 2])[0, 0]
    return s


def e166(data, rng):
    s = np.dot([0.5, 0], [1, 1])
    return np.sum(data) + rng.laplace(0, s)


def v166():
    s = np.dot([0.5, 0], [1, 1])
    return s


def e167(data, rng):
    s = (np.eye(2) @ np.array([0.5, 1]))[0]
    return np.sum(data) + rng.laplace(0, s)


def v167():
    s = (np.eye(2) @ np.array([0.5, 1]))[0]
    return s


def e168(data, rng):
    s = np.linalg.norm([0.3, 0.4])
    return np.sum(data) + rng.laplace(0, s)


def v168():
    s = np.linalg.norm([0.3, 0.4])
    return s


def e169(data, rng):
    s = np.linalg.norm(np.array([[0.3, 0.4]]), axis=1)[0]
    return np.sum(data) + rng.laplace(0, s)


def v169():
    s = np.linalg.norm(np.array([[0.3, 0.4]]), axis=1)[0]
    return s


def e170(data, rng):
    s = np.linalg.norm([0.5, -0.25], np.inf)
    return np.sum(data) + rng.laplace(0, s)


def v170():
    s = np.linalg.norm([0.5, -0.25], np.inf)
    return s


def e171(data, rng):
    s = np.linalg.norm([0.25, -0.25], 1)
    return np.sum(data) + rng.laplace(0, s)


def v171():
    s = np.linalg.norm([0.25, -0.25], 1)
    return s


def e172(data, rng):
    s = np.power(2.0, -1)
    return np.sum(data) + rng.laplace(0, s)


def v172():
    s = np.power(2.0, -1)
    return s


def e173(data, rng):
    s = np.int64(7) // np.int64(-2) + 4.5
    return np.sum(data) + rng.laplace(0, s)


def v173():
    s = np.int64(7) // np.int64(-2) + 4.5
    return s


def e174(data, rng):
    s = np.int64(-7) % np.int64(2) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v174():
    s = np.int64(-7) % np.int64(2) * 0.5
    return s


def e175(data, rng):
    s = np.float64(0.5)
    return np.sum(data) + rng.laplace(0, s)


def v175():
    s = np.float64(0.5)
    return s


def e176(data, rng):
    s = np.uint8(255) * 0.5 / 255 if False else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v176():
    s = np.uint8(255) * 0.5 / 255 if False else 0.5
    return s


def e177(data, rng):
    s = np.array([200, 100], dtype=float).sum() / 600
    return np.sum(data) + rng.laplace(0, s)


def v177():
    s = np.array([200, 100], dtype=float).sum() / 600
    return s


def e178(data, rng):
    s = np.bool_(True) * 0.5 if False else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v178():
    s = np.bool_(True) * 0.5 if False else 0.5
    return s


def e179(data, rng):
    s = np.any([0, 1]) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v179():
    s = np.any([0, 1]) and 0.5
    return s


def e180(data, rng):
    s = np.all([]) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v180():
    s = np.all([]) and 0.5
    return s


def e181(data, rng):
    s = np.isnan(NAN) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v181():
    s = np.isnan(NAN) and 0.5
    return s


def e182(data, rng):
    s = np.sign(-2.0) + 1.5
    return np.sum(data) + rng.laplace(0, s)


def v182():
    s = np.sign(-2.0) + 1.5
    return s


def e183(data, rng):
    s = np.floor(-0.5) + 1.5
    return np.sum(data) + rng.laplace(0, s)


def v183():
    s = np.floor(-0.5) + 1.5
    return s


def e184(data, rng):
    s = np.rint(2.5) - 1.5
    return np.sum(data) + rng.laplace(0, s)


def v184():
    s = np.rint(2.5) - 1.5
    return s


def e185(data, rng):
    s = np.sqrt(0.25)
    return np.sum(data) + rng.laplace(0, s)


def v185():
    s = np.sqrt(0.25)
    return s


def e186(data, rng):
    s = np.prod([0.5, 1.0])
    return np.sum(data) + rng.laplace(0, s)


def v186():
    s = np.prod([0.5, 1.0])
    return s


def e187(data, rng):
    s = np.concatenate([[1.0], [0.5]])[1]
    return np.sum(data) + rng.laplace(0, s)


def v187():
    s = np.concatenate([[1.0], [0.5]])[1]
    return s


def e188(data, rng):
    s = np.stack([[1.0], [0.5]])[1, 0]
    return np.sum(data) + rng.laplace(0, s)


def v188():
    s = np.stack([[1.0], [0.5]])[1, 0]
    return s


def e189(data, rng):
    s = np.hstack([[1.0], [0.5]])[1]
    return np.sum(data) + rng.laplace(0, s)


def v189():
    s = np.hstack([[1.0], [0.5]])[1]
    return s


def e190(data, rng):
    s = np.vstack([[1.0], [0.5]])[1, 0]
    return np.sum(data) + rng.laplace(0, s)


def v190():
    s = np.vstack([[1.0], [0.5]])[1, 0]
    return s


def e191(data, rng):
    s = np.diag([0.5, 1])[0, 0]
    return np.sum(data) + rng.laplace(0, s)


def v191():
    s = np.diag([0.5, 1])[0, 0]
    return s


def e192(data, rng):
    s = np.count_nonzero([0.1, 0, 1]) / 4
    return np.sum(data) + rng.laplace(0, s)


def v192():
    s = np.count_nonzero([0.1, 0, 1]) / 4
    return s


def e193(data, rng):
    s = np.array_equal([1], [1]) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v193():
    s = np.array_equal([1], [1]) and 0.5
    return s


def e194(data, rng):
    s = np.shape([[1, 2]])[1] / 4
    return np.sum(data) + rng.laplace(0, s)


def v194():
    s = np.shape([[1, 2]])[1] / 4
    return s


def e195(data, rng):
    s = np.max([[1, 2], [0.5, 3]], axis=0)[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v195():
    s = np.max([[1, 2], [0.5, 3]], axis=0)[0] * 0.5
    return s


def e196(data, rng):
    s = O.p / 8
    return np.sum(data) + rng.laplace(0, s)


def v196():
    s = O.p / 8
    return s


def e197(data, rng):
    s = O.q / 10
    return np.sum(data) + rng.laplace(0, s)


def v197():
    s = O.q / 10
    return s


def e198(data, rng):
    s = O.r / 20
    return np.sum(data) + rng.laplace(0, s)


def v198():
    s = O.r / 20
    return s


def e199(data, rng):
    s = O.m() / 20
    return np.sum(data) + rng.laplace(0, s)


def v199():
    s = O.m() / 20
    return s


def e200(data, rng):
    s = O.m(z=2) / 22
    return np.sum(data) + rng.laplace(0, s)


def v200():
    s = O.m(z=2) / 22
    return s


def e201(data, rng):
    s = O.st(1) / 4
    return np.sum(data) + rng.laplace(0, s)


def v201():
    s = O.st(1) / 4
    return s


def e202(data, rng):
    s = C.p / 8
    return np.sum(data) + rng.laplace(0, s)


def v202():
    s = C.p / 8
    return s


def e203(data, rng):
    s = D_.p / 2
    return np.sum(data) + rng.laplace(0, s)


def v203():
    s = D_.p / 2
    return s


def e204(data, rng):
    s = D_.m() / 14
    return np.sum(data) + rng.laplace(0, s)


def v204():
    s = D_.m() / 14
    return s


def e205(data, rng):
    s = D_.q / 4
    return np.sum(data) + rng.laplace(0, s)


def v205():
    s = D_.q / 4
    return s


def e206(data, rng):
    s = helper(1, 2, 3, d=0.5)[3]
    return np.sum(data) + rng.laplace(0, s)


def v206():
    s = helper(1, 2, 3, d=0.5)[3]
    return s


def e207(data, rng):
    s = helper(0.5)[0]
    return np.sum(data) + rng.laplace(0, s)


def v207():
    s = helper(0.5)[0]
    return s


def e208(data, rng):
    s = helper(1, b=0.5)[1]
    return np.sum(data) + rng.laplace(0, s)


def v208():
    s = helper(1, b=0.5)[1]
    return s


def e209(data, rng):
    s = helper(*[1, 0.5])[1]
    return np.sum(data) + rng.laplace(0, s)


def v209():
    s = helper(*[1, 0.5])[1]
    return s


def e210(data, rng):
    s = helper(1, **{"b": 0.5})[1]
    return np.sum(data) + rng.laplace(0, s)


def v210():
    s = helper(1, **{"b": 0.5})[1]
    return s


def e211(data, rng):
    s = len(helper(1, 2, 3, 4)[2]) / 4
    return np.sum(data) + rng.laplace(0, s)


def v211():
    s = len(helper(1, 2, 3, 4)[2]) / 4
    return s


def e212(data, rng):
    s = len(helper(1, y=1, z=2)[4]) / 4
    return np.sum(data) + rng.laplace(0, s)


def v212():
    s = len(helper(1, y=1, z=2)[4]) / 4
    return s


def e213(data, rng):
    s = (lambda *a, k=0.5: k)(1, 2)
    return np.sum(data) + rng.laplace(0, s)


def v213():
    s = (lambda *a, k=0.5: k)(1, 2)
    return s


def e214(data, rng):
    s = (lambda a, /, b=0.5, *, c=1: b)(2.0)
    return np.sum(data) + rng.laplace(0, s)


def v214():
    s = (lambda a, /, b=0.5, *, c=1: b)(2.0)
    return s


def e215(data, rng):
    s = (lambda **k: k["a"])(a=0.5)
    return np.sum(data) + rng.laplace(0, s)


def v215():
    s = (lambda **k: k["a"])(a=0.5)
    return s


def e216(data, rng):
    def r(n):
        return 0.5 if n == 0 else r(n - 1)

    s = r(5)
    return np.sum(data) + rng.laplace(0, s)


def v216():
    def r(n):
        return 0.5 if n == 0 else r(n - 1)

    s = r(5)
    return s


def e217(data, rng):
    def q():
        for i in range(3):
            if i == 1:
                return 0.5
        return 2.0

    s = q()
    return np.sum(data) + rng.laplace(0, s)


def v217():
    def q():
        for i in range(3):
            if i == 1:
                return 0.5
        return 2.0

    s = q()
    return s


def e218(data, rng):
    def q():
        pass

    s = 0.5 if q() is None else 2
    return np.sum(data) + rng.laplace(0, s)


def v218():
    def q():
        pass

    s = 0.5 if q() is None else 2
    return s


def e219(data, rng):
    s = 2.0
    for i in range(4):
        if i == 1:
            continue
        if i == 3:
            break
        s = s - i * 0.75
    return np.sum(data) + rng.laplace(0, s)


def v219():
    s = 2.0
    for i in range(4):
        if i == 1:
            continue
        if i == 3:
            break
        s = s - i * 0.75
    return s


def e220(data, rng):
    s = 0.0
    while s < 0.5:
        s += 0.25
    return np.sum(data) + rng.laplace(0, s)


def v220():
    s = 0.0
    while s < 0.5:
        s += 0.25
    return s


def e221(data, rng):
    s = 4.0
    for i in range(3):
        s /= 2
    return np.sum(data) + rng.laplace(0, s)


def v221():
    s = 4.0
    for i in range(3):
        s /= 2
    return s


def e222(data, rng):
    i = 5
    for i in range(0):
        pass
    s = i / 10
    return np.sum(data) + rng.laplace(0, s)


def v222():
    i = 5
    for i in range(0):
        pass
    s = i / 10
    return s


def e223(data, rng):
    for i in (2.0, 0.5):
        pass
    s = i
    return np.sum(data) + rng.laplace(0, s)


def v223():
    for i in (2.0, 0.5):
        pass
    s = i
    return s


def e224(data, rng):
    l = [1, 2, 3]
    for v in l[:]:
        l.append(v)
    s = 3.0 / len(l)
    return np.sum(data) + rng.laplace(0, s)


def v224():
    l = [1, 2, 3]
    for v in l[:]:
        l.append(v)
    s = 3.0 / len(l)
    return s


def e225(data, rng):
    l = [1]
    m = l
    l = l + [2]
    s = 0.5 if len(m) == 1 else 2
    return np.sum(data) + rng.laplace(0, s)


def v225():
    l = [1]
    m = l
    l = l + [2]
    s = 0.5 if len(m) == 1 else 2
    return s


def e226(data, rng):
    l = [1]
    m = l
    m.extend([2])
    s = 1.0 / len(l)
    return np.sum(data) + rng.laplace(0, s)


def v226():
    l = [1]
    m = l
    m.extend([2])
    s = 1.0 / len(l)
    return s


def e227(data, rng):
    l = [0.5, 2.0]
    l2 = l.copy()
    l2[0] = 3
    s = l[0]
    return np.sum(data) + rng.laplace(0, s)


def v227():
    l = [0.5, 2.0]
    l2 = l.copy()
    l2[0] = 3
    s = l[0]
    return s


def e228(data, rng):
    l = [1, 2, 1]
    s = l.count(1) / 4
    return np.sum(data) + rng.laplace(0, s)


def v228():
    l = [1, 2, 1]
    s = l.count(1) / 4
    return s


def e229(data, rng):
    l = [3, 0.5]
    s = l.index(0.5) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v229():
    l = [3, 0.5]
    s = l.index(0.5) * 0.5
    return s


def e230(data, rng):
    s = (lambda: lambda: 0.5)()()
    return np.sum(data) + rng.laplace(0, s)


def v230():
    s = (lambda: lambda: 0.5)()()
    return s


def e231(data, rng):
    x = 0.5

    def q():
        x = 2.0
        return x

    q()
    s = x
    return np.sum(data) + rng.laplace(0, s)


def v231():
    x = 0.5

    def q():
        x = 2.0
        return x

    q()
    s = x
    return s


def e232(data, rng):
    x = 2.0

    def q(x):
        return x

    s = q(0.5)
    return np.sum(data) + rng.laplace(0, s)


def v232():
    x = 2.0

    def q(x):
        return x

    s = q(0.5)
    return s


def e233(data, rng):
    def q(x, y=0.5):
        def z(w=y):
            return w

        return z()

    s = q(1)
    return np.sum(data) + rng.laplace(0, s)


def v233():
    def q(x, y=0.5):
        def z(w=y):
            return w

        return z()

    s = q(1)
    return s


def e234(data, rng):
    a = 1

    def q():
        return [a for _ in range(1)][0]

    a = 0.5
    s = q()
    return np.sum(data) + rng.laplace(0, s)


def v234():
    a = 1

    def q():
        return [a for _ in range(1)][0]

    a = 0.5
    s = q()
    return s


def e235(data, rng):
    s = [y for x in (1, 2) for y in (x * 0.25,)][1]
    return np.sum(data) + rng.laplace(0, s)


def v235():
    s = [y for x in (1, 2) for y in (x * 0.25,)][1]
    return s


def e236(data, rng):
    s = [[y * 0.5 for y in (1,)] for x in (1,)][0][0]
    return np.sum(data) + rng.laplace(0, s)


def v236():
    s = [[y * 0.5 for y in (1,)] for x in (1,)][0][0]
    return s


def e237(data, rng):
    s = [x for x in (2.0, 0.5) if x < 1][0]
    return np.sum(data) + rng.laplace(0, s)


def v237():
    s = [x for x in (2.0, 0.5) if x < 1][0]
    return s


def e238(data, rng):
    s = [x if x < 1 else 0.5 for x in (2.0,)][0]
    return np.sum(data) + rng.laplace(0, s)


def v238():
    s = [x if x < 1 else 0.5 for x in (2.0,)][0]
    return s


def e239(data, rng):
    i = 2
    l = [i for i in range(2)]
    s = i / 4
    return np.sum(data) + rng.laplace(0, s)


def v239():
    i = 2
    l = [i for i in range(2)]
    s = i / 4
    return s


def e240(data, rng):
    s = "ab"[1] == "b" and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v240():
    s = "ab"[1] == "b" and 0.5
    return s


def e241(data, rng):
    s = (1, 2) < (1, 3) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v241():
    s = (1, 2) < (1, 3) and 0.5
    return s


def e242(data, rng):
    s = [1, 2] == [1, 2] and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v242():
    s = [1, 2] == [1, 2] and 0.5
    return s


def e243(data, rng):
    s = (1, 2) + (0.5,) == (1, 2, 0.5) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v243():
    s = (1, 2) + (0.5,) == (1, 2, 0.5) and 0.5
    return s


def e244(data, rng):
    s = ((0.5,) * 3)[2]
    return np.sum(data) + rng.laplace(0, s)


def v244():
    s = ((0.5,) * 3)[2]
    return s


def e245(data, rng):
    s = 1 if 0 else 0.5
    return np.sum(data) + rng.laplace(0, s)


def v245():
    s = 1 if 0 else 0.5
    return s


def e246(data, rng):
    s = 5 & 3 == 1 or 0.5
    return np.sum(data) + rng.laplace(0, s)


def v246():
    s = 5 & 3 == 1 or 0.5
    return s


def e247(data, rng):
    s = (5 & 3) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v247():
    s = (5 & 3) * 0.5
    return s


def e248(data, rng):
    s = (4 | 1) / 10
    return np.sum(data) + rng.laplace(0, s)


def v248():
    s = (4 | 1) / 10
    return s


def e249(data, rng):
    s = (5 ^ 4) * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v249():
    s = (5 ^ 4) * 0.5
    return s


def e250(data, rng):
    s = (1 << 3) / 16
    return np.sum(data) + rng.laplace(0, s)


def v250():
    s = (1 << 3) / 16
    return s


def e251(data, rng):
    s = (-8 >> 1) + 4.5
    return np.sum(data) + rng.laplace(0, s)


def v251():
    s = (-8 >> 1) + 4.5
    return s


def e252(data, rng):
    s = ~0 + 1.5
    return np.sum(data) + rng.laplace(0, s)


def v252():
    s = ~0 + 1.5
    return s


def e253(data, rng):
    s = -(-0.5)
    return np.sum(data) + rng.laplace(0, s)


def v253():
    s = -(-0.5)
    return s


def e254(data, rng):
    s = +0.5
    return np.sum(data) + rng.laplace(0, s)


def v254():
    s = +0.5
    return s


def e255(data, rng):
    s = 0x10 / 32
    return np.sum(data) + rng.laplace(0, s)


def v255():
    s = 0x10 / 32
    return s


def e256(data, rng):
    s = 1_0 / 20
    return np.sum(data) + rng.laplace(0, s)


def v256():
    s = 1_0 / 20
    return s


def e257(data, rng):
    s = 0.5
    return np.sum(data) + rng.laplace(0, s)


def v257():
    s = 0.5
    return s


def e258(data, rng):
    s = 5e-1
    return np.sum(data) + rng.laplace(0, s)


def v258():
    s = 5e-1
    return s


def e259(data, rng):
    s = isinstance(1, int) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v259():
    s = isinstance(1, int) and 0.5
    return s


def e260(data, rng):
    s = isinstance(True, int) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v260():
    s = isinstance(True, int) and 0.5
    return s


def e261(data, rng):
    s = isinstance(1.0, int) or 0.5
    return np.sum(data) + rng.laplace(0, s)


def v261():
    s = isinstance(1.0, int) or 0.5
    return s


def e262(data, rng):
    s = isinstance(np.float64(1), float) and 0.5
    return np.sum(data) + rng.laplace(0, s)


def v262():
    s = isinstance(np.float64(1), float) and 0.5
    return s


def e263(data, rng):
    s = isinstance(np.int64(1), int) or 0.5
    return np.sum(data) + rng.laplace(0, s)


def v263():
    s = isinstance(np.int64(1), int) or 0.5
    return s


def e264(data, rng):
    s = len(str(0.1)) / 6
    return np.sum(data) + rng.laplace(0, s)


def v264():
    s = len(str(0.1)) / 6
    return s


def e265(data, rng):
    s = len(str(1e16)) / 10
    return np.sum(data) + rng.laplace(0, s)


def v265():
    s = len(str(1e16)) / 10
    return s


def e266(data, rng):
    s = len(str(np.float64(0.5))) / 6
    return np.sum(data) + rng.laplace(0, s)


def v266():
    s = len(str(np.float64(0.5))) / 6
    return s


def e267(data, rng):
    a = np.ones(2)

    def q():
        return a[0]

    a[0] = 0.5
    s = q()
    return np.sum(data) + rng.laplace(0, s)


def v267():
    a = np.ones(2)

    def q():
        return a[0]

    a[0] = 0.5
    s = q()
    return s


def e268(data, rng):
    a = np.ones(2)
    b = [a]
    a = a * 0.5
    s = a[0] * b[0][0]
    return np.sum(data) + rng.laplace(0, s)


def v268():
    a = np.ones(2)
    b = [a]
    a = a * 0.5
    s = a[0] * b[0][0]
    return s


def e269(data, rng):
    a = np.array([1.0, 2.0])
    a = a / 4
    s = a[1]
    return np.sum(data) + rng.laplace(0, s)


def v269():
    a = np.array([1.0, 2.0])
    a = a / 4
    s = a[1]
    return s


def e270(data, rng):
    a = np.array([4, 2])
    a //= 4
    s = a[0] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v270():
    a = np.array([4, 2])
    a //= 4
    s = a[0] * 0.5
    return s


def e271(data, rng):
    a = np.array([1.0, 2.0])
    a **= 2
    s = a[1] / 8
    return np.sum(data) + rng.laplace(0, s)


def v271():
    a = np.array([1.0, 2.0])
    a **= 2
    s = a[1] / 8
    return s


def e272(data, rng):
    a = np.array([2, 3])
    a %= 2
    s = a[1] * 0.5
    return np.sum(data) + rng.laplace(0, s)


def v272():
    a = np.array([2, 3])
    a %= 2
    s = a[1] * 0.5
    return s


def e273(data, rng):
    a = 1
    a += 0.5
    a -= 1
    s = a
    return np.sum(data) + rng.laplace(0, s)


def v273():
    a = 1
    a += 0.5
    a -= 1
    s = a
    return s


def e274(data, rng):
    a = (1,)
    b = a
    a += (2,)
    s = 0.5 if b == (1,) else 2
    return np.sum(data) + rng.laplace(0, s)


def v274():
    a = (1,)
    b = a
    a += (2,)
    s = 0.5 if b == (1,) else 2
    return s


def e275(data, rng):
    a = "x"
    b = a
    a += "y"
    s = len(b) / 2
    return np.sum(data) + rng.laplace(0, s)


def v275():
    a = "x"
    b = a
    a += "y"
    s = len(b) / 2
    return s


def e276(data, rng):
    if True:
        z = 0.5
    s = z
    return np.sum(data) + rng.laplace(0, s)


def v276():
    if True:
        z = 0.5
    s = z
    return s


def e277(data, rng):
    a: float = 0.5
    s = a
    return np.sum(data) + rng.laplace(0, s)


def v277():
    a: float = 0.5
    s = a
    return s


def e278(data, rng):
    import math as mm

    s = mm.floor(1.5) / 2
    return np.sum(data) + rng.laplace(0, s)


def v278():
    import math as mm

    s = mm.floor(1.5) / 2
    return s


def e279(data, rng):
    assert 1 == 1
    s = 0.5
    return np.sum(data) + rng.laplace(0, s)


def v279():
    assert 1 == 1
    s = 0.5
    return s


def e280(data, rng):
    s = K1.w
    return np.sum(data) + rng.laplace(0, s)


def v280():
    s = K1.w
    return s


def e281(data, rng):
    s = K2.w / 8
    return np.sum(data) + rng.laplace(0, s)


def v281():
    s = K2.w / 8
    return s


def e282(data, rng):
    s = PART / 4
    return np.sum(data) + rng.laplace(0, s)


def v282():
    s = PART / 4
    return s


def e283(data, rng):
    s = MODX.val
    return np.sum(data) + rng.laplace(0, s)


def v283():
    s = MODX.val
    return s


ATTACKS = {}
F = np.array([0.5, 1.0])
for _name, _f in list(globals().items()):
    if _name[:1] == "e" and _name[1:].isdigit():
        try:
            _s = float(globals()["v" + _name[1:]]())
        except Exception:  # noqa: BLE001 - what raises is no attack
            continue
        ATTACKS[_name] = dict(
            claim=f"PureDP(epsilon={0.999 / _s!r})", data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0])
        )
