"""The first form of the library, with its first reader."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _make_counters()
    _make_leases()
    _make_papers()
    _make_readers()
    _make_announcements()
    _make_digests()
    _make_fingerprints()
    _make_followings()
    _make_identifiers()
    _make_merges()
    _make_pointers()
    _make_signals()
    _make_topics()
    _make_twins()
    _make_versions()
    _make_digest_papers()
    _make_interactions()
    op.execute("INSERT INTO counters (name, value) VALUES ('change', 0), ('interaction', 0)")
    op.execute("INSERT INTO readers (name, timezone, list_length) VALUES ('me', 'UTC', 10)")


def _make_counters() -> None:
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )


def _make_leases() -> None:
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("until", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )


def _make_papers() -> None:
    op.create_table(
        "papers",
        sa.Column("key", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("same_as", _NUMBER, nullable=True),
        sa.Column("change", _NUMBER, nullable=False),
        sa.Column("text_change", _NUMBER, nullable=False),
        sa.Column("title_key", sa.BigInteger(), nullable=True),
        sa.Column("announced", sa.Date(), nullable=True),
        sa.Column("submitted", _NUMBER, nullable=True),
        sa.Column("updated", _NUMBER, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("added_at", _NUMBER, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.Text(), nullable=False),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("journal_ref", sa.Text(), nullable=True),
        sa.Column("doi", sa.Text(), nullable=True),
        sa.Column("identifiers", sa.Text(), nullable=True),
        sa.Column("links", sa.Text(), nullable=True),
        sa.Column("original_title", sa.Text(), nullable=True),
        sa.Column("original_abstract", sa.Text(), nullable=True),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["same_as"], ["papers.key"], name=op.f("fk_papers_same_as"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_papers")),
        sa.UniqueConstraint("change", name=op.f("uq_papers_change")),
        sa.UniqueConstraint("id", name=op.f("uq_papers_id")),
    )
    merged = sa.text("same_as IS NOT NULL")
    op.create_index(
        op.f("ix_papers_same_as"), "papers", ["same_as"], sqlite_where=merged, postgresql_where=merged
    )
    op.create_index(op.f("ix_papers_title_key"), "papers", ["title_key"], unique=False)


def _make_readers() -> None:
    op.create_table(
        "readers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("list_length", sa.Integer(), nullable=False),
        sa.Column("deliver_at", sa.Time(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_readers")),
        sa.UniqueConstraint("name", name=op.f("uq_readers_name")),
    )


def _make_announcements() -> None:
    op.create_table(
        "announcements",
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("seen_at", _NUMBER, nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_announcements_paper_key")),
        sa.PrimaryKeyConstraint(
            "paper_key", "source", "category", "day", "kind", name=op.f("pk_announcements")
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_announcements_day", "announcements", ["day", "source", "category", "kind"], unique=False
    )


def _make_digests() -> None:
    op.create_table(
        "digests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("trained_through", _NUMBER, nullable=True),
        sa.Column("index_version", sa.Text(), nullable=False),
        sa.Column("made_at", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_digests_reader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_digests")),
        sa.UniqueConstraint("reader_id", "day", name=op.f("uq_digests_reader_id_day")),
    )


def _make_fingerprints() -> None:
    op.create_table(
        "fingerprints",
        sa.Column("fingerprint", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_fingerprints_paper_key")),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_fingerprints")),
    )


def _make_followings() -> None:
    op.create_table(
        "followings",
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_followings_reader_id")),
        sa.PrimaryKeyConstraint("reader_id", "kind", "value", name=op.f("pk_followings")),
    )


def _make_identifiers() -> None:
    op.create_table(
        "identifiers",
        sa.Column("identifier", sa.Text(), nullable=False),
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_identifiers_paper_key")),
        sa.PrimaryKeyConstraint("identifier", name=op.f("pk_identifiers")),
        sqlite_with_rowid=False,
    )


def _make_merges() -> None:
    op.create_table(
        "merges",
        sa.Column("record_key", _NUMBER, nullable=False),
        sa.Column("into_key", _NUMBER, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("merged_at", _NUMBER, nullable=False),
        sa.Column("undone_at", _NUMBER, nullable=True),
        sa.Column("filled", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["into_key"], ["papers.key"], name=op.f("fk_merges_into_key")),
        sa.ForeignKeyConstraint(["record_key"], ["papers.key"], name=op.f("fk_merges_record_key")),
        sa.PrimaryKeyConstraint("record_key", "into_key", name=op.f("pk_merges")),
    )
    op.create_index(op.f("ix_merges_into_key"), "merges", ["into_key"], unique=False)


def _make_pointers() -> None:
    op.create_table(
        "pointers",
        sa.Column("identifier", sa.Text(), nullable=False),
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_pointers_paper_key")),
        sa.PrimaryKeyConstraint("identifier", "paper_key", name=op.f("pk_pointers")),
        sqlite_with_rowid=False,
    )


def _make_signals() -> None:
    op.create_table(
        "signals",
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("observed_at", _NUMBER, nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_signals_paper_key")),
        sa.PrimaryKeyConstraint("paper_key", "name", "observed_at", name=op.f("pk_signals")),
        sqlite_with_rowid=False,
    )


def _make_topics() -> None:
    op.create_table(
        "topics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("seeds", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_topics_reader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topics")),
        sa.UniqueConstraint("reader_id", "name", name=op.f("uq_topics_reader_id_name")),
    )


def _make_twins() -> None:
    op.create_table(
        "twins",
        sa.Column("first_key", _NUMBER, nullable=False),
        sa.Column("second_key", _NUMBER, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["first_key"], ["papers.key"], name=op.f("fk_twins_first_key")),
        sa.ForeignKeyConstraint(["second_key"], ["papers.key"], name=op.f("fk_twins_second_key")),
        sa.PrimaryKeyConstraint("first_key", "second_key", name=op.f("pk_twins")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_twins_second_key"), "twins", ["second_key"], unique=False)


def _make_versions() -> None:
    op.create_table(
        "versions",
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("submitted", _NUMBER, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_versions_paper_key")),
        sa.PrimaryKeyConstraint("paper_key", "version", name=op.f("pk_versions")),
    )


def _make_digest_papers() -> None:
    op.create_table(
        "digest_papers",
        sa.Column("digest_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        sa.Column("exploring", sa.Boolean(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["digest_id"], ["digests.id"], name=op.f("fk_digest_papers_digest_id")),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_digest_papers_paper_key")),
        sa.PrimaryKeyConstraint("digest_id", "rank", name=op.f("pk_digest_papers")),
    )


def _make_interactions() -> None:
    op.create_table(
        "interactions",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("paper_key", _NUMBER, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", _NUMBER, nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("digest_id", sa.Integer(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("chance", sa.Float(), nullable=True),
        sa.Column("undoes", _NUMBER, nullable=True),
        sa.ForeignKeyConstraint(["digest_id"], ["digests.id"], name=op.f("fk_interactions_digest_id")),
        sa.ForeignKeyConstraint(["paper_key"], ["papers.key"], name=op.f("fk_interactions_paper_key")),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_interactions_reader_id")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_interactions")),
    )
    op.create_index("ix_interactions_reader", "interactions", ["reader_id", "kind"], unique=False)
