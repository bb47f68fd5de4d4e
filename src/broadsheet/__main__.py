"""``python -m broadsheet`` is the command line."""

from broadsheet.cli.main import main

main()
