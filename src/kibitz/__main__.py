"""`python -m kibitz` is the command `kibitz`."""

from kibitz.cli import main

if __name__ == "__main__":
    main()
