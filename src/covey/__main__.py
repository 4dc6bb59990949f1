"""`python -m covey`: the command line."""

from covey.cli.app import main

main()
