"""A shop's raw export with the mess that real ones have: returns, empty cells, case twins, dates, encodings."""

import csv
import datetime
import random

COLUMNS = ("InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "CustomerID", "Country")
GOODS = ["Bread", "Crème brûlée", "Mug", "Lantern", "Tea towel", "Candle", "Clock", "Jar", "Ribbon", "Tin"]
SECRET = ["PREGNANCY TEST", "HIV TEST KIT"]


def rows(seed=7, invoices=400):
    """Rows of an export; 3 in 100 are returns, some names and persons are missing, names are spelled in two ways."""
    draw = random.Random(seed)
    start = datetime.datetime(2010, 12, 1, 8, 0)
    made = []
    for invoice in range(invoices):
        when = start + datetime.timedelta(hours=draw.randrange(9000))
        for name in draw.sample(GOODS, draw.randint(1, 5)) + ([draw.choice(SECRET)] if invoice % 20 == 0 else []):
            spelled = name.lower() if draw.random() < 0.1 else name
            shown = draw.choice(["", "NULL", "n/a"]) if name in GOODS and draw.random() < 0.03 else spelled
            number = -1 if draw.random() < 0.03 else draw.randint(1, 12)
            code = f"{20000 + (GOODS + SECRET).index(name)}"
            person = None if invoice % 17 == 3 else 17000 + invoice % 90
            made.append((536000 + invoice, code, shown, number, when, person, "United Kingdom"))
    return made


def write_csv(path, encoding="latin-1"):
    """Write the export as CSV."""
    with path.open("w", encoding=encoding, newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        out.writerows([*row[:4], row[4].strftime("%Y-%m-%d %H:%M"), *row[5:]] for row in rows())
    return path


def write_excel(path, *, empty_sheet=True):
    """Write the export as a workbook."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Sales 2011"
    sheet.append(COLUMNS)
    for row in rows():
        sheet.append(row)
    if empty_sheet:
        book.create_sheet("Notes")
    book.save(path)
    return path
