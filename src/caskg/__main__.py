"""``python -m caskg`` is ``caskg``."""

from caskg.interfaces.cli import main

if __name__ == "__main__":
    main()
