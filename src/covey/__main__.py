"""`python -m covey`: the command line."""

from covey.cli.entry import main

main()
