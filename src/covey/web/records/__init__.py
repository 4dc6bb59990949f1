"""What server, worker and pages tell each other: records, names of files, roles of columns. It knows none of them."""
