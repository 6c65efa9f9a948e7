"""What a language model reads out of a book: of its person alone, and in the scope of the book."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser, user_key


class Migration(migrating.Migration):
    dependencies = [("books", "0001_tables")]

    operations = [
        migrations.CreateModel(
            name="BookDigest",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user", user_key()),
                (
                    "book",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="digests",
                        to="books.book",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "pending"), ("done", "done")], default="pending", max_length=12
                    ),
                ),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("parts_of_book", models.PositiveIntegerField(default=0)),
                ("parts", models.PositiveIntegerField(default=0)),
                ("parts_read", models.PositiveIntegerField(default=0)),
                ("part_summaries", models.JSONField(default=list)),
                ("summary", models.TextField(blank=True, default="")),
                ("themes", models.JSONField(default=list)),
                ("insights", models.JSONField(default=list)),
                ("concepts", models.JSONField(default=list)),
                ("quotes", models.JSONField(default=list)),
                ("models_found", models.JSONField(default=list)),
                ("summaries", models.JSONField(default=list)),
                ("tone", models.CharField(blank=True, default="", max_length=60)),
                ("style", models.CharField(blank=True, default="", max_length=60)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "book_digest",
                "constraints": [models.UniqueConstraint(fields=["user", "book"], name="book_digest_once")],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "pending")), fields=["user", "due_at"], name="book_digest_due"
                    )
                ],
            },
        ),
        IsolateByUser("BookDigest", references="book", column="book_id"),
        ConfineToScope("BookDigest", parent="book", column="book_id"),
    ]
