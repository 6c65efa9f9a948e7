"""The REST surface: one API of the routers of each subject."""

import books.api
import knowledge_graph.api
import knowledge_graph.hotmem.api
import memory.records.api
import memory.records.recall_api
import outcomes.api
import personality.api
from memory.api import (
    aims,
    commands,
    context,
    deletions,
    evaluation,
    facts,
    hooks,
    inbox,
    insights,
    labels,
    memories,
    operations,
    personal_links,
    portability,
    search,
    space_members,
    spaces,
    texts,
    tool_server,
    tools,
    trust,
    userdata,
    users,
    vocabulary,
    webhooks,
)
from memory.web.bodies import StrictJsonParser
from memory.web.openapi import DESCRIPTION, ApiDocs, DocumentedAPI
from memory.web.parameters import refuse_unknown_parameters
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
api.add_decorator(refuse_unknown_parameters, mode="view")
for module in (
    context,
    trust,
    deletions,
    memories,
    users,
    aims,
    commands,
    userdata,
    portability,
    personal_links,
    search,
    space_members,
    spaces,
    insights,
    texts,
    outcomes.api,
    evaluation,
    books.api,
    facts,
    hooks,
    tools,
    tool_server,
    memory.records.api,
    memory.records.recall_api,
    knowledge_graph.hotmem.api,
    knowledge_graph.api,
    personality.api,
    vocabulary,
    inbox,
    labels,
    webhooks,
    operations,
):
    api.add_router("", module.router)
