COUNT = [0]


def __getattr__(name):
    if name == "SCALE":
        COUNT[0] += 1
        return 1.0 if COUNT[0] <= 2 else 0.001
    raise AttributeError(name)
