"""WSGI entry of the web process, which loads what it needs before its first request rather than in it."""

import gc
import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

# What is loaded is no garbage; looking for some in it took .6 of the 5.4 s of CPU of a start.
COLLECTS = gc.isenabled()
gc.disable()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django_application = get_wsgi_application()

from django.urls import get_resolver  # noqa: E402 -- after the set-up it needs

from config.traces import start_process_traces  # noqa: E402 -- after the set-up it needs
from knowledge_graph.hotmem import turn  # noqa: E402 -- after the set-up it needs
from memory.platform.slots import SlottedApplication  # noqa: E402 -- after the set-up it needs
from memory.retrieval.search import warm_up  # noqa: E402 -- after the set-up it needs
from memory.web.overload import refuse_request  # noqa: E402 -- after the set-up it needs
from memory.web.receiving import ReceivingApplication  # noqa: E402 -- after the set-up it needs

# How long a thread that works may keep one waiting that has its answer: a turn through the gateway goes through more
# hands than a context does. Beside two threads at work eight answers of another process in turn took 96-284 ms (p50,
# four runs on a full machine) with Python's own 5 ms and take 30-66 with this. Three threads at work cost as much of
# the processor as before, 32 of them 5 % more; half a millisecond would cost those 14 %.
sys.setswitchinterval(0.001)

PROCESSES = settings.PROCESSES
# The server has more threads than that, for answers that stream: with as many at work, 200 streams left none to others.
slotted = SlottedApplication(django_application, PROCESSES.web_threads, PROCESSES.web_waiting, refuse_request)
application = ReceivingApplication(slotted, PROCESSES.web_bodies)

# Loading views and word lists added 0.9 s to the first request of each process.
get_resolver().url_patterns  # noqa: B018 -- imports the views
warm_up()
turn.warm_up()
start_process_traces("web")
# What is there now stays. Each look through all of it would hold up one request in hundreds for a tenth of a second.
gc.collect()
gc.freeze()
if COLLECTS:
    gc.enable()
