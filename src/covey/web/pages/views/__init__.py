"""What the pages show, arranged for the templates: figures, tables, charts."""
