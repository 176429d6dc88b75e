"""Store game packages."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "game_package",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("slug", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("archive", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.String, nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("sha256", name="pk_game_package"),
    )
    op.create_index("ix_game_package_slug", "game_package", ["slug"])


def downgrade() -> None:
    op.drop_table("game_package")
