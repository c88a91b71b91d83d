"""Make examples/data/companies: a register of companies with duplicates and typos, the truth, three matchers, scores.

Only the standard library is used, and of `random` only `random()`, whose sequence Python guarantees for a seed: the
files are the same, byte for byte, on every machine. They are committed, so there is no need to run this script.

python examples/make_companies.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
import unicodedata
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

T = TypeVar("T")


def names_in(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split(",")]


FAMILIES = names_in(
    """Achterberg, Almeida, Anselm, Bakker, Barros, Becker, Bellini, Brandt, Caldeira, Castell, Cerny, Dahl, Delacroix,
    Eriksen, Falkner, Ferrari, Fischer, Fontaine, Gallagher, Garnier, Hartmann, Havel, Hoffmann, Holm, Ibsen, Ivanova,
    Jansen, Jimenez, Keller, Kowalski, Kral, Laurent, Lindqvist, Lombardi, Maier, Marchetti, Mertens, Meyer, Moreau,
    Nagy, Novak, Oliveira, Olsen, Pallasmaa, Peeters, Quint, Reyes, Richter, Rossi, Sandoval, Schmid, Schmidt, Silva,
    Sørensen, Tanaka, Taylor, Thorsen, Urban, Valdés, Vermeer, Visser, Weber, Winter, Yıldız, Zimmermann"""
)
TRADES = names_in(
    """Bakery, Boats, Books, Brewery, Carpets, Catering, Ceramics, Chocolate, Clocks, Coffee Roasters, Consulting,
    Cycles, Engineering, Garden Supplies, Glass, Instruments, Logistics, Machine Tools, Optics, Organ Builders,
    Paper Mill, Pharmacy, Printing, Roofing, Shipping, Software, Steel Works, Textiles, Travel, Vineyards"""
)
FORMS = ("Ltd", "GmbH", "AG", "SA", "BV", "SpA", "Inc", "AB")
CITIES = names_in(
    """Aarhus, Antwerp, Basel, Bergen, Bologna, Bratislava, Braga, Brno, Cork, Ghent, Gothenburg, Graz, Innsbruck,
    Kraków, Leipzig, Lille, Lyon, Malmö, New Haven, Nice, Porto, San Sebastián, Seville, St Gallen, Turin, Turku,
    Utrecht, Zürich"""
)
ABBREVIATIONS = {
    "Brewery": "Brew.",
    "Consulting": "Cons.",
    "Engineering": "Eng.",
    "Instruments": "Instr.",
    "Logistics": "Log.",
    "Machine Tools": "Mach. Tools",
    "Pharmacy": "Pharm.",
    "Printing": "Print.",
    "Software": "SW",
    "Textiles": "Text.",
    "New Haven": "N. Haven",
    "San Sebastián": "S. Sebastián",
    "St Gallen": "Saint Gallen",
}
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

ENTITIES = 700
SAMPLED = 200  # companies whose records are all labelled
SIZES = (1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8)
SHARED_NAMES = 0.12
"""Share of companies with the name of a company in another city."""
CORRUPTED = 0.5
"""Share of copies with a change in their fields; half of these have a second change."""
SEED = 7


class Company(NamedTuple):
    """One company with its correct fields."""

    entity: str
    name: str
    form: str
    city: str
    founded: int


class Record(NamedTuple):
    """One row of the register, as typed."""

    id: str
    name: str
    city: str
    founded: str


def pick(dice: Random, choices: Sequence[T]) -> T:
    return choices[int(dice.random() * len(choices))]


def companies(dice: Random) -> list[Company]:
    """Draw companies that differ in name or city; some share their name with one of another city."""
    made: dict[str, Company] = {}
    while len(made) < ENTITIES:
        name = f"{pick(dice, FAMILIES)} {pick(dice, TRADES)}"
        if made and dice.random() < SHARED_NAMES:
            name = pick(dice, list(made.values())).name
        company = Company("", name, pick(dice, FORMS), pick(dice, CITIES), 1850 + int(dice.random() * 170))
        entity = f"{plain(name)} {plain(company.city)}".replace(" ", "-")
        made.setdefault(entity, company._replace(entity=entity))
    return list(made.values())


def register(dice: Random, known: Iterable[Company]) -> list[tuple[Record, str]]:
    """Return the records in random order, each with its entity."""
    typed = [(copy, company.entity) for company in known for copy in copies(dice, company)]
    typed.sort(key=lambda _: dice.random())
    return [(record._replace(id=f"r{number:04}"), entity) for number, (record, entity) in enumerate(typed, 1)]


def copies(dice: Random, company: Company) -> Iterator[Record]:
    """Yield a clean record of a company, and others that may be corrupted."""
    clean = Record("", f"{company.name} {company.form}", company.city, str(company.founded))
    yield clean
    for _ in range(pick(dice, SIZES) - 1):
        record, chance = clean, CORRUPTED
        while dice.random() < chance:
            record = pick(dice, CORRUPTIONS)(dice, record)
            chance /= 2
        yield record


def mistyped(dice: Random, text: str) -> str:
    """Delete or double one letter, swap it with the next, or replace it by a neighbour on the keyboard."""
    place = 1 + int(dice.random() * (len(text) - 2))
    before, letter, after = text[:place], text[place], text[place + 1 :]
    kind = int(dice.random() * 4)
    if kind == 0:
        return before + after
    if kind == 1:
        return before + letter + letter + after
    if kind == 2:
        return before + after[0] + letter + after[1:]
    row = next((keys for keys in KEYBOARD if letter in keys), letter)
    return before + row[(row.index(letter) + 1) % len(row)] + after


def with_typo_in_name(dice: Random, record: Record) -> Record:
    return record._replace(name=mistyped(dice, record.name))


def with_typo_in_city(dice: Random, record: Record) -> Record:
    return record._replace(city=mistyped(dice, record.city)) if record.city else record


def with_abbreviations(_: Random, record: Record) -> Record:
    name, city = record.name, record.city
    for long, short in ABBREVIATIONS.items():
        name, city = name.replace(long, short), city.replace(long, short)
    return record._replace(name=name, city=city)


def without_form(_: Random, record: Record) -> Record:
    return record._replace(name=" ".join(word for word in record.name.split() if word not in FORMS))


def in_capitals(_: Random, record: Record) -> Record:
    return record._replace(name=record.name.upper())


def with_swapped_words(_: Random, record: Record) -> Record:
    first, *others = record.name.split()
    return record._replace(name=f"{' '.join(others)}, {first}") if others else record


def with_city_in_name(_: Random, record: Record) -> Record:
    return record._replace(name=f"{record.name} {record.city}".strip(), city="")


def without_city(_: Random, record: Record) -> Record:
    return record._replace(city="")


def without_year(_: Random, record: Record) -> Record:
    return record._replace(founded="")


def with_wrong_year(dice: Random, record: Record) -> Record:
    return (
        record._replace(founded=str(int(record.founded) + pick(dice, (-10, -1, 1, 10)))) if record.founded else record
    )


CORRUPTIONS: tuple[Callable[[Random, Record], Record], ...] = (
    *(with_typo_in_name,) * 4,
    *(with_typo_in_city,) * 2,
    *(with_abbreviations, without_form, in_capitals, with_swapped_words),
    *(with_city_in_name, without_city, without_year, with_wrong_year),
)


def plain(text: str) -> str:
    """Return lower-case letters without accents, with single blanks for all other characters."""
    letters = unicodedata.normalize("NFKD", text.lower().replace("ø", "o").replace("ı", "i"))
    return " ".join("".join(mark if mark.isalnum() else " " for mark in letters if mark.isascii()).split())


def name_key(record: Record) -> str:
    """Return the words of a name without its legal form, in alphabetical order."""
    forms = {plain(form) for form in FORMS}
    return " ".join(sorted(word for word in plain(record.name).split() if word not in forms))


def grams(text: str) -> frozenset[str]:
    """Return the pieces of three letters, with the ends of the text marked."""
    marked = f"  {text} "
    return frozenset(marked[i : i + 3] for i in range(len(marked) - 2))


def similarity(a: frozenset[str], b: frozenset[str]) -> int:
    """Return their Jaccard similarity in whole percent, rounded down; computed in integers, to be exact."""
    shared = len(a & b)
    return 100 * shared // (len(a) + len(b) - shared)


def alike(a: frozenset[str], b: frozenset[str], percent: int) -> bool:
    """Return whether their Jaccard similarity is at least `percent`."""
    return similarity(a, b) >= percent


def by_key(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """Match records with the same name, and either the same city or the same year of foundation."""
    for key in (lambda r: r.city and (name_key(r), plain(r.city)), lambda r: r.founded and (name_key(r), r.founded)):
        for block in blocks(records, key):
            yield from ((block[0].id, other.id) for other in block[1:])


def scored(records: Sequence[Record], percent: int) -> Iterator[tuple[str, str, int]]:
    """Return the pairs whose three-letter pieces of name and city have at least this Jaccard similarity, with it."""
    pieces = {record.id: grams(f"{name_key(record)} {plain(record.city)}") for record in records}
    for left, right in combinations(records, 2):
        if (score := similarity(pieces[left.id], pieces[right.id])) >= percent:
            yield left.id, right.id, score


def by_grams(pairs: Iterable[tuple[str, str, int]]) -> Iterator[tuple[str, str]]:
    """Match pairs of at least 60 %, whatever the year."""
    return ((left, right) for left, right, score in pairs if score >= 60)


def by_neighbours(records: Sequence[Record], window: int = 8) -> Iterator[tuple[str, str]]:
    """Match each record with the next ones in alphabetical order: similar name, no contradiction in city or year."""
    ordered = sorted(records, key=lambda record: (name_key(record), record.id))
    pieces = {record.id: grams(name_key(record)) for record in records}
    for place, left in enumerate(ordered):
        for right in ordered[place + 1 : place + window]:
            contradicted = any(a and b and a != b for a, b in zip(left[2:], right[2:], strict=True))
            if not contradicted and alike(pieces[left.id], pieces[right.id], 50):
                yield min(left.id, right.id), max(left.id, right.id)


def blocks(records: Iterable[Record], key: Callable[[Record], Hashable]) -> Iterable[list[Record]]:
    """Group records with the same key; records without a key are in no block."""
    found: dict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        if value := key(record):
            found[value].append(record)
    return found.values()


def closed(records: Sequence[Record], pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return the transitive closure: each id with its cluster, which is named by its first record."""
    parent = {record.id: record.id for record in records}

    def root(record: str) -> str:
        while parent[record] != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record

    for left, right in pairs:
        first, second = sorted((root(left), root(right)))
        parent[second] = first
    return ((record.id, root(record.id)) for record in records)


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def main(folder: Path) -> None:
    dice = Random(SEED)
    typed = register(dice, companies(dice))
    records = [record for record, _ in typed]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "records.csv", Record._fields, records)
    write(folder / "truth.csv", ("id", "entity"), ((record.id, entity) for record, entity in typed))
    sampled = set(Random(SEED).sample(sorted({entity for _, entity in typed}), SAMPLED))
    known = ((record.id, entity) for record, entity in typed if entity in sampled)
    write(folder / "truth_sample.csv", ("id", "entity"), known)
    write(folder / "by_key.csv", ("id", "cluster"), closed(records, by_key(records)))
    pairs = list(scored(records, 45))
    write(folder / "by_grams.csv", ("id", "cluster"), closed(records, by_grams(pairs)))
    lines = ((left, right, f"{score // 100}.{score % 100:02}") for left, right, score in pairs)
    write(folder / "scored_pairs.csv", ("left", "right", "similarity"), lines)
    write(folder / "pairs_by_neighbours.csv", ("left", "right"), sorted(set(by_neighbours(records))))
    print(f"{len(records)} records of {ENTITIES} companies in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data" / "companies")
