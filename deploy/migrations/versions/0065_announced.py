"""When an assignment was announced to the webhooks of its course"""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignment", sa.Column("announced_at", sa.DateTime(timezone=True)))
    # Those that students see by now were announced, or are known without it.
    op.execute(
        "UPDATE assignment SET announced_at = CURRENT_TIMESTAMP"
        " WHERE version > 0 AND (visible_from IS NULL OR visible_from <= CURRENT_TIMESTAMP)"
    )
