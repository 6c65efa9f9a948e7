"""The REST surface: one API of the routers of each subject."""

from memory.api import (
    aims,
    context,
    exchanges,
    graph,
    hooks,
    insights,
    memories,
    operations,
    records,
    search,
    tools,
    trust,
    turns,
    userdata,
)
from memory.web.bodies import StrictJsonParser
from memory.web.openapi import DESCRIPTION, ApiDocs, DocumentedAPI
from memory.web.problems import register_exception_handlers

api = DocumentedAPI(
    title="Commonplace",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    # The viewer would otherwise ask a public service for a badge about this document.
    docs=ApiDocs(settings={"validatorUrl": "none"}),
    parser=StrictJsonParser(),
    openapi_extra={"info": {"license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}}},
)
register_exception_handlers(api)
for module in (
    trust,
    memories,
    aims,
    userdata,
    search,
    insights,
    context,
    turns,
    exchanges,
    hooks,
    tools,
    records,
    graph,
    operations,
):
    api.add_router("", module.router)
