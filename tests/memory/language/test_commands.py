"""Orders to the memory in seven languages, and what only looks like one."""

import pytest

from memory.language.commands import find_hints, read_command, read_intent, split_parts, word_reply

ORDERS = [
    ("Add a goal: run a marathon in May", "add_goal", "run a marathon in May"),
    ("hey, could you please add goal Learn Welsh?", "add_goal", "Learn Welsh"),
    ("add learning the cello to my goals, please", "add_goal", "learning the cello"),
    ("remove the goal of running a marathon", "remove_goal", "running a marathon"),
    ("What are my goals?", "list_goals", ""),
    ("list my core values", "list_values", ""),
    ("remember that I'm allergic to nuts", "remember", "I'm allergic to nuts"),
    ("save this lesson: retry with a pause", "save_learning", "retry with a pause"),
    ("list values", "list_values", ""),
    ("what goals have I got?", "list_goals", ""),
    ("Can you remember that I hate cilantro?", "remember", "I hate cilantro"),
    ("/save_learning Retry with a pause", "save_learning", "Retry with a pause"),
    ("/goal Lose 3 kg", "add_goal", "Lose 3 kg"),
    ("/goals", "list_goals", ""),
    ("/og help", "help", ""),
    ("Füge das Ziel „Französisch lernen“ hinzu", "add_goal", "Französisch lernen"),
    ("füge bitte ein neues Ziel hinzu: jeden Tag 20 Minuten lesen", "add_goal", "jeden Tag 20 Minuten lesen"),
    ("Nimm Klavier üben in meine Ziele auf", "add_goal", "Klavier üben"),
    ("Was sind meine Ziele?", "list_goals", ""),
    ("Bitte setz „Marathon laufen“ auf meine Liste der Ziele", "add_goal", "Marathon laufen"),
    ("Denk dran, dass ich laktoseintolerant bin", "remember", "ich laktoseintolerant bin"),
    ("Kannst du dir bitte merken, dass ich montags nicht kann?", "remember", "ich montags nicht kann"),
    ("Lösche das Ziel Klavier üben", "remove_goal", "Klavier üben"),
    ("Merk dir, dass ich montags nicht kann", "remember", "ich montags nicht kann"),
    ("ajoute l'objectif d'apprendre le tchèque", "add_goal", "apprendre le tchèque"),
    ("Ajoute un objectif : courir 10 km", "add_goal", "courir 10 km"),
    ("nouvel objectif : apprendre le piano", "add_goal", "apprendre le piano"),
    ("Tu peux retenir que je suis végétarien ?", "remember", "je suis végétarien"),
    ("Quels sont mes objectifs ?", "list_goals", ""),
    ("n'oublie pas que je suis végétarien", "remember", "je suis végétarien"),
    ("Añade el objetivo de ahorrar 200 € al mes", "add_goal", "ahorrar 200 € al mes"),
    ("¿Puedes recordar que vivo en Quito?", "remember", "vivo en Quito"),
    ("Puoi ricordare che sono allergica?", "remember", "sono allergica"),
    ("Você pode lembrar que não como carne?", "remember", "não como carne"),
    ("תוכל לזכור שאני צמחוני?", "remember", "אני צמחוני"),
    ("¿Cuáles son mis valores?", "list_values", ""),
    ("quita aprender ruso de mis objetivos", "remove_goal", "aprender ruso"),
    ("Aggiungi l'obiettivo: dormire otto ore", "add_goal", "dormire otto ore"),
    ("aggiungi la pazienza ai miei valori", "add_value", "la pazienza"),
    ("mostrami i miei obiettivi", "list_goals", ""),
    ("Adiciona a meta de ler 12 livros", "add_goal", "ler 12 livros"),
    ("quais são as minhas metas?", "list_goals", ""),
    ("lembra-te que não como carne", "remember", "não como carne"),
    ("הוסף מטרה: ללמוד ספרדית", "add_goal", "ללמוד ספרדית"),
    ("תזכור שאני אלרגית לבוטנים", "remember", "אני אלרגית לבוטנים"),
    ("הצג את המטרות שלי", "list_goals", ""),
    # Behind "can you" the verb stands as an infinitive, in German at the end.
    ("Kannst du das Ziel Spanisch lernen hinzufügen?", "add_goal", "Spanisch lernen"),
    ("Kannst du mir meine Ziele zeigen?", "list_goals", ""),
    ("Kannst du das Ziel Klavier löschen?", "remove_goal", "Klavier"),
    ("Peux-tu me montrer mes objectifs ?", "list_goals", ""),
    ("Peux-tu supprimer l'objectif courir ?", "remove_goal", "courir"),
    ("Ajoute à mes objectifs apprendre l'espagnol", "add_goal", "apprendre l'espagnol"),
    ("Puoi elencare i miei obiettivi?", "list_goals", ""),
    ("Do I have any goals?", "list_goals", ""),
    ("new value: kindness", "add_value", "kindness"),
    ("ערך חדש: סבלנות", "add_value", "סבלנות"),
    ("Bitte merken: ich mag Tee", "remember", "ich mag Tee"),
    ("Anota que me mudé", "remember", "me mudé"),
    ("Anota que me mudei", "remember", "me mudei"),
    ("Kannst du Rad fahren aus meinen Zielen streichen?", "remove_goal", "Rad fahren"),
    ("Zeige bitte alle meine Ziele", "list_goals", ""),
    ("¿Puedes mostrarme mis metas?", "list_goals", ""),
    ("¿Podrías quitar leer de mis objetivos?", "remove_goal", "leer"),
    ("Pode remover o valor coragem?", "remove_value", "coragem"),
    ("Pode listar meus valores?", "list_values", ""),
    ("תוכל להראות לי את המטרות שלי?", "list_goals", ""),
    ("תוכל להציג את הערכים שלי?", "list_values", ""),
    ("remove value 2", "remove_value", "2"),
    ("add goal: in May, run a marathon", "add_goal", "in May, run a marathon"),
    ("add a goal to run 10 km", "add_goal", "run 10 km"),
]
NO_ORDERS = [
    "She said I should add a goal",
    "the goal of the game is to win",
    "add goals",
    "Remember that evening in Rome?",
    "Can you remember what I said about Rome?",
    "My goal was offside",
    "Ziel erreicht, danke",
    "Il a marqué un but hier",
    "El objetivo de la reunión no está claro",
    "I value honesty",
    "/deploy the goal page",
    # Of a table, a class or a business, and none of the person's.
    "remove the value from the dictionary",
    "add value to the customer",
    "Add a goal to the backlog",
    "add value 5 to x",
    "add values 3 and 4",
    "remove value 7 from list",
    "Füge einen Wert in die Tabelle hinzu",
    "Supprime la valeur de la table",
    "Añade un valor a la lista desplegable",
    "Elimina il valore dalla tabella",
    "Apaga o valor da tabela",
    "מחק את הערך מתוך הטבלה",
]


