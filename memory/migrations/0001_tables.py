"""Every table of the memory core."""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.utils.timezone
import memory.models.items
import pgvector.django.halfvec
import uuid
from django.conf import settings
from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):

    replaces = [
        ('memory', '0001_initial'),
        ('memory', '0003_vector_payload'),
        ('memory', '0004_speakers'),
        ('memory', '0005_reindex'),
        ('memory', '0006_measurements'),
        ('memory', '0007_trust'),
        ('memory', '0009_moves'),
        ('memory', '0010_experience'),
        ('memory', '0011_token_vectors'),
        ('memory', '0012_insight_words'),
        ('memory', '0013_failed_rows'),
        ('memory', '0014_user_data'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.RunSQL("CREATE SEQUENCE memory_item_arrival", "DROP SEQUENCE memory_item_arrival"),
        migrations.CreateModel(
            name='DailyMetrics',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('counts', models.JSONField(default=dict)),
                ('seen', models.JSONField(default=dict)),
            ],
            options={
                'db_table': 'daily_metrics',
            },
        ),
        migrations.CreateModel(
            name='DriftReport',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('mode', models.CharField(choices=[('counts', 'Counts'), ('sample', 'Sample'), ('full', 'Full')], max_length=16)),
                ('repair', models.BooleanField(default=True)),
                ('collection', models.CharField(blank=True, default='', max_length=140)),
                ('end_user', models.BigIntegerField(blank=True, null=True)),
                ('at_user', models.BigIntegerField(default=0)),
                ('users', models.PositiveBigIntegerField(default=0)),
                ('rows', models.PositiveBigIntegerField(default=0)),
                ('points', models.PositiveBigIntegerField(default=0)),
                ('found', models.JSONField(default=dict)),
                ('mended', models.JSONField(default=dict)),
                ('quarantine', models.JSONField(default=list)),
                ('problem', models.CharField(blank=True, default='', max_length=300)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'drift_report',
                'indexes': [models.Index(fields=['-started_at'], name='drift_report_recent')],
            },
        ),
        migrations.CreateModel(
            name='ModelCall',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('purpose', models.CharField(max_length=40)),
                ('model', models.CharField(max_length=200)),
                ('outcome', models.CharField(max_length=20)),
                ('prompt_tokens', models.PositiveIntegerField(default=0)),
                ('answer_tokens', models.PositiveIntegerField(default=0)),
                ('ms', models.FloatField(default=0.0)),
                ('cost', models.DecimalField(decimal_places=8, default=0, max_digits=14)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'model_call',
                'indexes': [models.Index(fields=['at'], name='model_call_at')],
            },
        ),
        migrations.CreateModel(
            name='Operator',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'db_table': 'operator',
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Organization',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=64, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'organization',
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('hint', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), size=None)),
                ('user_ids', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=128), blank=True, null=True, size=None)),
                ('requests_per_second', models.PositiveIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='memory.organization')),
            ],
            options={
                'db_table': 'api_key',
            },
        ),
        migrations.CreateModel(
            name='EndUser',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('external_id', models.CharField(max_length=128)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('index_due_since', models.DateTimeField(blank=True, null=True)),
                ('messages_since_promotion', models.PositiveIntegerField(default=0)),
                ('last_thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('last_active_at', models.DateTimeField(blank=True, null=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='end_users', to='memory.organization')),
                ('learning_due_since', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'end_user',
                'indexes': [models.Index(condition=models.Q(('index_due_since__isnull', False)), fields=['index_due_since'], name='end_user_index_due'), models.Index(condition=models.Q(('learning_due_since__isnull', False)), fields=['learning_due_since'], name='end_user_learning_due')],
                'constraints': [models.UniqueConstraint(fields=('organization', 'external_id'), name='end_user_once')],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('end_user_id', models.BigIntegerField()),
                ('removed', models.JSONField(default=dict)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='memory.organization')),
            ],
            options={
                'db_table': 'erasure',
            },
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=255)),
                ('route', models.CharField(max_length=300)),
                ('body_digest', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField(default=0)),
                ('response', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'idempotency_record',
                'constraints': [models.UniqueConstraint(fields=('user', 'route', 'key'), name='idempotency_once')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='memory.organization')),
            ],
            options={
                'db_table': 'membership',
                'constraints': [models.UniqueConstraint(fields=('operator', 'organization'), name='membership_once')],
            },
        ),
        migrations.AddField(
            model_name='organization',
            name='members',
            field=models.ManyToManyField(related_name='organizations', through='memory.Membership', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='MemoryItem',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('tier', models.CharField(choices=[('working', 'working'), ('history', 'history'), ('patterns', 'patterns'), ('memory_bank', 'memory_bank'), ('books', 'books')], max_length=16)),
                ('status', models.CharField(choices=[('active', 'active'), ('dormant', 'dormant'), ('archived', 'archived')], default='active', max_length=16)),
                ('text', models.TextField()),
                ('version', models.PositiveIntegerField(default=1)),
                ('content_hash', models.CharField(max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), default=list, size=None)),
                ('metadata', models.JSONField(default=dict)),
                ('always_inject', models.BooleanField(default=False)),
                ('importance', models.FloatField(default=0.7)),
                ('confidence', models.FloatField(default=0.7)),
                ('mentions', models.PositiveIntegerField(default=1)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('speaker', models.CharField(blank=True, default='', max_length=200)),
                ('source_type', models.CharField(choices=[('user', 'user'), ('assistant', 'assistant'), ('tool', 'tool'), ('document', 'document'), ('system', 'system')], default='user', max_length=16)),
                ('source', models.JSONField(default=dict)),
                ('origin', models.CharField(blank=True, max_length=64, null=True)),
                ('arrival', models.BigIntegerField(db_default=memory.models.items.NextArrival(), editable=False)),
                ('occurred_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('score', models.FloatField(default=0.5)),
                ('uses', models.PositiveIntegerField(default=0)),
                ('worked', models.PositiveIntegerField(default=0)),
                ('failed', models.PositiveIntegerField(default=0)),
                ('partial', models.PositiveIntegerField(default=0)),
                ('unknown', models.PositiveIntegerField(default=0)),
                ('last_outcome', models.CharField(blank=True, choices=[('worked', 'worked'), ('failed', 'failed'), ('partial', 'partial'), ('unknown', 'unknown')], default='', max_length=16)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('retrieved', models.PositiveIntegerField(default=0)),
                ('lexemes', django.contrib.postgres.search.SearchVectorField(editable=False, null=True)),
                ('indexing', models.CharField(choices=[('pending', 'pending'), ('ready', 'ready'), ('failed', 'failed')], default='pending', max_length=16)),
                ('index_attempts', models.PositiveSmallIntegerField(default=0)),
                ('index_after', models.DateTimeField(default=django.utils.timezone.now)),
                ('index_error', models.CharField(blank=True, default='', max_length=300)),
                ('vector_hash', models.CharField(blank=True, default='', max_length=64)),
                ('indexed_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('revision', models.BigIntegerField(db_default=1, editable=False)),
                ('trust', models.PositiveSmallIntegerField(choices=[(1, 'external'), (2, 'assistant'), (3, 'user')], default=3)),
                ('principal', models.CharField(blank=True, default='', max_length=100)),
                ('parents', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('overruled_uses', models.PositiveIntegerField(default=0)),
            ],
            options={
                'db_table': 'memory_item',
                'indexes': [models.Index(fields=['user', 'status', 'tier', '-occurred_at', 'id'], name='memory_item_recent'), models.Index(fields=['user', 'status', '-score', 'id'], name='memory_item_score'), models.Index(fields=['user', 'thread_id', 'arrival'], name='memory_item_thread'), models.Index(fields=['user', 'content_hash'], name='memory_item_hash'), models.Index(fields=['user', 'updated_at', 'id'], name='memory_item_updated'), models.Index(condition=models.Q(('indexing', 'pending')), fields=['user', 'index_after'], name='memory_item_pending'), models.Index(condition=models.Q(('indexing', 'failed')), fields=['user', 'id'], name='memory_item_failed'), models.Index(condition=models.Q(('expires_at__isnull', False), ('status', 'active')), fields=['user', 'expires_at'], name='memory_item_expiry'), models.Index(condition=models.Q(('always_inject', True), ('status', 'active')), fields=['user', 'id'], name='memory_item_always'), models.Index(condition=models.Q(('status', 'active'), ('uses__gt', 0)), fields=['user', 'tier', 'score'], name='memory_item_judged'), models.Index(condition=models.Q(('parents', []), _negated=True), fields=['user', 'id'], name='memory_item_derived'), django.contrib.postgres.indexes.GinIndex(fastupdate=True, fields=['lexemes'], gin_pending_list_limit=128, name='memory_item_lexemes'), django.contrib.postgres.indexes.GinIndex(condition=models.Q(('uses__gt', 0), models.Q(('score', 0.5), _negated=True), _connector='OR'), fastupdate=False, fields=['lexemes'], name='memory_item_judged_words'), django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'active'), ('tier', 'memory_bank')), fastupdate=False, fields=['lexemes'], name='memory_item_bank_words')],
                'constraints': [models.UniqueConstraint(fields=('user', 'id'), name='memory_item_user_id'), models.UniqueConstraint(condition=models.Q(('origin__isnull', False)), fields=('user', 'origin'), name='memory_item_origin_once'), models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1), ('importance__gte', 0), ('importance__lte', 1), ('score__gte', 0), ('score__lte', 1)), name='memory_item_ranges')],
            },
        ),
        migrations.CreateModel(
            name='MemoryEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=32)),
                ('reason', models.CharField(blank=True, default='', max_length=300)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('actor', models.CharField(blank=True, default='', max_length=100)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('item', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='memory.memoryitem')),
            ],
            options={
                'db_table': 'memory_event',
                'indexes': [models.Index(fields=['user', 'item', '-id'], name='memory_event_item')],
            },
        ),
        migrations.CreateModel(
            name='Speaker',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'memory_speaker',
                'constraints': [models.UniqueConstraint(fields=('user', 'name'), name='memory_speaker_once')],
            },
        ),
        migrations.CreateModel(
            name='TokenVectors',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('model', models.CharField(max_length=200)),
                ('signs', models.BinaryField()),
                ('revision', models.BigIntegerField(db_default=0)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'memory_token_vectors',
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id'), name='memory_token_vectors_once')],
            },
        ),
        migrations.CreateModel(
            name='MemoryVector',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('collection', models.CharField(max_length=140)),
                ('dims', models.PositiveSmallIntegerField()),
                ('tier', models.CharField(max_length=16)),
                ('status', models.CharField(max_length=16)),
                ('embedding', pgvector.django.halfvec.HalfVectorField()),
                ('vector_hash', models.CharField(max_length=64)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('revision', models.BigIntegerField(db_default=0)),
            ],
            options={
                'db_table': 'memory_vector',
                'indexes': [models.Index(fields=['user', 'collection', 'tier', 'status'], name='memory_vector_payload')],
                'constraints': [models.UniqueConstraint(fields=('user', 'collection', 'item_id'), name='memory_vector_once')],
            },
        ),
        migrations.CreateModel(
            name='MemoryVersion',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), default=list, size=None)),
                ('importance', models.FloatField()),
                ('confidence', models.FloatField()),
                ('source', models.JSONField(default=dict)),
                ('reason', models.CharField(default='revised', max_length=100)),
                ('archived_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('item', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='memory.memoryitem')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
                ('parents', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('principal', models.CharField(blank=True, default='', max_length=100)),
                ('source_type', models.CharField(choices=[('user', 'user'), ('assistant', 'assistant'), ('tool', 'tool'), ('document', 'document'), ('system', 'system')], default='user', max_length=16)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('trust', models.PositiveSmallIntegerField(choices=[(1, 'external'), (2, 'assistant'), (3, 'user')], default=3)),
            ],
            options={
                'db_table': 'memory_version',
                'constraints': [models.UniqueConstraint(fields=('user', 'item', 'version'), name='memory_version_once')],
            },
        ),
        migrations.CreateModel(
            name='Tombstone',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('origin', models.CharField(blank=True, max_length=64, null=True)),
                ('deleted_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('purged_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'tombstone',
                'indexes': [models.Index(condition=models.Q(('purged_at__isnull', True)), fields=['user'], name='tombstone_unpurged'), models.Index(fields=['user', 'origin'], name='tombstone_origin')],
                'constraints': [models.UniqueConstraint(fields=('user', 'item_id'), name='tombstone_once')],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('turn_id', models.UUIDField(default=uuid.uuid4)),
                ('thread_id', models.CharField(blank=True, default='', max_length=200)),
                ('query', models.TextField(blank=True, default='')),
                ('positions', models.JSONField(default=list)),
                ('debug', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('scored_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'turn',
                'indexes': [models.Index(fields=['user', '-created_at'], name='turn_recent')],
                'constraints': [models.UniqueConstraint(fields=('user', 'turn_id'), name='turn_once')],
            },
        ),
        migrations.CreateModel(
            name='UserData',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('key', models.CharField(db_collation='C', max_length=128)),
                ('value', models.JSONField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.enduser')),
            ],
            options={
                'db_table': 'user_data',
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='user_data_once')],
            },
        ),
        migrations.CreateModel(
            name='VectorCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('backend', models.CharField(max_length=16)),
                ('alias', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=140)),
                ('model', models.CharField(max_length=300)),
                ('dimensions', models.PositiveIntegerField()),
                ('passage_prefix', models.CharField(blank=True, default='', max_length=300)),
                ('role', models.CharField(choices=[('live', 'Live'), ('building', 'Building'), ('previous', 'Previous'), ('removing', 'Removing')], max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('keep_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'vector_collection',
                'constraints': [models.UniqueConstraint(fields=('backend', 'name'), name='vector_collection_once'), models.UniqueConstraint(condition=models.Q(('role__in', ['live', 'building', 'previous'])), fields=('backend', 'alias', 'role'), name='vector_collection_one_role')],
            },
        ),
        migrations.CreateModel(
            name='ReindexRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('collection', models.CharField(max_length=140)),
                ('scope', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('done', 'Done'), ('cancelled', 'Cancelled'), ('rolled back', 'Rolled Back')], default='running', max_length=16)),
                ('phase', models.CharField(choices=[('copy', 'Copy'), ('catch up', 'Catch Up'), ('verify', 'Verify'), ('swap', 'Swap'), ('check', 'Check')], default='copy', max_length=16)),
                ('at_user', models.BigIntegerField(default=0)),
                ('at_moment', models.DateTimeField(blank=True, null=True)),
                ('at_item', models.UUIDField(blank=True, null=True)),
                ('verified_rounds', models.PositiveSmallIntegerField(default=0)),
                ('mended_in_round', models.PositiveBigIntegerField(default=0)),
                ('rows_total', models.PositiveBigIntegerField(default=0)),
                ('rows_done', models.PositiveBigIntegerField(default=0)),
                ('rows_mended', models.PositiveBigIntegerField(default=0)),
                ('rows_refused', models.PositiveBigIntegerField(default=0)),
                ('rows_per_s', models.FloatField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('advanced_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('target', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.vectorcollection')),
                ('report', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.driftreport')),
            ],
            options={
                'db_table': 'reindex_run',
                'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('state__in', ['running', 'paused'])), name='reindex_run_one_at_a_time')],
            },
        ),
    ]
