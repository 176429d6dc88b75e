"""Courses of learning management systems, connected by LTI"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def _texts(*names: str, **more: Any) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String, nullable=False, **more) for name in names]


def _empty(*names: str) -> list[sa.Column[str]]:
    return _texts(*names, server_default="")


def upgrade() -> None:
    op.create_table(
        "lti_platform",
        sa.Column("id", sa.Integer, primary_key=True),
        *_texts("title", "issuer", "client_id"),
        *_texts("login_url", "token_url", "keys_url"),
        *_empty("audience"),
        sa.Column("deployments", sa.JSON, nullable=False),
        sa.Column("link_by", sa.String, nullable=False, server_default="nothing"),
        sa.Column("creates", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.UniqueConstraint("issuer", "client_id", name="uq_lti_platform_issuer_client_id"),
    )
    op.create_table(
        "lti_key",
        sa.Column("kid", sa.String, primary_key=True),
        sa.Column("private", sa.String, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "lti_launch",
        sa.Column("state", sa.String, primary_key=True),
        sa.Column("nonce", sa.String, nullable=False),
        sa.Column("browser", sa.String, nullable=False),
        sa.Column("platform_id", sa.Integer, sa.ForeignKey("lti_platform.id"), nullable=False),
        sa.Column("ticket", sa.String, index=True, nullable=False, server_default=""),
        sa.Column("claims", sa.JSON),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "lti_course",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("platform_id", sa.Integer, sa.ForeignKey("lti_platform.id"), nullable=False),
        *_texts("deployment", "context", "title"),
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), nullable=False, index=True),
        sa.Column("connected_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
        *_empty("members_url", "items_url", "rlid"),
        sa.Column("sends", sa.String(16), nullable=False),
        sa.Column("follows", sa.Boolean, nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True)),
        *_empty("trouble"),
        sa.UniqueConstraint(
            "platform_id", "deployment", "context", name="uq_lti_course_platform_id_deployment_context"
        ),
    )
    op.create_table(
        "lti_member",
        sa.Column("lti_course_id", sa.Integer, sa.ForeignKey("lti_course.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("subject", sa.String, nullable=False),
    )
    op.create_table(
        "lti_item",
        sa.Column("lti_course_id", sa.Integer, sa.ForeignKey("lti_course.id"), primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
        sa.Column("url", sa.String, nullable=False),
    )
    op.create_table(
        "lti_score",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("lti_course_id", sa.Integer, sa.ForeignKey("lti_course.id"), nullable=False),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
        sa.Column("given", sa.Double),
        sa.Column("most", sa.Double, nullable=False),
        *_empty("comment"),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
        *_empty("answer"),
    )
    op.create_index("ix_lti_score_of_person", "lti_score", ["lti_course_id", "assignment_id", "user_id"])
