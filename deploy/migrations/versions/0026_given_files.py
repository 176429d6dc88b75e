"""The files that students were given, the definitions of dry runs, and the versions with which seasons began.

The starter files of the versions so far are among them.
"""

import json
from datetime import UTC, datetime
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("regrade_batch", sa.Column("candidate", sa.String()))
    op.add_column("tournament", sa.Column("since_version", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "given_file",
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("player_id", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_given_file_assignment_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_given_file_player_id")),
        sa.PrimaryKeyConstraint("assignment_id", "player_id", name=op.f("pk_given_file")),
    )
    _give_what_there_is()


def _give_what_there_is() -> None:
    versions = sa.table("assignment_version", sa.column("assignment_id"), sa.column("definition"))
    players = sa.table("player", *map(sa.column, ("id", "sha256", "source")), sa.column("created_at", TIME))
    given = sa.table("given_file", sa.column("assignment_id"), sa.column("player_id"))
    connection = op.get_bind()
    found = {
        (id_, json.loads(definition).get("starter", "").encode())
        for id_, definition in connection.execute(sa.select(versions.c.assignment_id, versions.c.definition))
    }
    for assignment_id, source in sorted(found):
        if not source:
            continue
        digest = sha256(source).hexdigest()
        wanted = sa.select(players.c.id).where(players.c.sha256 == digest)
        player_id = connection.scalar(wanted)
        if player_id is None:
            row = {"sha256": digest, "source": source, "created_at": datetime.now(UTC)}
            connection.execute(players.insert().values(row))
            player_id = connection.scalar(wanted)
        connection.execute(given.insert().values(assignment_id=assignment_id, player_id=player_id))


def downgrade() -> None:
    op.drop_table("given_file")
    op.drop_column("tournament", "since_version")
    op.drop_column("regrade_batch", "candidate")
