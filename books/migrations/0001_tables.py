"""Books, their passages, the jobs that read them, and the policies of the database."""

import django.db.models.deletion
import django.utils.timezone
import memory.models.isolation
import uuid
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser

# A passage points at a memory and at a book, and at nobody else's of either.
OWN_BOOK = """
ALTER TABLE book_chunk ADD CONSTRAINT bookchunk_own_book FOREIGN KEY (user_id, book_id)
REFERENCES book (user_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrating.Migration):

    initial = True

    dependencies = [
        ('memory', '0015_spaces'),
    ]

    operations = [
        migrations.CreateModel(
            name='BookJob',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('agent_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.agent_id'), max_length=128)),
                ('project_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.project_id'), max_length=128)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('processing', 'processing'), ('completed', 'completed'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='pending', max_length=12)),
                ('stage', models.CharField(choices=[('waiting', 'waiting'), ('reading', 'reading'), ('cutting', 'cutting'), ('embedding', 'embedding'), ('storing', 'storing'), ('indexing', 'indexing'), ('done', 'done')], default='waiting', max_length=12)),
                ('progress', models.FloatField(default=0.0)),
                ('file_name', models.CharField(max_length=255)),
                ('title', models.CharField(blank=True, default='', max_length=300)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('size', models.PositiveIntegerField()),
                ('content_hash', models.CharField(max_length=64)),
                ('book_id', models.UUIDField(blank=True, null=True)),
                ('is_duplicate', models.BooleanField(default=False)),
                ('document_id', models.UUIDField(blank=True, null=True)),
                ('refuses_secrets', models.BooleanField(default=False)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, default='', max_length=40)),
                ('error_detail', models.CharField(blank=True, default='', max_length=500)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'book_job',
            },
        ),
        migrations.CreateModel(
            name='BooksDue',
            fields=[
                ('end_user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='memory.enduser')),
                ('since', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'books_due',
            },
        ),
        migrations.CreateModel(
            name='Book',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('agent_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.agent_id'), max_length=128)),
                ('project_id', models.CharField(blank=True, db_default=memory.models.isolation.ScopeSetting('app.project_id'), max_length=128)),
                ('title', models.CharField(max_length=300)),
                ('author', models.CharField(blank=True, default='', max_length=300)),
                ('file_name', models.CharField(max_length=255)),
                ('file_type', models.CharField(max_length=16)),
                ('size', models.PositiveIntegerField()),
                ('content_hash', models.CharField(max_length=64)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('pages', models.PositiveIntegerField(blank=True, null=True)),
                ('chunk_count', models.PositiveIntegerField()),
                ('notices', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'book',
            },
        ),
        migrations.CreateModel(
            name='BookChunk',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField()),
                ('page', models.PositiveIntegerField(blank=True, null=True)),
                ('section', models.TextField(blank=True, default='')),
                ('tokens', models.PositiveIntegerField()),
                ('has_code', models.BooleanField(default=False)),
                ('book', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='books.book')),
                ('item', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.memoryitem')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'book_chunk',
            },
        ),
        migrations.CreateModel(
            name='BookUpload',
            fields=[
                ('job', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='upload', serialize=False, to='books.bookjob')),
                ('body', models.BinaryField()),
            ],
            options={
                'db_table': 'book_upload',
            },
        ),
        migrations.AddIndex(
            model_name='book',
            index=models.Index(fields=['user', '-created_at', 'id'], name='book_recent'),
        ),
        migrations.AddConstraint(
            model_name='book',
            constraint=models.UniqueConstraint(fields=('user', 'id'), name='book_user_id'),
        ),
        migrations.AddConstraint(
            model_name='book',
            constraint=models.UniqueConstraint(fields=('user', 'agent_id', 'project_id', 'thread_id', 'content_hash'), name='book_once'),
        ),
        migrations.AddConstraint(
            model_name='bookchunk',
            constraint=models.UniqueConstraint(fields=('user', 'book', 'position'), name='book_chunk_once'),
        ),
        migrations.AddConstraint(
            model_name='bookchunk',
            constraint=models.UniqueConstraint(fields=('user', 'item'), name='book_chunk_item'),
        ),
        migrations.AddField(
            model_name='bookupload',
            name='user',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser'),
        ),
        migrations.AddIndex(
            model_name='bookjob',
            index=models.Index(fields=['user', '-created_at', 'id'], name='book_job_recent'),
        ),
        migrations.AddConstraint(
            model_name='bookjob',
            constraint=models.UniqueConstraint(fields=('user', 'id'), name='book_job_user_id'),
        ),
        IsolateByUser("Book"),
        IsolateByUser("BookJob"),
        IsolateByUser("BookUpload", references="book_job", column="job_id"),
        IsolateByUser("BookChunk", references="memory_item"),
        migrations.RunSQL(OWN_BOOK, "ALTER TABLE book_chunk DROP CONSTRAINT bookchunk_own_book"),
        ConfineToScope("Book"),
        ConfineToScope("BookJob"),
        ConfineToScope("BookUpload", parent="book_job", column="job_id"),
        ConfineToScope("BookChunk", parent="memory_item"),
    ]
