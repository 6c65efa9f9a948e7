"""Addresses of the console. Fixed pages have one segment, pages about a person at least two: they cannot collide."""

from django.urls import path

import knowledge_graph.console
import knowledge_graph.hotmem.console
import memory.records.console
import outcomes.console
from memory.console import (
    bank_form,
    connect,
    context_preview,
    fact,
    facts,
    health,
    item,
    item_actions,
    memories,
    nights,
    operations,
    overview,
    people,
    reviews,
    search,
    session,
    spaces,
    transfer,
    trust,
    webhooks,
)

app_name = "console"

urlpatterns = [
    path("", people.home, name="home"),
    path("login", session.SignIn.as_view(), name="login"),
    path("logout", session.SignOut.as_view(), name="logout"),
    path("theme", session.choose_theme, name="theme"),
    path("people", people.page, name="people"),
    path("operations", operations.page, name="operations"),
    path("webhooks", webhooks.page, name="webhooks"),
    path("webhook-<uuid:endpoint_id>", webhooks.detail, name="webhook"),
    path("health", health.page, name="system_health"),
    path("<slug:organization>/<str:external_id>", overview.page, name="overview"),
    path("<slug:organization>/<str:external_id>/indexing", overview.indexing_panel, name="indexing"),
    path("<slug:organization>/<str:external_id>/health", overview.health_panel, name="health"),
    path("<slug:organization>/<str:external_id>/transfer", transfer.page, name="transfer"),
    path("<slug:organization>/<str:external_id>/transfer/export", transfer.export, name="export"),
    path("<slug:organization>/<str:external_id>/transfer/import", transfer.add_file, name="import"),
    path("<slug:organization>/<str:external_id>/connect", connect.page, name="connect"),
    path("<slug:organization>/<str:external_id>/connect/<int:key_id>", connect.first_call, name="first_call"),
    path("<slug:organization>/<str:external_id>/connect/<int:key_id>/revoke", connect.revoke, name="revoke_key"),
    path("<slug:organization>/<str:external_id>/search", search.page, name="search"),
    path("<slug:organization>/<str:external_id>/context", context_preview.page, name="context"),
    path("<slug:organization>/<str:external_id>/recall", memory.records.console.page, name="recall"),
    path("<slug:organization>/<str:external_id>/recall/retry", memory.records.console.retry, name="retry_recall"),
    path("<slug:organization>/<str:external_id>/conversations", outcomes.console.page, name="conversations"),
    path(
        "<slug:organization>/<str:external_id>/conversations/<uuid:exchange_id>/outcome",
        outcomes.console.record_outcome,
        name="record_outcome",
    ),
    path("<slug:organization>/<str:external_id>/hot", knowledge_graph.hotmem.console.page, name="hot"),
    path("<slug:organization>/<str:external_id>/graph", knowledge_graph.console.page, name="graph"),
    path("<slug:organization>/<str:external_id>/facts", facts.page, name="facts"),
    path("<slug:organization>/<str:external_id>/facts/nights", nights.page, name="nights"),
    path("<slug:organization>/<str:external_id>/facts/reviews", reviews.page, name="reviews"),
    path("<slug:organization>/<str:external_id>/facts/reviews/<uuid:review_id>", reviews.decide, name="decide_review"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>", fact.page, name="fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/correct", fact.correct, name="correct_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/confirm", fact.confirm, name="confirm_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/reject", fact.reject, name="reject_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/restore", fact.restore, name="restore_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/forget", fact.forget, name="forget_fact"),
    path("<slug:organization>/<str:external_id>/spaces", spaces.page, name="spaces"),
    path("<slug:organization>/<str:external_id>/spaces/make", spaces.make_space, name="make-space"),
    path("<slug:organization>/<str:external_id>/spaces/<slug:slug>/members", spaces.set_member, name="set-member"),
    path("<slug:organization>/<str:external_id>/spaces/<slug:slug>/remove", spaces.remove_member, name="remove-member"),
    path(
        "<slug:organization>/<str:external_id>/spaces/<slug:slug>/<uuid:item_id>/unshare",
        spaces.unshare,
        name="unshare",
    ),
    path("<slug:organization>/<str:external_id>/memories", memories.page, name="memories"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>", item.page, name="item"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/edit", item.edit, name="edit"),
    path(
        "<slug:organization>/<str:external_id>/memories/<uuid:item_id>/pin", bank_form.add_to_bank, name="add_to_bank"
    ),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/share", spaces.share, name="share"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/vouch", trust.vouch, name="vouch"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/undo/<int:event_id>", trust.undo, name="undo"),
    path(
        "<slug:organization>/<str:external_id>/memories/<uuid:item_id>/outcome",
        item_actions.record_item_outcome,
        name="record_item_outcome",
    ),
    path(
        "<slug:organization>/<str:external_id>/memories/<uuid:item_id>/index",
        item_actions.retry_indexing,
        name="retry_indexing",
    ),
    path(
        "<slug:organization>/<str:external_id>/memories/<uuid:item_id>/always",
        item_actions.set_always_inject,
        name="set_always_inject",
    ),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/archive", item.archive, name="archive"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/restore", item.restore, name="restore"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/delete", item.delete, name="delete"),
]
