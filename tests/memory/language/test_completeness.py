"""What a language lacks: each folder has every subject, with every section that the product reads, or says why not.

A language says in its `language.txt` that something is not for it, with the reason in the comment above:
    [lacks]
    technical_terms, periods: weekdays
"""

import pytest

from memory.language.loader import FOLDER, SHARED, Language, list_codes, load_languages, read_entries, read_sections

SECTIONS: dict[str, tuple[str, ...]] = {
    "language": ("name", "order", "generation", "script", "if", "before if"),
    "stopwords": ("grammar", "fillers"),
    "concepts": (),
    "technical_terms": (),
    "numbers": ("0", "1", "2", "3", "10", "20", "30", "90", "hundred", "thousand", "and"),
    "times": ("0", "15", "30", "-15", "marks", "after minutes", "after hours", "signs"),
    "periods": (
        *(f"month {number}" for number in range(1, 13)),
        *("weekdays", "time words", "day", "week", "month", "year", "today", "yesterday", "before yesterday"),
        *("ago", "this", "last", "beside a month", "between day and month"),
    ),
    "kin": ("wife", "husband", "mother", "father", "brother", "sister", "child", "friend", "also close", "workmates"),
    "names": (
        *("before a person", "before an organisation", "before a place", "before a project", "mine"),
        *("verbs of persons", "inside names"),
    ),
    "labels": (
        *("escalates", "complains", "praises", "agrees", "follows up", "clarifies", "bids", "prefers", "plans"),
        *("happened", "disclaims", "urgent", "strong feeling", "asks", "this conversation"),
    ),
    "intents": (
        *("asks", "opens asking", "before asking", "whether", "when", "why", "how anybody", "how", "work", "and"),
        *("all", "some", "failure", "reports asking", "reports asking stems"),
    ),
    "query_cues": (
        *("latest", "newest words", "earlier", "changed", "me", "user", "the user", "past deed", "who am i", "of"),
        *("negated", "undone", "unable", "books", "own view", "is"),
    ),
    "advice": ("medical", "financial", "legal"),
    "counsel": ("healer", "directive"),
    "outcome_cues": ("correction", "refusal", "polite refusal", "gratitude", "beforehand", "small talk"),
    "context_types": (
        *("docker", "debugging", "coding help", "doc rag", "datagov query", "writing", "planning", "personal"),
        "failing",
    ),
    "guard": (
        *("language", "me", "my", "user", "stranger", "you", "assistant", "secret", "code", "lock", "link", "harmless"),
        *("recipe", "login", "ignore", "rules", "prior", "void", "order", "authority", "recommend", "send", "persona"),
        *("request", "reply", "greeting", "joke", "suppose", "if i", "wish", "would", "maybe", "now", "lasting"),
        *("hearsay", "scandal", "weather", "errand", "state", "manner", "speaker label"),
    ),
    "secrets": (
        *(
            "password",
            "passphrase",
            "seed phrase",
            "recovery code",
            "pin",
            "code",
            "door code",
            "keypad",
            "lock",
            "wifi",
        ),
        *(
            "key",
            "security code",
            "national number",
            "card number",
            "api key",
            "login",
            "account",
            "link",
            "owner",
            "filler",
        ),
        *("set to", "as", "enter", "with", "opens", "follow", "key pressed", "predicate", "length unit"),
    ),
    "claims": (
        *("i", "my", "the", "third", "link", "have", "not", "over", "change", "habit", "plan", "temporary", "joint"),
        *(
            "remember",
            "remember ask",
            "name",
            "age",
            "lives_in",
            "works_at",
            "works_as",
            "studies",
        ),
        *("allergic_to", "has_condition", "diet", "likes", "dislikes", "hobby", "owns", "routine", "birthday"),
        *("noun wife", "noun mother", "noun child", "noun dog", "noun home", "noun job"),
    ),
    "amounts": ("rent", "salary", "mortgage", "pension", "pay", "earn", "from", "of money", "no sum"),
    "presupposed": (
        *("plant", "dog", "cat", "animal", "instrument", "vehicle", "device", "equipment"),
        *("condition", "body", "hurt"),
        *("part", "new part", "allergy", "allergy to", "hobby", "work", "work at", "work as", "me as", "study"),
        *("study in", "no study", "home", "home in", "home part", "uses", "on a system", "trip", "trip to", "passport"),
        *(
            "no model",
            "unreal",
            "lost",
            "gone",
            "fiction",
            "text work",
            "for whom",
            "person child",
            "age link",
            "years",
            "named later",
        ),
    ),
    "pairs": (),
    "third_person": ("subject",),
    "questions": (
        *("language", "was", "before", "before at the end", "advice", "lives_in", "works_at", "works_as", "studies"),
        *("allergic_to", "has_condition", "takes", "diet", "likes", "hobby", "owns", "married_to", "birthday", "name"),
    ),
    "answers": (
        *("label allergic_to", "label name", "label age", "label lives_in", "label works_at", "label works_as"),
        *("label takes", "label diet", "label birthday", "asks allergic_to", "asks lives_in", "asks works_as"),
        *("asks takes", "agrees", "denies", "and"),
    ),
    "topics": (
        *("food", "drink", "health", "exercise", "outing", "travel", "home", "animals", "seeing", "reading", "hearing"),
        *("beauty", "sharing", "schedule", "clothes", "gift", "cannot", "doing", "without", "kind allergy"),
        *("kind diet", "kind faith", "kind sober", "kind medication", "kind pregnancy", "kind breath", "kind heart"),
        *("kind mobility", "kind sight", "kind literacy", "kind hearing", "kind mind", "kind phobia", "kind child"),
        *("kind frail", "kind secret", "kind style", "kind money", "kind time", "ban", "no ban", "lack"),
    ),
    "slots": (
        "pointing",
        *("i", "with he", "he", "my", "article", "adverb", "stop", "joint", "ended", "denial", "weekday", "correction"),
        *(
            "condition",
            "ill word",
            "diet word",
            "instead",
            "lives_in",
            "works_at",
            "works_as",
            "boss",
            "age",
            "birthday",
        ),
        *(
            "married_to",
            "allergic_to",
            "takes",
            "diet",
            "likes",
            "dislikes",
            "owns",
            "phone_number",
            "time",
            "possessed",
        ),
        *("named", "has", "noun gym", "noun home"),
    ),
    "profile": (
        *("lead", "identity", "work", "technical", "creative", "interests", "preferences", "values"),
        *("manner style", "learning", "goals", "projects", "challenges", "mine", "trait", "near", "far", "there"),
        *("task", "text work", "someone says", "cut", "today", "sarcasm", "opinion"),
    ),
    "frames": (
        *("det", "my", "i", "he", "she", "they", "it", "not", "be 1", "be 3", "have 1", "have 3", "wh", "rel", "if"),
        *("hedge", "wish", "plan", "condition", "request", "reacts", "irony", "passing", "past", "correct", "called"),
        *("frame lives_in", "frame works_at", "frame works_as", "frame likes", "frame dislikes", "frame owns"),
        *(
            "parting",
            "courting",
            "compose",
            "someone",
            "frame has",
            "frame age",
            "frame born_in",
            "frame married_to",
            "noun wife",
            "noun mother",
            "favorite",
        ),
    ),
    "commands": (
        *("polite", "add goal", "list goals", "remove goal", "add value", "list values", "remove value", "remember"),
        *("save learning", "help", "recall", "web", "book", "image", "goal added", "value added", "already", "goals"),
        *("values", "no goals", "no values", "removed", "unknown", "several", "learned", "remembered", "refused"),
        "help text",
    ),
    "tools": (
        *("get_context_insights", "search_memory", "record_response", "add_to_memory_bank", "update_memory"),
        *("archive_memory", "memory_search"),
    ),
    "bullets": (
        *("said", "question words", "you noun", "other noun", "you favorite", "other favorite", "you lives_in"),
        *("other lives_in", "you works_at", "you likes", "you allergic_to", "you name", "asks age", "asks time"),
    ),
}
"""Of each subject the sections that every language has in some form."""
LEAST_CONCEPTS = 500