@pytest.mark.parametrize(("text", "action", "what"), ORDERS)
def test_an_order_is_read_with_what_it_is_about(text: str, action: str, what: str) -> None:
    command = read_command(text)
    assert command is not None
    assert (command.action.value, command.what) == (action, what)


@pytest.mark.parametrize("text", NO_ORDERS)
def test_what_only_speaks_of_goals_orders_nothing(text: str) -> None:
    assert read_command(text) is None


def test_a_message_of_several_parts_is_read_part_by_part() -> None:
    read = read_intent("1. add goal: read more\n2. What did we agree about the rent?\n3. thanks")
    assert [part.command.action.value if part.command else None for part in read] == ["add_goal", None, None]
    assert [[hint.tool for hint in part.hints] for part in read] == [[], ["search_memory"], []]
    assert split_parts("buy milk; add value: honesty") == ["buy milk", "add value: honesty"]
    # One number is no list, and a page of text is left whole.
    assert split_parts("3. floor, second door") == ["3. floor, second door"]
    assert len(split_parts("a; " * 400)) == 1


PARTS: list[tuple[str, list[str] | str]] = [
    ("1) add goal: read 2) list goals", ["add goal: read", "list goals"]),
    ("(1) add goal: read (2) list goals", ["add goal: read", "list goals"]),
    ("1- add goal: read\n2- list goals", ["add goal: read", "list goals"]),
    ("Open 9-\n5- closed", "Open 9-\n5- closed"),
    ("add goal: read\nlist goals", ["add goal: read", "list goals"]),
    ("Remember that I like tea. What are my goals?", ["Remember that I like tea.", "What are my goals?"]),
    ("Hi there. Add goal: read more.", ["Hi there.", "Add goal: read more."]),
    (
        "What did we say about Tom? Remember that he likes tea.",
        ["What did we say about Tom?", "Remember that he likes tea."],
    ),
    ("Remember that I moved. The new address is Elm 5.", "Remember that I moved. The new address is Elm 5."),
    ("Remember:\n1. the key is red\n2. the door is blue", "Remember:\n1. the key is red\n2. the door is blue"),
    ("It cost 2. 5 or 3.", "It cost 2. 5 or 3."),
]


