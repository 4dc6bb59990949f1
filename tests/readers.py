"""Every reader of files, and a valid file of every format for each: what damage is done to in tests."""

import gzip
import io

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import covey
from covey.io.sensitive import read_sensitive
from covey.io.trees import read_hierarchy


def parquet(columns, **options):
    """The bytes of a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


def zstd(content):
    """The bytes compressed with Zstandard, with a length and no checksum, as Arrow writes it."""
    return pa.compress(content, codec="zstd", asbytes=True)


PACKERS = {"gzip": lambda content: gzip.compress(content, mtime=0), "zstd": zstd}


def saved(frame, folder, how):
    """A pandas frame in some form that covey reads: in memory, or a file whose name ends in `how`."""
    in_memory = {"pandas": lambda same: same, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}
    if how in in_memory:
        return in_memory[how](frame)
    path = folder / f"sales.{how}"
    frame.to_parquet(path) if how == "parquet" else frame.to_csv(path, index=False)
    return path


#: Reader by name.
READERS = {
    "baskets": covey.read,
    "ratings": covey.read_ratings,
    "table": covey.read_table,
    "taxonomy": covey.read_taxonomy,
    "hierarchy": read_hierarchy,
    "sensitive": read_sensitive,
}

#: Name of a reader, name of a file and its content; the file is read without complaint.
TEXTS = {
    "fimi": ("baskets", "a.dat", b"1 2 3\n2 3\n\nwine meat 5\n"),
    "csv-long": ("baskets", "a.csv", b'order,item\n1,milk\n1,"a ""b"", c"\n2,"x\ry"\n3,beer\n'),
    "csv-wide": ("baskets", "a.csv", b'id,a,b,"c,d"\n1,0,1,1\n2,1,,true\n3,0,0,false\n'),
    "ratings-long": ("ratings", "r.csv", b'user,item,rating,ts\nx,a,1,9\nx,c,3,9\ny,,,9\nz,"b",2.0,9\n'),
    "ratings-wide": ("ratings", "r.csv", b"user,food,films\nx,1,5\ny,,3\nz,4,\n"),
    "movielens": ("ratings", "ratings.dat", b"1::1193::5::978300760\n1::661::3::978302109\n2::1193::4::97\n"),
    "table": ("table", "t.csv", b'name;age;zip;"x;y"\nAnn;34;01067;-1.5e3\nBob;;01069;7\n"C\n d";40;;""\n'),
    "pairs": ("taxonomy", "t.csv", b'child,parent\nale,beer\nstout,beer\nbeer,drinks\n"tea, green",drinks\n'),
    "levels": ("taxonomy", "t.csv", b"item,level2,level1\nale,beer,drinks\ntea,,drinks\n"),
    "json": ("taxonomy", "t.json", b'{"drinks": {"beer": ["ale", "stout"], "tea": {}}}'),
    "paths": ("hierarchy", "h.csv", b"25;[20,30[;*\n31;[30,40[;*\n40;*\n"),
    "child-parent": ("hierarchy", "h.csv", b"child,parent\na,g\nb,g\ng,*\n"),
    "sensitive": ("sensitive", "s.txt", b"# secret\nwine\n\nmilk \n"),
}

_LISTS = {"items": [["a", "b"], ["c"], []], "tid": [1, 2, 3]}
_LONG = {"order": [i // 3 for i in range(300)], "item": [f"label {i % 50}" for i in range(300)]}
_RATINGS = {"user": ["x", "y"], "item": ["a", "b"], "rating": [1.0, 2.0]}
PARQUETS = {
    "lists": ("baskets", "a.parquet", parquet(_LISTS)),
    "long": ("baskets", "a.parquet", parquet(_LONG, compression="zstd", row_group_size=100)),
    "ratings": ("ratings", "r.parquet", parquet(_RATINGS, use_dictionary=False)),
    "survey": ("ratings", "r.parquet", parquet({"user": ["x", "y"], "q1": [1, None], "q2": [3, 4]})),
    "table": ("table", "t.parquet", parquet({"n": ["x", None], "f": [1.5, 2]}, data_page_version="2.0")),
}
