"""What train.py imports."""


def scale(x, factor):
    kernel = compiled("scale")
    kernel.launch(grid=4, block=32, arguments=(x, factor))
    return x