@pytest.mark.parametrize(("text", "parts"), PARTS)
def test_an_order_is_found_beside_other_sentences(text: str, parts: list[str] | str) -> None:
    assert split_parts(text) == (parts if isinstance(parts, list) else [parts])


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("What's the weather in Rome?", ["web_search"]),
        ("The weather was nice yesterday", []),
        ("analyze this image: what's the weather like?", []),
        ("Find the quote about grief from the book", ["search_memory"]),
        ("Was haben wir über die Miete besprochen?", ["search_memory"]),
        ("מה סיכמנו על השכירות?", ["search_memory"]),
        ("te acuerdas del hotel?", ["search_memory"]),
        ("De quoi avons-nous parlé hier ?", ["search_memory"]),
        ("Di cosa abbiamo parlato ieri?", ["search_memory"]),
        ("Do que falámos ontem?", ["search_memory"]),
        ("What does the manual say about lamps?", ["search_memory"]),
        ("Was sagt das Handbuch über Lampen?", ["search_memory"]),
        ("Que dit le manuel sur les lampes ?", ["search_memory"]),
        ("¿Qué dice el manual sobre lámparas?", ["search_memory"]),
        ("Cosa dice il manuale sulle lampade?", ["search_memory"]),
        ("O que diz o manual sobre lâmpadas?", ["search_memory"]),
        ("מה כתוב במדריך על מנורות?", ["search_memory"]),
        ("Quanto è il prezzo dell'oro?", ["web_search"]),
    ],
)
def test_where_an_answer_may_stand_is_hinted_at(text: str, tools: list[str]) -> None:
    assert [hint.tool for hint in find_hints(text)] == tools


def test_every_answer_is_worded_in_the_language_of_the_order() -> None:
    assert word_reply("goal added", "de", "Klavier üben") == "Ziel gemerkt: Klavier üben"
    assert word_reply("no goals", "") == "No goals are kept yet."


JOINED = [
    ("forget my old address and remember that I now live in Graz", ["forget", "remember"]),
    ("Remember that I'm vegan and add the goal: run a marathon", ["remember", "add_goal"]),
    (
        "add the goal: read more, list my values and remember that I hate coffee",
        ["add_goal", "list_values", "remember"],
    ),
    ("remember that I live in Graz and forget my old address", ["remember", "forget"]),
    ("Vergiss meine alte Adresse und merk dir, dass ich jetzt in Graz wohne", ["forget", "remember"]),
    ("olvida mi antigua dirección y recuerda que ahora vivo en Graz", ["forget", "remember"]),
    ("oublie mon ancienne adresse et retiens que j'habite à Graz", ["forget", "remember"]),
    ("dimentica il mio vecchio indirizzo e ricorda che ora vivo a Graz", ["forget", "remember"]),
    ("esquece a minha morada antiga e lembra-te que agora moro em Graz", ["forget", "remember"]),
    ("תשכח את הכתובת הישנה שלי ותזכור שאני גר בגראץ", ["forget", "remember"]),
]
ONE_ORDER = [
    "add the goal: eat well and sleep eight hours",
    "add the goal: eat well and remember birthdays",
    "remember that Ann and Ben are twins",
    "Remember that I like tea, and that Ben likes coffee",
    "She asked me to forget it and remember that I am loved",
    "don't forget that salt and pepper are missing",
    "Merk dir, dass Anna und Ben Zwillinge sind",
    "recuerda que Ana y Eva son gemelas",
    "תזכור שדנה ויוסי גרים בחיפה",
]


@pytest.mark.parametrize(("text", "actions"), JOINED)
def test_orders_that_a_sentence_joins_are_carried_out_each(text: str, actions: list[str]) -> None:
    assert [part.command.action.value if part.command else "" for part in read_intent(text)] == actions


@pytest.mark.parametrize("text", ONE_ORDER)
def test_what_an_order_is_about_is_not_cut_at_its_joint(text: str) -> None:
    assert split_parts(text) == [text]
