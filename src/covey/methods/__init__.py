"""One module per method; each is a frozen dataclass with the verb `anonymize`."""
