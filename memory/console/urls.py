"""Addresses of the console. Fixed pages have one segment, pages about a person at least two: they cannot collide."""

from django.urls import path

import knowledge_graph.console
import knowledge_graph.hotmem.console
import memory.records.console
import outcomes.console
import personality.console
from memory.console import (
    books,
    connect,
    context_preview,
    fact,
    facts,
    find,
    glossary,
    health,
    item,
    item_actions,
    memories,
    nights,
    operations,
    overview,
    people,
    prompts,
    record,
    search,
    session,
    spaces,
    trust,
    vocabulary,
    webhooks,
)
from memory.console.bank import changes as bank_changes
from memory.console.bank import page as bank
from memory.console.bank import pinning
from memory.console.history import page as history
from memory.console.inbox import matters, pairs, suspects
from memory.console.measuring import everybody
from memory.console.measuring import page as measuring
from memory.console.measuring.comparing import compare
from memory.console.replay import page as replay
from memory.console.settings import changes, configuration, data, hub, key, keys, mcp_diagnostics, members, model_calls
from memory.console.transfer import job as transfer_job
from memory.console.transfer import links
from memory.console.transfer import page as transfer
from memory.web.interface_choices import choose_display

app_name = "console"

urlpatterns = [
    path("", people.home, name="home"),
    path("login", session.SignIn.as_view(), name="login"),
    path("logout", session.SignOut.as_view(), name="logout"),
    path("password", session.ChangePassword.as_view(), name="password"),
    path("theme", session.choose_theme, name="theme"),
    path("display", choose_display, {"home": "console:home"}, name="display"),
    path("people", people.page, name="people"),
    path("find", find.page, name="find"),
    path("glossary", glossary.page, name="glossary"),
    path("settings", hub.page, name="settings"),
    path("changes", changes.page, name="changes"),
    path("keys", keys.page, name="keys"),
    path("key-<int:key_id>", key.page, name="key"),
    path("members", members.page, name="members"),
    path("configuration", configuration.page, name="configuration"),
    path("model-calls", model_calls.page, name="model_calls"),
    path("mcp", mcp_diagnostics.page, name="mcp"),
    path("data", data.page, name="data"),
    path("<slug:organization>/<str:external_id>/erase", data.erase, name="erase"),
    path("operations", operations.page, name="operations"),
    path("webhooks", webhooks.page, name="webhooks"),
    path("webhook-<uuid:endpoint_id>", webhooks.detail, name="webhook"),
    path("vocabulary", vocabulary.page, name="vocabulary"),
    path("prompts", prompts.page, name="prompts"),
    path("prompt-<slug:name>", prompts.detail, name="prompt"),
    path("health", health.page, name="system_health"),
    path("<slug:organization>/<str:external_id>", overview.page, name="overview"),
    path("<slug:organization>/<str:external_id>/find", find.page_of_person, name="find"),
    path("<slug:organization>/<str:external_id>/indexing", overview.indexing_panel, name="indexing"),
    path("<slug:organization>/<str:external_id>/health", overview.health_panel, name="health"),
    path("<slug:organization>/<str:external_id>/transfer", transfer.page, name="transfer"),
    path("<slug:organization>/<str:external_id>/links", links.page, name="links"),
    path("<slug:organization>/<str:external_id>/links/<uuid:link_id>/revoke", links.revoke, name="revoke_link"),
    path("<slug:organization>/<str:external_id>/transfer/export", transfer.export, name="export"),
    path("<slug:organization>/<str:external_id>/transfer/import", transfer.add_file, name="import"),
    path("<slug:organization>/<str:external_id>/transfer/<uuid:job_id>", transfer_job.page, name="transfer_job"),
    path(
        "<slug:organization>/<str:external_id>/transfer/<uuid:job_id>/change",
        transfer_job.change,
        name="change_transfer",
    ),
    path("<slug:organization>/<str:external_id>/connect", connect.page, name="connect"),
    path("<slug:organization>/<str:external_id>/connect/<int:key_id>", connect.first_call, name="first_call"),
    path("<slug:organization>/<str:external_id>/connect/<int:key_id>/revoke", connect.revoke, name="revoke_key"),
    path("<slug:organization>/<str:external_id>/search", search.page, name="search"),
    path("<slug:organization>/<str:external_id>/context", context_preview.page, name="context"),
    path("<slug:organization>/<str:external_id>/replay", replay.page, name="replay"),
    path("<slug:organization>/<str:external_id>/replay/save", replay.save, name="save_replay"),
    path("<slug:organization>/<str:external_id>/recall", memory.records.console.page, name="recall"),
    path("<slug:organization>/<str:external_id>/recall/retry", memory.records.console.retry, name="retry_recall"),
    path("<slug:organization>/<str:external_id>/conversations", outcomes.console.page, name="conversations"),
    path("<slug:organization>/<str:external_id>/conversations/title", outcomes.console.rename, name="rename_thread"),
    path(
        "<slug:organization>/<str:external_id>/conversations/<uuid:exchange_id>/outcome",
        outcomes.console.record_outcome,
        name="record_outcome",
    ),
    path("<slug:organization>/<str:external_id>/books", books.page, name="books"),
    path("<slug:organization>/<str:external_id>/books/upload", books.upload, name="upload_book"),
    path("<slug:organization>/<str:external_id>/books/jobs/<uuid:job_id>/cancel", books.cancel, name="cancel_book"),
    path("<slug:organization>/<str:external_id>/books/jobs/<uuid:job_id>/retry", books.retry, name="retry_book"),
    path("<slug:organization>/<str:external_id>/books/<uuid:book_id>", books.read, name="book"),
    path("<slug:organization>/<str:external_id>/books/<uuid:book_id>/remove", books.remove, name="remove_book"),
    path("<slug:organization>/<str:external_id>/books/<uuid:book_id>/publish", books.publish, name="publish_book"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/book", books.find_passage, name="book_passage"),
    path("<slug:organization>/<str:external_id>/hot", knowledge_graph.hotmem.console.page, name="hot"),
    path("<slug:organization>/<str:external_id>/graph", knowledge_graph.console.page, name="graph"),
    path("<slug:organization>/<str:external_id>/graph/names", knowledge_graph.console.decide, name="decide_names"),
    path("<slug:organization>/<str:external_id>/record", record.page, name="record"),
    path("<slug:organization>/<str:external_id>/timeline", history.page, name="timeline"),
    path("<slug:organization>/<str:external_id>/personality", personality.console.page, name="personality"),
    path("<slug:organization>/<str:external_id>/personality/sync", personality.console.sync, name="sync_personality"),
    path("<slug:organization>/<str:external_id>/personality/save", personality.console.save, name="save_personality"),
    path("<slug:organization>/<str:external_id>/personality/use", personality.console.use, name="use_personality"),
    path(
        "<slug:organization>/<str:external_id>/personality/delete",
        personality.console.delete,
        name="delete_personality",
    ),
    path(
        "<slug:organization>/<str:external_id>/personality/upload",
        personality.console.upload,
        name="upload_personality",
    ),
    path(
        "<slug:organization>/<str:external_id>/personality/<str:template_id>.yaml",
        personality.console.download,
        name="download_personality",
    ),
    path("<slug:organization>/<str:external_id>/facts", facts.page, name="facts"),
    path("<slug:organization>/<str:external_id>/facts/nights", nights.page, name="nights"),
    path("<slug:organization>/<str:external_id>/inbox", matters.page, name="inbox"),
    path(
        "<slug:organization>/<str:external_id>/inbox/duplicates/look",
        matters.look_for_duplicates,
        name="look_for_duplicates",
    ),
    path("<slug:organization>/<str:external_id>/inbox/<str:kind>", matters.page, name="inbox"),
    path("<slug:organization>/<str:external_id>/inbox/<str:kind>/all", matters.decide_kind, name="decide_kind"),
    path(
        "<slug:organization>/<str:external_id>/inbox/<str:kind>/<str:matter_id>", matters.decide, name="decide_matter"
    ),
    path("<slug:organization>/<str:external_id>/decisions/<uuid:decided_id>/undo", matters.undo, name="undo_decision"),
    path("<slug:organization>/<str:external_id>/facts/reviews", pairs.page, name="reviews"),
    path("<slug:organization>/<str:external_id>/facts/reviews/suspected", suspects.page, name="suspects"),
    path("<slug:organization>/<str:external_id>/facts/reviews/<uuid:review_id>", pairs.decide, name="decide_review"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>", fact.page, name="fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/correct", fact.correct, name="correct_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/end", fact.end, name="end_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/confirm", fact.confirm, name="confirm_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/reject", fact.reject, name="reject_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/reading", fact.drop_reading, name="drop_reading"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/restore", fact.restore, name="restore_fact"),
    path("<slug:organization>/<str:external_id>/facts/<uuid:fact_id>/undo", fact.undo_change, name="undo_fact"),
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
    path("<slug:organization>/<str:external_id>/measure", measuring.page, name="measure"),
    path("<slug:organization>/<str:external_id>/measure/start", measuring.start, name="start_measure"),
    path("<slug:organization>/<str:external_id>/measure/questions", measuring.save_case, name="save_case"),
    path("<slug:organization>/<str:external_id>/measure/questions.jsonl", measuring.download, name="measure_download"),
    path(
        "<slug:organization>/<str:external_id>/measure/questions/<uuid:case_id>/delete",
        measuring.delete_case,
        name="delete_case",
    ),
    path(
        "<slug:organization>/<str:external_id>/measure/everybody/<uuid:batch_id>",
        everybody.page,
        name="measure_everybody",
    ),
    path(
        "<slug:organization>/<str:external_id>/measure/everybody/questions.jsonl",
        everybody.download,
        name="measure_everybody_download",
    ),
    path("<slug:organization>/<str:external_id>/measure/<uuid:run_id>", measuring.run, name="measure_run"),
    path("<slug:organization>/<str:external_id>/measure/<uuid:run_id>/<int:number>", compare, name="measure_compare"),
    path("<slug:organization>/<str:external_id>/bank", bank.page, name="bank"),
    path("<slug:organization>/<str:external_id>/bank/add", bank.add, name="bank_add"),
    path("<slug:organization>/<str:external_id>/bank/judge", bank.judge, name="bank_judge"),
    path("<slug:organization>/<str:external_id>/bank/change", bank_changes.change, name="bank_change"),
    path("<slug:organization>/<str:external_id>/bank/undo", bank_changes.undo, name="bank_undo"),
    path("<slug:organization>/<str:external_id>/memories", memories.page, name="memories"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>", item.page, name="item"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/edit", item.edit, name="edit"),
    path("<slug:organization>/<str:external_id>/memories/<uuid:item_id>/pin", pinning.add_to_bank, name="add_to_bank"),
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
