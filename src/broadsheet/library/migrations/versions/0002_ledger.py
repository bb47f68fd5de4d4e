"""The ledger of what the sources announced."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _make_announced_days()
    _make_pending_papers()
    _make_harvest_states()


def _make_announced_days() -> None:
    op.create_table(
        "announced_days",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("announced_new", sa.Integer(), nullable=True),
        sa.Column("announced_cross", sa.Integer(), nullable=True),
        sa.Column("announced_replace", sa.Integer(), nullable=True),
        sa.Column("announced_replace_cross", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("next_try", _NUMBER, nullable=True),
        sa.Column("checked_at", _NUMBER, nullable=True),
        sa.Column("taken_in_at", _NUMBER, nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("source", "category", "day", name=op.f("pk_announced_days")),
    )


def _make_harvest_states() -> None:
    op.create_table(
        "harvest_states",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("not_before", _NUMBER, nullable=True),
        sa.Column("updated_at", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("source", "job", name=op.f("pk_harvest_states")),
    )


def _make_pending_papers() -> None:
    op.create_table(
        "pending_papers",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("identifier", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("since", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint(
            "source", "category", "day", "identifier", "kind", name=op.f("pk_pending_papers")
        ),
    )
