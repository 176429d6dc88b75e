"""Forms of custom games that are sent twice."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("custom_game", sa.Column("request_key", sa.String(), nullable=True))
    op.create_index("ix_custom_game_request", "custom_game", ["asker_id", "request_key"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_custom_game_request", "custom_game")
    op.drop_column("custom_game", "request_key")
