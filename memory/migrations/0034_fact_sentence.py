"""The index of facts by the sentence that told them. Built beside the running installation."""

from django.db import models
from django.db.models.functions import MD5

from memory.models import migrating

# By its digest: a sentence may be longer than an index takes. Of functions that shorten a text `md5` alone is leakproof,
# so that under a policy its index serves.
CREATE = "CREATE INDEX CONCURRENTLY fact_sentence ON fact (user_id, md5(statement))"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0033_passage_events")]

    operations = [
        migrating.build_index_beside("fact", models.Index("user", MD5("statement"), name="fact_sentence"), CREATE),
    ]
