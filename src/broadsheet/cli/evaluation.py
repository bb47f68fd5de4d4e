"""``evaluate``: measures with intervals, on collections that others judged."""

from pathlib import Path

import click

from broadsheet.api import evaluation
from broadsheet.api.evaluation import MeasureDocument
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option


@click.group("evaluate")
def evaluate_command() -> None:
    """Measure search against judgements."""


@evaluate_command.command("retrieval")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--qrels", type=click.Path(path_type=Path), help="Judgements other than DIR/qrels.tsv.")
@click.option("--judged-only", is_flag=True, help="Rank each query's judged papers only.")
@home_option
@json_option
def retrieval_command(
    folder: Path, qrels: Path | None, judged_only: bool, home: Path | None, as_json: bool
) -> None:
    """nDCG@10, Recall@100 and MRR@10 of words, meaning and both, on a folder in the BEIR layout."""
    with open_home(home) as opened, printing.progress("vectors") as show:
        document = evaluation.retrieval(opened, folder, qrels, judged_only, show)
    if as_json:
        printing.print_json(document)
        return
    click.echo(f"{document['queries']} queries, {document['documents']} documents, {document['encoder']}")
    for part, measures in (
        ("words", document["words"]),
        ("meaning", document["meaning"]),
        ("fused", document["fused"]),
    ):
        click.echo(f"{part:8} {_told(measures) if measures else 'not measured: no encoder'}")
    for part, ahead in document["fused"]["against"].items():
        low, high = ahead["interval"]
        click.echo(
            f"fused is {ahead['difference']:+.3f} [{low:+.3f}, {high:+.3f}] nDCG@10 against {part} alone, "
            f"p = {ahead['p']:.4f}"
        )


def _told(measures: MeasureDocument) -> str:
    parts = (
        ("nDCG@10", measures["ndcg@10"], measures["ndcg@10_interval"]),
        ("Recall@100", measures["recall@100"], measures["recall@100_interval"]),
        ("MRR@10", measures["mrr@10"], measures["mrr@10_interval"]),
    )
    return "  ".join(f"{name} {mean:.3f} [{low:.3f}, {high:.3f}]" for name, mean, (low, high) in parts)