def has_section(language: str, subject: str, section: str) -> bool:
    """The section itself, or one for a role, a unit or a direction of it: "1: count", "last week", "ago before"."""
    # What a frame of verbs reads needs no template beside it.
    if subject == "slots" and read_entries(language, "frames", f"frame {section}"):
        return True
    return any(
        name == section or name.startswith((f"{section}:", f"{section} "))
        for name, lines in read_sections(language, subject).items()
        if lines
    )


def list_lacks(language: str) -> list[str]:
    declared = read_entries(language, "language", "lacks")
    lacking = []
    for subject, sections in SECTIONS.items():
        if not read_sections(language, subject):
            lacking.append(subject)
            continue
        lacking += [f"{subject}: {section}" for section in sections if not has_section(language, subject, section)]
    return [lack for lack in lacking if lack not in declared]


@pytest.mark.parametrize("language", list_codes())
def test_a_language_has_every_subject_or_says_why_not(language: str) -> None:
    lacks = list_lacks(language)
    assert not lacks, f"memory/language/{language} lacks {', '.join(lacks)}"


@pytest.mark.parametrize("language", list_codes())
def test_what_a_language_says_it_lacks_is_not_there(language: str) -> None:
    for lack in read_entries(language, "language", "lacks"):
        subject, _, section = lack.partition(": ")
        assert subject in SECTIONS, lack
        assert not (has_section(language, subject, section) if section else read_sections(language, subject)), lack


@pytest.mark.parametrize("language", list_codes())
def test_a_language_names_the_meanings_that_english_names(language: str) -> None:
    meanings = set(read_sections(language, "concepts"))
    assert len(meanings) >= LEAST_CONCEPTS
    assert not meanings - set(read_sections("en", "concepts")), "a meaning that English does not name"
    assert not set(read_sections(language, "technical_terms")) - set(read_sections("en", "technical_terms"))


def test_no_folder_holds_a_subject_that_nobody_reads() -> None:
    shared = {"given_names", "names", "numbers", "places", "technologies", "guard", "topics", "pairs", "secrets"} | {
        "counsel",
        "commands",
        "diets",
        "kinds",
        "presupposed",
    }
    for code in list_codes():
        assert {path.stem for path in (FOLDER / code).iterdir()} <= set(SECTIONS), code
    assert {path.stem for path in (FOLDER / SHARED).iterdir()} <= shared


@pytest.mark.parametrize("language", load_languages(), ids=lambda language: language.code)
def test_words_are_written_as_texts_are_read(language: Language) -> None:
    """Folded, where the text is folded before they are looked for: an accent would keep an entry from ever matching."""
    code = language.code
    folded = ("stopwords", "numbers", "times", "periods", "intents", "query_cues", "names")
    for subject in folded:
        for section in read_sections(code, subject):
            for entry in read_entries(code, subject, section):
                # A month may keep its accents where its plain letters are another word: "março".
                if section.startswith("month ") and f"{section}: in a question" in read_sections(code, subject):
                    continue
                assert not set(entry) & set("áàâäãéèêëíìîïóòôöõúùûüñç"), f"{code}/{subject}.txt [{section}] {entry}"
