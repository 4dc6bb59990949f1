"""Columns that look like persons although nobody has named them: when that is said, and when not."""

import warnings

import numpy as np
import pandas as pd
import pytest

import covey
from covey.errors import UnnamedPersons
from readers import saved

#: Columns of real exports with several transactions per person, and the column that names persons in each.
SEVERAL = {
    "Online Retail": (
        "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country",
        "CustomerID",
    ),
    "Online Retail II": ("Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country", "Customer ID"),
    "Complete Journey": ("household_id,store_id,basket_id,product_id,quantity,sales_value,week", "household_id"),
    "Instacart": ("order_id,product_id,user_id,add_to_cart_order,reordered", "user_id"),
    "Ta Feng": ("TRANSACTION_ID,CUSTOMER_ID,AGE_GROUP,PIN_CODE,PRODUCT_ID,AMOUNT", "CUSTOMER_ID"),
    "Clicks": ("session_id,visitorid,event,item_id,timestamp", "visitorid"),
    "Pharmacy": ("invoice,patient_no,item,date", "patient_no"),
    "Loyalty": ("basket,card_number,sku,till", "card_number"),
    "Bank": ("transaction_id,account_id,category,amount", "account_id"),
    "Kasse": ("order_id,KundenNr,item,filiale", "KundenNr"),
    "Library": ("visit,reader_key,item", "reader_key"),
    "Diary": ("visit,who,item", "who"),
    "Newsletter": ("order_id,item,Client.E-Mail,country", "Client.E-Mail"),
    "Club": ("basket,member_card_no,item,name", "member_card_no"),
}

#: One row per person, or a transaction per person: nothing to say.
ONE_EACH = [
    "order_id,item",
    "user_id,item",
    "customer_id,product,store_id",
    "household_id,product_id,week",
    "invoice,stock_code,description,quantity,date,country",
    "basket,sku,cashier_id,store_id,card_type",
    "session,page,user_agent,device_type,country_code",
    "transaction_id,product_id,member_status,payment_card_brand",
    "tid,item,quantity,unit_price,coupon_id",
    "order,category,client_country,account_type",
    "order,item,name,mobile,driver,phone_model,card",
]


def filled(header, person=None, invoices=60):
    """Rows under a header: 1 to 3 lines per transaction, persons coming back, everything else as it may be."""
    rng = np.random.default_rng(1)
    rows = []
    names = header.split(",")
    for invoice in range(invoices):
        for line in range(1 + invoice % 3):
            row = {}
            for name in names:
                low = name.lower()
                if name == person:
                    row[name] = f"C{invoice % 11:04}"
                elif (
                    low.startswith(("invoice", "order", "basket", "trans", "session", "visit", "tid"))
                    and "date" not in low
                ) or (person is None and low in ("user_id", "customer_id", "household_id")):
                    row[name] = 7000 + invoice
                elif low.startswith(("stock", "product", "item", "sku", "desc", "page", "cat")):
                    row[name] = f"P{(3 * invoice + line) % 13}"
                else:
                    row[name] = f"{name}{int(rng.integers(0, 3))}"
            rows.append(row)
    return pd.DataFrame(rows)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize("name", SEVERAL)
def test_a_column_that_names_persons_is_said_aloud(name, how, tmp_path):
    header, person = SEVERAL[name]
    frame = filled(header, person)
    with pytest.warns(UnnamedPersons) as told:
        covey.read(saved(frame, tmp_path, how))
    warning = told[0].message
    assert (warning.column, warning.persons, warning.rows, warning.most) == (person, 11, 60, 6)
    assert f"--person '{person}'" in str(warning)
    assert "--row-is-person" in str(warning)


@pytest.mark.parametrize("how", ["csv", "pandas"])
@pytest.mark.parametrize("header", ONE_EACH)
def test_nothing_is_said_where_every_transaction_is_a_person(header, how, tmp_path):
    covey.read(saved(filled(header), tmp_path, how))  # a warning is an error here


