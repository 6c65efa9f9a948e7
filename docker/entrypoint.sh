#!/bin/sh
# What a container of the product does: web, mcp, worker, books, beat, prepare, healthy, or any management command.
set -eu
cd "$(dirname "$0")/.."

case "${1:-web}" in
    web | mcp)
        exec python -m config.runtime.run "$1" --host 0.0.0.0 --port 8000
        ;;
    worker | books | beat)
        exec python -m config.runtime.run "$1"
        ;;
    prepare)
        # Once, before everything else: roles and extension as superuser, tables as their owner.
        if [ -n "${DATABASE_ADMIN_URL:-}${DATABASE_ADMIN_URL_FILE:-}" ]; then
            python manage.py prepare_database
        fi
        python manage.py migrate --no-input
        exec python manage.py check --database default
        ;;
    healthy)
        exec python -c '
import os, urllib.request
host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip()
request = urllib.request.Request("http://127.0.0.1:8000/api/health", headers={"Host": host.lstrip(".")})
urllib.request.urlopen(request, timeout=4)
'
        ;;
    *)
        exec python manage.py "$@"
        ;;
esac
