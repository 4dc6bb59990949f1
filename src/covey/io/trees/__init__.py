"""Reading taxonomies and hierarchies."""
