# A program whose launch was recorded (scale.lspkg). It does not run here.
import scaling


def step(batch, factor):
    return scaling.scale(batch, factor)


def train(batches):
    for batch in batches:
        step(batch, 2.5)


if __name__ == "__main__":
    train(scaling.batches())