def test_customers_who_come_once_are_rows():
    frame = filled("invoice,item,customer_id", "customer_id")
    frame["customer_id"] = frame["invoice"] + 1
    covey.read(frame)


@pytest.mark.parametrize("said", [{"row_is_person": True}, {"person": "customer_id"}, {"unit": "row"}])
def test_nothing_is_said_to_who_has_said_it(said):
    covey.read(filled("invoice,item,customer_id", "customer_id"), **said)


def test_a_column_that_changes_within_a_transaction_names_nobody():
    frame = filled("invoice,item,user", "user")
    frame["user"] = [f"u{i % 17}" for i in range(len(frame))]
    covey.read(frame)


def test_a_slip_does_not_hide_persons(tmp_path):
    lines = [f"{visit},{visit % 40},{item}" for visit in range(200) for item in ("ale", "tea")]
    lines[-1] = "199,7,tea"  # of 39
    (tmp_path / "visits.csv").write_text("\n".join(["visit,customer,item", *lines, ""]))
    with pytest.warns(UnnamedPersons):
        covey.read(tmp_path / "visits.csv")


def test_python_says_it_when_a_release_is_made(tmp_path):
    frame = filled("invoice,item,customer_id", "customer_id")
    with pytest.warns(UnnamedPersons):
        covey.anonymize(frame, "k-anonymity(k=2)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covey.anonymize(covey.Source.of(frame, row_is_person=True), "k-anonymity(k=2)")


#: Tables with one row per person, as they are found, with the columns that might be taken for persons.
PEOPLE = [
    "age,workclass,education,occupation,sex,hours,native-country,income",
    "patient_id,age,sex,diagnosis",
    "customerID,gender,SeniorCitizen,Partner,tenure,Contract,MonthlyCharges,Churn",
    "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Fare",
    "respondent,age,party,member,loyalty",
    "age,job,marital,education,default,housing,loan,contact,device",
    "student_id,subject,grade,teacher",
    "zip,birth_year,sex,card,account,phone",
    "employee_id,household_size,card_type,account_type,user_agent",
    "name,age,city,guest,player",
    "first_name,last_name,age,mobile,driver,worker,tenant,names",
    "id,age,sex,region,customer_segment,client_country",
]
KINDS = {"card": ["Visa", "Amex", "Diners", "JCB"], "subject": ["art", "maths", "latin", "music", "sport"]}


def people(header, rows=120):
    """A row per person under a header: ids are new in every row, everything else is one of a few kinds."""
    rng = np.random.default_rng(3)
    frame = {}
    for name in header.split(","):
        own = name.lower() in ("patient_id", "customerid", "passengerid", "respondent", "student_id", "employee_id")
        few = KINDS.get(name, [f"{name} {i}" for i in range(6)])
        frame[name] = [f"{name}{i}" for i in range(rows)] if own else rng.choice(few, rows).tolist()
    return pd.DataFrame(frame)


@pytest.mark.parametrize("header", PEOPLE)
def test_nothing_is_said_of_tables_with_one_row_per_person(header):
    covey.read_table(people(header))


@pytest.mark.parametrize(
    ("header", "person"),
    [
        ("patient_id,date,diagnosis", "patient_id"),
        ("customer,product,price,illness", "customer"),
        ("invoice_line,CustomerID,age,income", "CustomerID"),
        ("account,amount,category", "account"),
        ("visit_no,member_id,age,club", "member_id"),
        ("visit,who,age,illness", "who"),
        ("name,age,illness", "name"),
        ("date,Patient.SSN,illness", "Patient.SSN"),
        ("user_name,age,illness", "user_name"),
        ("e-mail,age,illness", "e-mail"),
    ],
)
def test_lines_of_persons_are_said_aloud(header, person):
    frame = people(header)
    frame[person] = [f"P{i % 30:03}" for i in range(len(frame))]
    with pytest.warns(UnnamedPersons) as told:
        covey.read_table(frame)
    assert (told[0].message.column, told[0].message.persons) == (person, 30)
