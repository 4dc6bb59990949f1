"""Slow readers of the text formats, one character at a time, and writers that use all their freedom."""


def read_fimi(text, separator=None):
    """One list of labels per line; blanks separate, or `separator` does and blanks around labels go."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows = []
    for line in lines:
        if line.endswith("\r"):
            line = line[:-1]
        if separator is None:
            tokens = line.replace("\t", " ").split(" ")
        else:
            tokens = [token.strip(" \t") for token in line.split(separator)]
        rows.append([token for token in tokens if token])
    return rows


def read_records(text, delimiter):
    """The records of a CSV text as (line, cells); ValueError(line, reason) when it is not well formed."""
    if not text.endswith("\n"):
        text += "\n"
    found, at, line = [], 0, 1
    while at < len(text):
        if text[at] == "\n" or text[at : at + 2] == "\r\n":
            at = text.index("\n", at) + 1
            line += 1
            continue
        cells, begin, ended = [], line, False
        while not ended:
            while text[at] in " \t" and text[at] != delimiter:
                at += 1
            if text[at] == '"':
                cell, at = "", at + 1
                while True:
                    if at >= len(text):
                        raise ValueError(begin, "open quote")
                    if text[at : at + 2] == '""':
                        cell += '"'
                        at += 2
                    elif text[at] == '"':
                        break
                    else:
                        line += text[at] == "\n"
                        cell += text[at]
                        at += 1
                at += 1
                while at < len(text) and text[at] in " \t\r" and text[at] != delimiter:
                    at += 1
                if at >= len(text):
                    raise ValueError(begin, "open quote")
                if text[at] not in (delimiter, "\n"):
                    raise ValueError(begin, "text after quote")
            else:
                begin_cell = at
                while text[at] not in (delimiter, "\n"):
                    at += 1
                cell = text[begin_cell:at].rstrip(" \t\r" if delimiter != "\t" else " \r")
            cells.append(cell)
            ended = text[at] == "\n"
            at += 1
        line += 1
        found.append((begin, cells))
    return found


def read_long(text, delimiter, transaction, item):
    """Items by transaction, in the order in which transactions are first seen."""
    (_, header), *records = read_records(text, delimiter)
    baskets = {}
    for _, cells in records:
        baskets.setdefault(cells[header.index(transaction)], []).append(cells[header.index(item)])
    return list(baskets.values())


def read_wide(text, delimiter, identifier=None):
    """The labels, and for each row the labels of its cells that are set."""
    (_, header), *records = read_records(text, delimiter)
    labels = [name for name in header if name != identifier]
    meaning = {"": 0, "0": 0, "1": 1, "true": 1, "false": 0}
    rows = []
    for _, cells in records:
        held = dict(zip(header, cells, strict=True))
        rows.append([name for name in labels if meaning[held[name].lower()]])
    return labels, rows


def write_cell(cell, delimiter, quote):
    """A cell of CSV text, quoted if asked to or if it has to be."""
    needs = cell != cell.strip() or any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if quote or needs else cell
