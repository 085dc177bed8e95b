import json
from dataclasses import replace

import pytest

from catalog.ledger import Ledger
from releases import gates
from releases.records import join
from releases.subsets import Assembly, Split, assemble


def assembled(made, policy) -> Assembly:
    ledger = Ledger("assemble", "item", "2026.12")
    names = ("items", "photos", "products", "labels", "decisions", "generated")
    records = join(*(made.table(name) for name in names), ledger)
    return assemble(records, made.table("fingerprints"), policy, edition="2026.12", ledger=ledger)


def fail(assembly, made, policy) -> dict[str, gates.Gate]:
    with pytest.raises(gates.GateError) as caught:
        gates.hold(assembly, made.table("labels"), made.table("fingerprints"), policy)
    return {gate.name: gate for gate in caught.value.failed}


def copy(made):
    return type(made)({name: [dict(row) for row in rows] for name, rows in made.rows.items()})


def test_all_pass(made, policy):
    held = gates.hold(assembled(made, policy), made.table("labels"), made.table("fingerprints"), policy)
    assert all(gate.passed for gate in held)
    assert json.dumps([gate.as_dict() for gate in held])


def test_every_failing_gate_is_told_with_its_count(made, policy):
    broken = copy(made)
    for row in broken.rows["decisions"]:
        row["date"] = None
    for row in broken.rows["labels"]:
        row["agreement"] = 0.25
    wanted = replace(policy, min_queries={"aigen_studio": 10_000}, min_noise=10_000)
    failed = fail(assembled(broken, wanted), broken, wanted)
    assert set(failed) == {
        "queries of aigen_studio", "distractors", "label agreement", "samples without a date and its evidence",
    }  # fmt: skip
    assert failed["label agreement"].found == 0.25
    assert failed["samples without a date and its evidence"].found == sum(
        len(split.query) + len(split.gallery) for split in assembled(broken, policy).subsets.values()
    )


def test_agreement_does_not_ask_single_labels(made, policy):
    gate = next(
        gate
        for gate in gates.hold(assembled(made, policy), made.table("labels"), made.table("fingerprints"), policy)
        if gate.name == "label agreement"
    )
    assert gate.found is None


def test_a_photo_without_a_licence(made, policy):
    broken = copy(made)
    broken.rows["photos"][0]["licence"] = None
    assert "samples without a licence" in fail(assembled(broken, policy), broken, policy)


def test_a_photo_on_both_sides(made, policy):
    assembly = assembled(made, policy)
    split = assembly.subsets["real_studio_flat"]
    query = replace(split.query[0], split="gallery", sample_id="x")
    twisted = {**assembly.subsets, "real_studio_flat": Split(split.query, (*split.gallery, query))}
    failed = fail(replace(assembly, subsets=twisted), made, policy)
    assert "photos across the query/gallery line" in failed


def test_equal_pixels_on_both_sides(made, policy):
    assembly = assembled(made, policy)
    split = assembly.subsets["real_studio_flat"]
    pair = {split.query[0].record.photo_id, split.gallery[0].record.photo_id}
    broken = copy(made)
    for row in broken.rows["fingerprints"]:
        row["pixels"] = "same" if row["photo_id"] in pair else row["pixels"]
    assert "equal pixels across the query/gallery line" in fail(assembly, broken, policy)


def test_a_query_without_a_positive(made, policy):
    assembly = assembled(made, policy)
    split = assembly.subsets["aigen_studio"]
    orphan = split.query[0].record.product_id
    gallery = tuple(sample for sample in split.gallery if sample.record.product_id != orphan)
    failed = fail(
        replace(assembly, subsets={**assembly.subsets, "aigen_studio": Split(split.query, gallery)}), made, policy
    )
    asked = sum(sample.record.product_id == orphan for sample in split.query)
    assert failed["queries without a positive"].found == asked


def test_a_distractor_that_answers(made, policy):
    assembly = assembled(made, policy)
    stolen = replace(assembly.subsets["real_studio_flat"].gallery[0], subset="noise")
    failed = fail(replace(assembly, subsets={**assembly.subsets, "noise": Split((), (stolen,) * 3)}), made, policy)
    assert failed["distractors that answer a query"].found == 3


def test_the_message_reads_well(made, policy):
    with pytest.raises(gates.GateError) as caught:
        gates.hold(
            assembled(made, policy),
            made.table("labels"),
            made.table("fingerprints"),
            replace(policy, min_queries={"real_streetlook": 10_000}),
        )
    first, second = str(caught.value).splitlines()
    assert first == "edition 2026.12 may not be frozen, 1 gate failed:"
    assert "queries, at least 10000 are asked" in second
