"""Make roles, database, extension and privileges on a Postgres of one's own."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from psycopg import Error, conninfo

from config import roles
from config.databases import database_from_url
from config.embedded import installation_paths
from config.env import env_secret
from config.runtime.programs import prepare_database


class Command(BaseCommand):
    help = (
        "Prepare a Postgres server: DATABASE_ADMIN_URL connects as a superuser; the roles made are those of "
        "DATABASE_URL, DATABASE_OWNER_URL and DATABASE_BACKUP_URL. May be repeated. Without DATABASE_URL it "
        "prepares the embedded server."
    )
    requires_system_checks = []

    def handle(self, *_args: object, **_options: Any) -> None:
        application = env_secret("DATABASE_URL")
        if not application:
            prepare_database(installation_paths(settings.DATA_DIR))
            self.stdout.write("The embedded database is prepared.")
            return
        administrator = env_secret("DATABASE_ADMIN_URL")
        if not administrator:
            raise CommandError("set DATABASE_ADMIN_URL to postgresql://superuser:password@host:5432/postgres")
        try:
            skipped = roles.prepare_server(conninfo.make_conninfo(administrator), build_plan(application))
        except Error as error:
            raise CommandError(f"the database could not be prepared: {error}") from error
        for message in skipped:
            self.stderr.write(f"not allowed here, left out: {message}")
        self.stdout.write("The database is prepared.")


def build_plan(application: str) -> roles.RolePlan:
    backup = env_secret("DATABASE_BACKUP_URL")
    return roles.RolePlan(
        database=database_from_url(application)["NAME"],
        owner=read_login(env_secret("DATABASE_OWNER_URL", application)),
        app=read_login(application),
        backup=read_login(backup) if backup else None,
    )


def read_login(url: str) -> roles.Login:
    parts = database_from_url(url)
    if not parts["USER"] or not parts["PASSWORD"]:
        raise CommandError("every database address needs a user and a password: the roles are made from them")
    return roles.Login(parts["USER"], parts["PASSWORD"])
