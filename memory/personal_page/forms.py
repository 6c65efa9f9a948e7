"""What a person fills in on their own page."""

from django import forms
from django.utils.translation import pgettext

from memory.tiers import MAX_TEXT_CHARS
from memory.web.wordings import translate as _

PAGE = 30
MAX_PAGES = 10_000


class ListForm(forms.Form):
    """Words to look for, and which part of a long list."""

    q = forms.CharField(required=False, max_length=200, strip=True)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGES)

    @property
    def words(self) -> str:
        return str(self.cleaned_data.get("q") or "")

    @property
    def number(self) -> int:
        return int(self.cleaned_data.get("page") or 1)

    @property
    def start(self) -> int:
        return PAGE * (self.number - 1)


class TextForm(forms.Form):
    """A memory in other words. ``version`` is the one the person saw while writing."""

    text = forms.CharField(
        max_length=MAX_TEXT_CHARS, widget=forms.Textarea(attrs={"dir": "auto", "spellcheck": "true", "rows": 6})
    )
    version = forms.IntegerField(widget=forms.HiddenInput)


class ErasureForm(forms.Form):
    """The word that nobody types by mistake, in English or as the page has it: not every keyboard has its letters."""

    word = forms.CharField(max_length=20, strip=True)

    @property
    def asked(self) -> str:
        return pgettext("typed to confirm", "delete")

    def clean_word(self) -> str:
        word = str(self.cleaned_data["word"])
        if word.casefold() not in {"delete", self.asked.casefold()}:
            raise forms.ValidationError(_("Type the word {word}.").format(word=self.asked))
        return word
