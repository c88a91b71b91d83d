"""`python -m clustermark`: the program, also where its script is not on the path."""

from clustermark.cli import main

if __name__ == "__main__":
    main()
