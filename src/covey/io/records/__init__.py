"""Reading records: attributes and items of persons."""
