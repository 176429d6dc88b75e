"""The log of changes belongs to a course, and has the changes of the whole course once, not once per assignment"""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

CHANGE = sa.table("setting_change", sa.column("assignment_id", sa.Integer))
OF_COURSE = """
    setting NOT LIKE '%:%' AND (
        setting IN ('Title of the course', 'Term of the course', 'Time zone of the course', 'Language of the course',
            'Weights in the course', 'Code to join the course', 'People added', 'People updated',
            'Numbers, e-mails, sections and groups')
        OR setting LIKE 'Role of %' OR setting LIKE 'Section of %' OR setting LIKE 'Pseudonym of %'
        OR setting LIKE 'Name of %' OR setting LIKE 'Particulars of %' OR setting LIKE 'Password of %'
        OR setting LIKE 'Viewed as %'
        OR former = '' AND value IN ('joined with a code', 'registered with a code')
        OR former = '' AND value LIKE 'joined from % as %'
        OR former = 'student' AND value = 'removed'
        OR former = 'removed' AND value = 'student'
    )
"""
"""The changes of a whole course. The title of a ladder, before which one of these may stand, is followed by a colon."""


def upgrade() -> None:
    course = sa.ForeignKey("course.id", name="fk_setting_change_course_id")
    with op.batch_alter_table("setting_change") as table:
        table.add_column(sa.Column("course_id", sa.Integer, course))
        table.alter_column("assignment_id", existing_type=sa.Integer, nullable=True)
    op.execute(
        "UPDATE setting_change SET course_id ="
        " (SELECT course_id FROM assignment WHERE assignment.id = setting_change.assignment_id)"
    )
    # A course's first assignment has all of these that its other assignments have.
    first = sa.text("(SELECT min(id) FROM assignment WHERE assignment.course_id = setting_change.course_id)")
    op.execute(CHANGE.delete().where(CHANGE.c.assignment_id != first, sa.text(OF_COURSE)))
    op.execute(CHANGE.update().where(sa.text(OF_COURSE)).values(assignment_id=None))
    with op.batch_alter_table("setting_change") as table:
        table.alter_column("course_id", existing_type=sa.Integer, nullable=False)
        table.create_index("ix_setting_change_course_id", ["course_id"])
