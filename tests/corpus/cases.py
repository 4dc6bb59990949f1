"""The files of the corpus and how they are read; what has to come of them stands in `expected.json`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus import making as make


@dataclass(frozen=True)
class Case:
    """A file: its name, what is in it, the kind of data it is read as, and the reading options."""

    name: str
    file: str
    content: bytes | Callable[[], bytes]
    how: dict[str, Any]

    def write(self, folder):
        """Put the file into a folder."""
        path = folder / self.file
        path.write_bytes(self.content if isinstance(self.content, bytes) else self.content())
        return path


CASES: list[Case] = []
HEAD = b"order,item\n"
LONG = HEAD + b"1,ale\n1,tea\n2,ale\n"
COLUMNS = {"order": [1, 1, 2], "item": ["ale", "tea", "ale"]}
ROWS = [["order", "item"], [1, "ale"], [1, "tea"], [2, "ale"]]


def case(name, file, content, **how):
    """Add a case to the corpus; content that is large or slow to make is a function."""
    CASES.append(Case(name, file, content, how))


def sold(name, rows, **how):
    """Rows below the header of a table of sales."""
    case(name, "a.csv", HEAD + rows, **how)


def lines(name, content, **how):
    """A file with one transaction per line."""
    case(f"FIMI, {name}", "a.dat", content, **how)


def jsonl(name, *rows, **how):
    """A file of JSON Lines."""
    case(f"JSON Lines, {name}", "a.jsonl", b"\n".join(rows) + b"\n", **how)


def columns(name, values, types=None, **how):
    """A Parquet file of columns."""
    case(f"Parquet, {name}", "a.parquet", make.parquet(values, types), **how)


def sheet(name, rows, change=None, **how):
    """A workbook with one sheet."""
    case(f"workbook, {name}", "a.xlsx", lambda: make.workbook({"sales": rows}, change), **how)


def rewritten(name, *rows):
    """A workbook with rows of XML below its header."""
    header = '<row r="1"><c r="A1" t="str"><v>order</v></c><c r="B1" t="str"><v>item</v></c></row>'
    case(f"workbook, {name}", "a.xlsx", lambda: make.with_rows(BOOK, header, *rows))


def base(name, *statements, **how):
    """A database with a table of sales, after more statements."""
    case(f"database, {name}", "a.sqlite", make.database('CREATE TABLE sales ("order", item)', *statements), **how)


def rated(name, rows, **how):
    """Rows below two ratings."""
    case(f"ratings, {name}", "a.csv", b"user,item,rating\nann,food,5\nbob,food,3\n" + rows, kind="ratings", **how)


def people(name, rows, **how):
    """Rows below two persons of a table."""
    case(f"table, {name}", "a.csv", b"age,zip,sex\n30,01234,f\n31,1234,m\n" + rows, kind="table", **how)


def tree(name, rows, kind="taxonomy"):
    """Pairs below those of two items."""
    case(f"{kind}, {name}", "t.csv", b"child,parent\nale,drink\ntea,drink\n" + rows, kind=kind)


# Delimited text: rows, quotes, spaces
sold("plain rows", b"1,ale\n1,tea\n2,ale\n")
sold("row too long", b"1,ale\n1,tea,hot\n2,ale\n")
sold("row too short", b"1,ale\n1\n2,ale\n")
sold("many rows, then a short one", b"1,ale\n2,tea\n" * 30_000 + b"3\n")
sold("quote open at the end", b'1,ale\n2,"tea\n')
sold("quote open in the middle", b'1,ale\n2,"tea\n3,ale\n4,tea\n')
sold("quote open until another row has one", b'1,"ale\n2,"tea"\n3,ale\n')
sold("quote open at the end, after 300 kB", b"1,ale\n" * 50_000 + b'1,"tea\n2,ale\n')
sold("quote open before many rows", b'1,"ale\n' + b"2,tea\n" * 50_000)
sold("letters after a closing quote", b'1,ale\n1,"mi"lk\n')
sold("letters after a closing quote, after 300 kB", b"1,ale\n" * 50_000 + b'1,"mi"lk\n')
sold("quotes inside a cell", b'1,19" rack\n1,tea\n')
sold("doubled quotes", b'1,"the ""best"" ale"\n1,"""tea"""\n')
sold("quoted separators and line breaks", b'1,"ale, dark"\n1,"green\ntea"\n2,"hot\r\ntea"\n')
sold("ragged row below a quoted line break", b'1,"green\ntea"\n2,ale,hot\n')
sold("spaces around values", b"1 , ale\n 1,tea \n2,ale\n")
sold("spaces inside quotes", b'1," ale"\n1,ale\n')
sold("backslash before a quote", b'1,"the \\"best\\" ale"\n2,tea\n')
sold("quoted empty item", b'1,ale\n2,""\n')
# Delimited text: lines
case("CRLF", "a.csv", LONG.replace(b"\n", b"\r\n"))
case("CR only", "a.csv", LONG.replace(b"\n", b"\r"))
case("mixed line ends", "a.csv", b"order,item\r\n1,ale\n1,tea\r\n2,ale")
sold("blank lines in the middle", b"1,ale\n\n1,tea\n\n2,ale\n")
sold("ragged row below blank lines", b"1,ale\n\n\n1,tea,hot\n")
case("blank lines before the header", "a.csv", b"\n\n" + LONG)
sold("line of separators alone", b"1,ale\n,\n2,tea\n")
sold("line of spaces", b"1,ale\n  \n2,tea\n")
sold("comment", b"# sold in May\n1,ale\n")
case("comment before the header", "a.csv", b"# sold in May\n" + LONG)
sold("values that begin like comments", b"1,#1 ale\n1,//tea\n#2,ale\n")
sold("line of 3 MB", b"1," + b"a" * 3_000_000 + b"\n2,tea\n")
sold("quoted cell of 1 MB with line breaks", b'1,"' + b"ab\n" * 350_000 + b'"\n2,tea\n')
# Delimited text: bytes
case("empty file", "a.csv", b"")
case("UTF-8 with a mark", "a.csv", b'\xef\xbb\xbf"order",item\n1,ale\n')
case("UTF-16 LE with a mark", "a.csv", b"\xff\xfe" + LONG.decode().encode("utf-16-le"))
case("UTF-16 BE with a mark", "a.csv", b"\xfe\xff" + LONG.decode().encode("utf-16-be"))
case("UTF-16 without a mark", "a.csv", LONG.decode().encode("utf-16-le"))
case("UTF-16, named", "a.csv", "order,item\n1,käse\n".encode("utf-16"), encoding="utf-16")
sold("latin-1", b"1,ale\n1,k\xe4se\n")
sold("latin-1 after 300 kB", b"1,ale\n" * 50_000 + b"2,k\xe4se\n")
case("latin-1 in a column that is not used", "a.csv", b"order,item,note\n1,ale,f\xfcr\n2,tea,\n")
sold("surrogate in UTF-8", b"1,ale\n2,a\xed\xa0\x80b\n")
sold("cut off inside a letter", b"1,ale\n2,caf\xc3")
sold("NUL after 300 kB", b"1,ale\n" * 50_000 + b"2,t\0ea\n")
sold("DOS end of file", b"1,ale\n\x1a")
case("PNG called CSV", "a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1")
case("bytes without meaning", "a.csv", bytes(range(1, 256)) * 4)
# Delimited text: columns
case("header only", "a.csv", HEAD)
case("empty header", "a.csv", b",\n1,ale\n2,tea\n")
case("header twice, used", "a.csv", b"order,item,item\n1,ale,tea\n")
case("header twice, not used", "a.csv", b"order,item,note,note\n1,ale,x,y\n2,tea,x,y\n")
case("headers that differ in case", "a.csv", b"order,item,Item\n1,ale,tea\n")
case("column that is absent", "a.csv", LONG, transaction="ordre", item="item")
case("semicolons, commas in cells", "a.csv", b"order;item\n1;ale, dark\n2;tea, green, hot\n")
case("commas, semicolons in cells", "a.csv", b"order,item\n1,ale; dark\n2,tea; green; hot\n")
case("wide, a 2", "a.csv", b"order,ale,tea\n1,1,0\n2,1,2\n", transaction="order")
case("wide, 6,000 columns", "a.csv", lambda: make.wide(6000))
case("20,000 columns that are not used", "a.csv", lambda: make.wide(20_000, b"order,item", b",ale"))
# Delimited text: values
sold("leading zeros in items", b"1,007\n1,7\n2,007\n")
sold("leading zeros in transactions", b"01,ale\n1,tea\n001,ale\n")
case("leading zeros in persons", "a.csv", b"order,item,who\n1,ale,07\n2,tea,7\n3,ale,07\n", person="who")
sold("numbers in many forms", b"1,-5\n1,1.50\n1,1.5\n1,1e5\n1,100000\n1,9999999999999999999999\n")
sold("words that readers take for values", b"1,true\n1,None\n1,nan\n1,inf\n1,2024-01-05\n1,0x1F\n1,\\N\n")
sold("large transaction numbers", b"9007199254740992,ale\n9007199254740993,tea\n")
sold("thousands separators", b'"1,000",ale\n1000,tea\n')
sold("empty item", b"1,ale\n2,\n")
sold("empty item, dropped", b"1,ale\n2,\n2,tea\n", missing="drop")
sold("empty item, kept", b"1,ale\n2,\n", missing="keep")
sold("empty transaction", b"1,ale\n,tea\n")
sold("NA, null and - as items", b"1,NA\n1,null\n1,-\n2,ale\n")
sold("NA, null and - dropped", b"1,NA\n1,null\n1,-\n2,ale\n", missing="drop")
case("person missing", "a.csv", b"order,item,who\n1,ale,ann\n2,tea,\n3,ale,bob\n", person="who")
case("person missing, dropped", "a.csv", b"order,item,who\n1,a,x\n2,b,\n3,c,y\n", person="who", missing="drop")
case("person NA", "a.csv", b"order,item,who\n1,ale,ann\n2,tea,NA\n3,ale,bob\n", person="who")
case("two persons in a transaction", "a.csv", b"order,item,who\n1,ale,ann\n1,tea,bob\n2,ale,bob\n", person="who")
sold("case twins", b"1,Ale\n1,ale\n2,ALE\n")
sold("case twin of a sensitive item", b"1,test\n2,Test\n3,ale\n", sensitive="test")
sold("sensitive item that is absent", b"1,ale\n2,tea\n", sensitive="aale")
sold("combining twin of a sensitive item", "1,café\n2,cafe\u0301\n".encode(), sensitive="café")
sold("non-breaking and wide spaces", "1,ale\u00a0\n1,\u3000tea\n1,ale\n2,dark\u00a0ale\n".encode())
sold("zero-width and direction characters", "1,a\u200ble\n1,ale\n1,\u202eela\n".encode())
sold("control characters", b"1,a\x07le\n1,\x1b[31mtea\n1,\x1b]0;x\x07\n")
sold("form feed and line separators", "1,a\x0cle\n1,t\u2028ea\n1,b\x85c\n".encode())
case("control characters in the header", "a.csv", b"order,item,\x1b]0;x\x07\n1,ale,x\n")
# What is printed: control characters must not reach the terminal
sold("escape sequences printed by items", b"1,a\x07le\n1,\x1b[31mtea\n1,\x1b]0;x\x07\n", kind="printed by items")
sold("escape sequences printed by inspect", b"1,\x1b]0;x\x07\n2,\x1b]0;x\x07\n", kind="printed by inspect")
sold("escape sequences printed by check", b"1,\x1b]0;x\x07\n2,ale\n", kind="printed by check -g k-anonymity(k=2)")
# One transaction per line
lines("plain", b"1 2 3\n2\n1 3\n")
lines("empty lines", b"1 2\n\n3\n\n")
lines("spaces and tabs", b"  1  2 \n3\t1\n2   \n")
lines("negative numbers", b"1 -2\n-2 2\n")
lines("leading zeros and huge numbers", b"01 1\n99999999999999999999 2147483648\n")
lines("CR only", b"1 2\r3\r")
lines("CRLF and a mark", b"\xef\xbb\xbf1 2\r\n\r\n3\r\n")
case("lists with commas", "a.txt", b"ale,tea\ntea,milk,ale\nale\n")
case("lists with commas, named", "a.txt", b"ale, dark tea ,,ale\n,\ntea\n", format="fimi", separator=",")
# Compression and archives
PACKED = make.packed(HEAD + b"".join(b"%d,%d\n" % (n // 9, n * n % 9973) for n in range(60_000)))
case("gzip", "a.csv.gz", make.packed(LONG))
case("gzip, two members", "a.csv.gz", make.packed(LONG) + make.packed(b"3,milk\n"))
case("gzip, cut off", "a.csv.gz", PACKED[:-12])
case("gzip, wrong checksum", "a.csv.gz", PACKED[:-8] + bytes(8))
case("gzip, something behind", "a.csv.gz", PACKED + b"more")
case("gzip, ragged row", "a.csv.gz", make.packed(LONG + b"3\n"))
case("gzip, flood", "a.csv.gz", lambda: make.packed((b"1," + b"ale" * 1000 + b"\n") * 600) * 600)
case("ZIP", "a.zip", make.archive("a.csv", LONG))
# Parquet
FILE = make.parquet(COLUMNS)
case("Parquet, cut off", "a.parquet", FILE[:-9])
case("Parquet, wrong first bytes", "a.parquet", b"PARX" + FILE[4:])
case("Parquet, damaged page", "a.parquet", FILE[:4] + bytes(40) + FILE[44:])
case("Parquet, text, no UTF-8", "a.parquet", FILE.replace(b"tea", b"te\xff"))
case(
    "Parquet, a column twice",
    "a.parquet",
    make.parquet({**COLUMNS, "again": ["x"] * 3}, names=["order", "item", "item"]),
)
columns("no rows", {"order": [], "item": []}, {"order": "int64", "item": "string"})
columns("null item", {"order": [1, 2, 2], "item": ["ale", None, "tea"]})
columns("null person", {**COLUMNS, "who": ["a", "a", None]}, person="who")
columns("floats as items", {"order": [1, 2, 2], "item": [1.0, 2.5, 1.0]})
columns("NaN as item", {"order": [1, 2], "item": [1.0, float("nan")]})
columns("structs as items", {"order": [1], "item": [{"name": "ale"}]})
columns("dates as items", {"order": [1, 2], "item": [make.DAY, make.DAY]})
columns("numbers beyond 2^63", {"order": [1, 2], "item": [2**64 - 1, 7]}, {"item": "uint64"})
columns("lists of items", {"items": [["ale", "tea"], [], ["ale"]]})
columns("lists, a null list", {"items": [["ale"], None]})
columns("lists, a null in one", {"items": [["ale"], ["tea", None]]})
columns("dictionary", {**COLUMNS, "item": make.DICTIONARY})
columns("binary, no UTF-8", {"order": [1, 2], "item": [b"ale", b"\xff"]})
columns("binary person, null before no UTF-8", {**COLUMNS, "who": [None, b"x", b"\xff"]}, person="who")
columns("binary in a table, null before no UTF-8", {"age": [1, 2], "job": [None, b"\xff"]}, kind="table")
# JSON Lines
LIST, FIRST = b'["ale"]', b'{"order": 1, "item": "ale"}'
jsonl("objects", FIRST, b'{"order": 2, "item": "tea"}')
jsonl("lists, blank lines, CRLF and a mark", b'\xef\xbb\xbf["ale", "tea"]\r', b"\r", LIST, b"")
jsonl("broken line", LIST, b"", b'["tea"', LIST)
jsonl("NaN", LIST, b'[NaN, "tea"]')
jsonl("lone surrogate in a list", LIST, b'["\\ud800x"]')
jsonl("lone surrogate in an object", FIRST, b'{"order": 2, "item": "\\ud800x"}')
jsonl("NUL, escaped", LIST, b'["t\\u0000ea"]')
jsonl("nested list", LIST, b'["tea", ["ale"]]')
jsonl("deep", LIST, b"[" * 100_000)
jsonl("key twice", b'{"order": 1, "item": "ale", "item": "tea"}', b'{"order": 2, "item": "ale"}')
jsonl("key absent", FIRST, b"", b'{"order": 2}')
jsonl("empty list and empty item", LIST, b"[]", b'[""]')
jsonl("column of lists", b'{"order": 1, "items": ["ale", "tea"]}', b'{"order": 2, "items": []}')
jsonl("numbers and texts", b'[1, 1.0, "1", true]')
jsonl("texts like dates and numbers", b'["2024-01-05", "2024-01-05 10:00:00", "007", "1e5"]')
jsonl("large numbers", b'{"order": 9007199254740993, "item": 12345678901234567890}', b'{"order": 1, "item": 1}')
jsonl("number of 5,000 digits", b"[1]", b"[" + b"9" * 5000 + b"]")
jsonl("latin-1", LIST, b'["k\xe4se"]')
jsonl("an array over lines", b"[", FIRST + b",", b'{"order": 2, "item": "tea"}', b"]")
case("JSON document", "a.json", b'[{"order": 1, "item": "ale"}]')
# Excel
BOOK = make.workbook({"sales": ROWS})
TWO = make.workbook({"sales": ROWS, "returns": ROWS[:2]})
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
case("workbook, several sheets", "a.xlsx", TWO)
case("workbook, several sheets, named", "a.xlsx", TWO, sheet="returns")
sheet("empty sheet", [])
sheet("empty rows", [*ROWS[:2], [], [], *ROWS[2:]])
sheet("rows above the header", [["Sales in May"], [], *ROWS])
sheet("formula without a value", [*ROWS, [3, '="a"&"le"']])
sheet("empty cell below an empty row", [*ROWS, [], [3, None]])
sheet("error cell", [*ROWS, [3, "#N/A"]])
sheet("numbers as items", [ROWS[0], [1, 1.0], [1, 1], [1, "1"], [2, "007"], [2, 2.5]])
sheet("dates as items", [*ROWS, [3, make.DAY]])
sheet("merged header", [["order", "item", None], [1, "ale", "x"]], lambda book: book["sales"].merge_cells("B1:C1"))
case("workbook, password", "a.xlsx", OLD + "EncryptedPackage".encode("utf-16-le"))
case("called workbook, but is text", "a.xlsx", LONG)
case("called workbook, but is ZIP", "a.xlsx", make.archive("a.csv", LONG))
case("workbook, cut off", "a.xlsx", BOOK[:-200])
case("workbook, damaged part", "a.xlsx", make.damaged(BOOK, make.SHEET))
case("workbook, broken XML", "a.xlsx", make.changed_part(BOOK, make.SHEET, lambda text: text[:-40]))
rewritten("no number in a number", '<row r="2"><c r="A2"><v>two</v></c><c r="B2"><v>1</v></c></row>')
rewritten("text beyond the shared ones", '<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="s"><v>99</v></c></row>')
rewritten("row beyond the last", make.row(1_500_000, "A", "B"))
rewritten("cells in column XFD", *(make.row(number, "A", "B", "XFD") for number in range(2, 300)))
# SQLite
FILLED = "INSERT INTO sales VALUES (1, 'ale'), (1, 'tea'), (2, 'ale')"
SHOP = make.database('CREATE TABLE sales ("order", item)', FILLED)
case("called database, but is text", "a.sqlite", LONG)
case("database, cut off", "a.sqlite", SHOP[:5000])
case("database, damaged", "a.sqlite", SHOP[:4096] + b"\xff" * 4096)
case("database, table that is absent", "a.sqlite", SHOP, sheet="sale")
base("no rows")
base("NULL", FILLED, "INSERT INTO sales VALUES (3, NULL)")
base("numbers and text", "INSERT INTO sales VALUES (1, 1), (1, '1'), (1, 1.0), (2, '007'), (2, 2.5)")
base("BLOB", "INSERT INTO sales VALUES (1, 'ale'), (2, x'616c65')")
base("BLOB, no UTF-8", "INSERT INTO sales VALUES (1, 'ale'), (2, x'ff')")
base("text, no UTF-8", "INSERT INTO sales VALUES (1, 'ale'), (2, CAST(x'ff61' AS TEXT))")
# Ratings
rated("out of range", b"cy,food,9\n", scale="1:5")
rated("0 without a scale", b"cy,food,0\n")
rated("between steps", b"cy,food,3.5\n")
rated("decimal comma", b'cy,food,"3,5"\n', scale="1:5:0.5")
rated("twice, alike", b"ann,food,5\n")
rated("twice, unlike", b"ann,food,4\n")
rated("respondent missing", b",food,4\n")
rated("leading zeros", b"07,1,5\n7,01,3\n")
case("MovieLens ::", "ratings.dat", b"1::10::5::978300760\n2::10::3::978302109\n", kind="ratings")
case("MovieLens :: with a tab", "ratings.dat", b"1::8::5::1\n9:\t:8::4::2\n", kind="ratings")
case("ratings, wide", "a.csv", b"user,food,film,book\nann,5,,1\nbob,3,4,\n", kind="ratings")
case("ratings, wide, three columns", "a.csv", b"user,food,film\nann,5,2\nbob,3,4\n", kind="ratings")
# Tables and records
people("leading zeros and spaces", b"32, 1234 ,f\n")
people("missing values", b",1234,f\n32,,m\n33,NA,\n")
people("missing values, error", b"\n32,,m\n", missing="error")
people("missing values, dropped", b"32,,m\n33,NA,f\n", missing="drop")
people("quote open", b'32,"1234,f\n33,1234,m\n')
people("column that is absent", b"", quasi="age,zipp")
people("value that a hierarchy lacks", b"", hierarchies={"sex": {"f": "*"}})
case("table, mixed dates", "a.csv", b"born,n\n2001-02-03,1\n31.12.1999,2\n12/31/98,3\n2001-02-30,4\n", kind="table")
case("table, header twice", "a.csv", b"age,age\n30,31\n", kind="table")
case("table, person missing", "a.csv", b"who,age\nann,30\n,31\nbob,32\n", kind="table", person="who")
ANN = b'{"who": "ann", "age": 30, "items": ["ale"]}\n'
case("records", "a.jsonl", ANN + b'{"who": "bob", "age": 31, "items": []}\n', kind="records", person="who")
case("records, a person twice", "a.jsonl", ANN + ANN, kind="records", person="who")
case("records, person missing", "a.jsonl", ANN + ANN.replace(b"ann", b""), kind="records", person="who")
# Taxonomies and hierarchies
tree("cycle", b"drink,hot\nhot,drink\n")
tree("two parents", b"tea,hot\n")
tree("two parents", b"tea,hot\n", kind="hierarchy")
tree("cycle", b"drink,hot\nhot,drink\n", kind="hierarchy")
case("taxonomy, nested, broken", "t.json", b'{"drink": {\n"beer": ["ale",\n}}', kind="taxonomy")
case("taxonomy, nested, an item twice", "t.json", b'{"beer": ["ale"], "hot": ["ale"]}', kind="taxonomy")
case("hierarchy, an inner gap", "h.csv", b"cat;;*\ndog;pet;*\n", kind="hierarchy")
