"""The command line: one module a noun; parse the request, call one verb, print."""
