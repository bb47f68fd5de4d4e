"""The verbs in Python: one module a noun, each verb giving the document that every surface prints."""
