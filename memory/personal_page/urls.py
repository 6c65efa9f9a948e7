"""Addresses of the person's own page. All stand under the path of its cookie."""

from django.urls import path

from memory.personal_page import facts, leaving, memories, session
from memory.web.interface_choices import choose_display

app_name = "personal"

urlpatterns = [
    path("me", facts.page, name="facts"),
    path("me/facts/<uuid:fact_id>/correct", facts.correct, name="correct_fact"),
    path("me/facts/<uuid:fact_id>/reject", facts.reject, name="reject_fact"),
    path("me/facts/<uuid:fact_id>/restore", facts.restore, name="restore_fact"),
    path("me/facts/<uuid:fact_id>/delete", facts.forget, name="forget_fact"),
    path("me/memories", memories.page, name="memories"),
    path("me/memories/<uuid:item_id>/edit", memories.edit, name="edit"),
    path("me/memories/<uuid:item_id>/archive", memories.archive, name="archive"),
    path("me/memories/<uuid:item_id>/restore", memories.restore, name="restore"),
    path("me/memories/<uuid:item_id>/delete", memories.delete, name="delete"),
    path("me/set-aside", memories.list_set_aside, name="forgotten"),
    path("me/everything", leaving.page, name="leaving"),
    path("me/everything/download", leaving.download, name="download"),
    path("me/everything/delete", leaving.erase, name="erase"),
    path("me/sign-out", session.sign_out, name="sign_out"),
    path("me/display", choose_display, {"home": "personal:facts"}, name="display"),
    # Last: whatever else stands there is a link, sound or not.
    path("me/<str:token>", session.enter, name="enter"),
]
