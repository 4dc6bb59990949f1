"""Files of hierarchies and taxonomies share their cells: quotes, separators, line numbers, blank lines."""

import pytest

import covey
from covey.errors import InputError
from covey.io.trees import read_hierarchy

pytestmark = pytest.mark.kernel


@pytest.fixture
def file(tmp_path):
    def make(text, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return make


@pytest.mark.parametrize("text", [";\x0c", " \n\t\n", ";;;\n;;\n", "\x0b\x0c\n", '""\n'])
def test_nothing(file, text):
    with pytest.raises(InputError, match="the file holds no hierarchy"):
        read_hierarchy(file(text))
    with pytest.raises(InputError, match="the file holds no taxonomy"):
        covey.read_taxonomy(file(text))


def test_lines_are_counted_as_in_the_file(file):
    text = '\n"a\nb";g;*\n\n\nc;g;*\nd;;*\n'
    with pytest.raises(InputError, match=r"h\.csv, line 7: an empty label in a hierarchy"):
        read_hierarchy(file(text))
    with pytest.raises(InputError, match=r"h\.csv, line 6: the item 'c' is listed again \(first on line 5\)"):
        covey.read_taxonomy(file('"x\ny";g;*\n\n\nc;g;*\nc;g;*\n'))


def test_other_separators_than_the_usual(file):
    assert read_hierarchy(file("25\t[20,30[\t*\n31\t[30,40[\t*\n")).labels[:2] == ("25", "31")
    assert covey.read_taxonomy(file("a;b,x\nc,x\n")).labels == ("x", "a;b", "c")
    assert covey.read_taxonomy(file("a|b\nc|b\n"), separator="|").labels == ("b", "a", "c")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a;b\n', "line 1: a quote is opened and never closed"),
        ('a;b\n"c"d;b\n', "line 2: text follows a closing quote"),
        ("child,parent\na,b\nc,\n", "line 3: 1 label instead of a child and its parent"),
        ("child,parent\na,b\nb,a\n", "is its own ancestor"),
        ("*;a\n", r"'\*' is both a leaf and a group"),
    ],
)
def test_bad_hierarchies(file, text, message):
    with pytest.raises(InputError, match=rf"h\.csv.*{message}"):
        read_hierarchy(file(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ["x"], "a": ["y"]}', "the label 'a' is given twice in one object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": [1.5]}', "1.5 is where a node is expected"),
        ('{"a": [NaN]}', "nan is where a node is expected"),
        (f'["{"a"}", {"9" * 5000}]', "is not valid JSON"),
        ('{"label": ["x"]}', r"\['x'\] is where a label is expected"),
        ('{"a": [true]}', "True is where a node is expected"),
    ],
)
def test_bad_json(file, text, message):
    with pytest.raises(InputError, match=rf"t\.json.*{message}"):
        covey.read_taxonomy(file(text, "t.json"))


@pytest.mark.parametrize("source", [3, None, b"a;b", ["abc"], [3], {"a": "a"}])
def test_objects_that_are_no_hierarchy(source):
    with pytest.raises(InputError):
        read_hierarchy(source)


def test_long_files_of_uneven_lines(file):
    text = "".join(f"v{i};g{i % 7}{';*' * (i % 2)}\n" for i in range(3000))
    assert read_hierarchy(file(text)).leaves == 3000
