EXAMPLE = ""


def command() -> None:
    pass
