"""Word patterns for the intent of questions and memories, in English, Spanish, French, German, Italian and Hebrew.

Patterns are matched against `plain` text: case and accents folded, marks of Hebrew off.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from memory.language.calendar import MONTHS
from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew

WORD: Final = re.compile(r"[^\W_]+")
_TODAY: Final = "aujourd'hui"
"""The one word of time that is two to `WORD`."""


@lru_cache(maxsize=16_384)
def fold_text(text: str) -> str:
    """The text as the patterns expect it."""
    folded = normalise_text(text).casefold()
    return folded if folded.isascii() else " ".join(strip_accents(word) for word in folded.split(" "))


@lru_cache(maxsize=16_384)
def find_capitals(text: str) -> frozenset[str]:
    """The words of a text that begin with a capital, folded; every word of a script that has none."""
    capitals = [word for word in WORD.findall(text) if not word[0].islower()]
    return frozenset(word.casefold() if word.isascii() else fold_text(word) for word in capitals)


def compile_phrases(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these phrases as whole words; phrases are given in lines, parted by commas."""
    found = [phrase.strip() for line in phrases for phrase in line.split(",") if phrase.strip()]
    return re.compile(rf"\b[בלמה]?(?:{'|'.join(sorted(found, key=len, reverse=True))})\b")


ASKS_WHEN: Final = re.compile(
    r"^\W*(?:(?:since|until|from|for) )?(?:when|how long|how often|what (?:date|day|month|year|time)|"
    r"which (?:date|day|month|year)|in (?:what|which) (?:month|year)|"
    r"cuando|hace cuanto|desde cuando|quand|depuis quand|combien de temps|wann|seit wann|wie lange|quando|da quando|"
    r"quanto tempo|מתי|ממתי|כמה זמן|באיזה יום|באיזו שנה)\b"
)

TIME_WORDS: Final = compile_phrases(
    "yesterday,today,tonight,tomorrow,last,next,ago,weeks?,weekends?,months?,years?,morning,since,recently,days?",
    "mondays?,tuesdays?,wednesdays?,thursdays?,fridays?,saturdays?,sundays?",
    "lunes,martes,miercoles,jueves,viernes,sabados?,domingos?,lundis?,mardis?,mercredis?,jeudis?,vendredis?,samedis?",
    "dimanches?,montags?,dienstags?,mittwochs?,donnerstags?,freitags?,samstags?,sonntags?,lunedi,martedi,mercoledi",
    "giovedi,venerdi,sabato,domenica,יום (?:ראשון|שני|שלישי|רביעי|חמישי|שישי|שבת),מוצאי שבת,בשבת",
    "ayer,hoy,manana,semanas?,mes,meses,anos?,hace,pasad[oa],proxim[oa]",
    "hier,aujourd'hui,demain,semaines?,mois,ans?,annees?,dernier,derniere,prochaine?",
    "gestern,heute,morgen,wochen?,monate?n?,jahre?n?,letzte[nrsm]?,nachste[nrsm]?",
    "ieri,oggi,domani,settiman[ae],mes[ei],ann[oi],scors[oa],prossim[oa]",
    "אתמול,היום,מחר,שבוע,שבועות,חודש,חודשים,שנה,שנים,שעבר,שעברה,הבא,הבאה,לפני",
    ",".join(name for name in MONTHS if len(name) > 3),
)


@lru_cache(maxsize=16_384)
def mentions_time(bare: str) -> bool:
    """Whether a plain text holds a word of time. Read for every candidate of a question that asks when.

    Word by word, because words come back in text after text and the long pattern is then asked once for each.
    """
    if not bare.isascii() or _TODAY in bare:
        return TIME_WORDS.search(bare) is not None
    return any(map(is_time_word, WORD.findall(bare)))


@lru_cache(maxsize=65_536)
def is_time_word(word: str) -> bool:
    return TIME_WORDS.fullmatch(word) is not None


ASKS_NAME: Final = re.compile(
    r"^\W*(?:(?:in|at|from|to|of|with|on|for) )?(?:where|who|whom|whose|which|what .*\bname)\b"
)
ASKS_WHY: Final = re.compile(
    r"^\W*(?:(?:and|so|but) )?(?:why|how come|what (?:made|makes|caused|causes)|what (?:is|was) (?:the reason|wrong)|"
    r"por que|a que se debe|que (?:ha hecho|hizo) que|pourquoi|comment se fait-il|qu'est-ce qui a|"
    r"warum|wieso|weshalb|woher kommt es|perche|come mai|למה|מדוע|מה גרם|איך זה ש)\b"
)

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
# "May" and "mars" and their like are ordinary words more often than months, unless something of a date is beside them.
_UNSURE_MONTHS: Final = frozenset({"may", "mar", "mars", "march", "dec", "sept", "ago", "set", "jan", "sep", "out"})
_BESIDE_MONTH: Final = r"(?:\d{1,4}(?:st|nd|rd|th)?(?: of)?|in|on|since|until|of|during|last|next|this|en|im|le|el|al)"
_HEBREW_MONTH: Final = re.compile(rf"\b(?:ו?[בלמשכה]|ו?ש[בלמ])?({'|'.join(filter(is_hebrew, MONTHS))}|מרס)\b")


def find_months(bare: str) -> frozenset[int]:
    """The months a plain question names; Hebrew writes "in" and "since" onto them."""
    found = {3 if name == "מרס" else int(MONTHS[name].removeprefix("month:")) for name in _HEBREW_MONTH.findall(bare)}
    for word in set(WORD.findall(bare)) & MONTHS.keys():
        if word in _UNSURE_MONTHS and not re.search(rf"\b{_BESIDE_MONTH} {word}\b|\b{word},? \d", bare):
            continue
        found.add(int(MONTHS[word].removeprefix("month:")))
    return frozenset(found)


def find_years(bare: str) -> frozenset[int]:
    return frozenset(int(year) for year in _YEAR.findall(bare))


# --- when it is asked about ---------------------------------------------------------------------------------------
_OCCASIONS_EN: Final = (
    "time|visit|meeting|session|call|appointment|conversation|talk|chat|week|month|night|evening|weekend|year|trip|"
    "lesson|class|check-?up|report|update|delivery|order|test|exam|match|game|rehearsal"
)
LATEST: Final = re.compile(
    rf"\b(?:(?:the |my |our |her |his |their )?last (?:\w+ ){{0,2}}(?:{_OCCASIONS_EN})|"
    r"latest|most recent(?:ly)?|newest|lately|recently|just now|as of now|"
    r"la vez pasada|la volta scorsa|di recente|"
    r"(?:la |el )?ultim[oa]s? (?:vez|reunion|visita|cita|sesion|llamada|conversacion|clase|semana|mes|revision|"
    r"entrega|noticia|novedad)|ultimamente|mas recientes?|recientemente|"
    r"(?:la |le )?dernier(?:e)? (?:fois|reunion|visite|seance|rendez-vous|appel|conversation|cours|semaine|mois|"
    r"controle|livraison|nouvelle)|dernierement|recemment|plus recente?s?|"
    r"letzte[nrsm]? \w*?(?:mal|treffen|besuch|sitzung|termin|gesprach|anruf|stunde|woche|monat|kontrolle|lieferung|"
    r"besprechung|probe)|zuletzt|neulich|kurzlich|neueste[nrsm]?|jungste[nrsm]?|"
    r"(?:l')?ultim[oa] (?:volta|riunione|visita|appuntamento|seduta|chiamata|conversazione|lezione|settimana|mese|"
    r"controllo|consegna)|ultimamente|piu recent[ei]|recentemente)\b|"
    r"(?:פעמ|פעם|פגישה|שיחה|ביקור|תור|שיעור|שבוע|חודש|בדיקה|ישיבה|הזמנה|משלוח|חזרה|אסיפה) ה?אחרונ|"
    r"לאחרונה|עדכני|הכי חדש"
)
NEWEST_WORDS: Final = re.compile(
    r"\b(?:(?:the |at |in )?last time|lately|recently|just now|as of now|(?:most recent|latest|newest|last)(?= )|"
    r"la vez pasada|la volta scorsa|di recente|"
    r"(?:la )?ultima vez|ultimamente|recientemente|mas recientes?|(?<=\bla )ultima|(?<=\bel )ultimo|"
    r"(?:la )?derniere fois|dernierement|recemment|dernier|derniere|"
    r"(?:das |beim )?letzte[ns]? mal|zuletzt|neulich|kurzlich|letzte[nrsm]?|"
    r"l'ultima volta|ultimamente|recentemente|(?<=\bl')ultim[oa]|ultim[oa])\b|"
    r"(?<!\S)[בה]{0,2}פעם ה?אחרונה|(?<!\S)ב?ה?אחרונה?(?!\S)|לאחרונה"
)
EARLIER: Final = re.compile(
    r"\b(?:before|used to|previous(?:ly)?|former(?:ly)?|originally|in the past|at first|back then|old|earlier|once|"
    r"antes|anterior(?:es|mente)?|solia|antigu[oa]s?|al principio|"
    r"avant|auparavant|precedent[es]*|ancien(?:ne)?s?|autrefois|jadis|au debut|"
    r"vor dem|vor der|vorher|fruher[enrs]*|ehemalig\w*|damals|bisher\w*|zuvor|"
    r"prima|precedent[ei]|vecchi[oae]|una volta|in passato|all'inizio)\b|"
    r"(?:^|\s)ו?(?:לפני|קודם|בעבר|הקודמ\w*|הישנ\w*|פעם היית?י?)(?:\s|$)"
)
CHANGED: Final = re.compile(
    r"\b(?:now|nowadays|no longer|not any ?more|anymore|switched|changed|moved|replaced|instead|from now on|"
    r"these days|currently|as of|has become|went over|updated|corrected|gave up|stopped|quit|swapped|"
    r"(?:is|was|been) new|"
    r"new (?:one|address|number|job|sim|phone|car|flat|boss|time|price|code|rate|name)|"
    r"went (?:up|down)|gone (?:up|over)|"
    r"raised|lowered|increased|reduced|cut to|renamed|turned into|started (?:at|as|to)|has started|joined|"
    r"left for|signed|promoted|transferred|took over|upgraded|converted|by now|"
    r"ahora|ya no|desde|cambi[oa]\w*|(?:ha|han|lo|la) (?:ha |han )?pasado a|se mudo|mudado|actualmente|"
    r"dejo de|dejado|sustitu\w+|"
    r"nuev[oa]|ha subido|subio|ha bajado|bajo a|traslad\w+|reemplaz\w+|empez\w+|ultimamente|"
    r"maintenant|desormais|ne \w+ plus|n'\w+ plus|depuis|(?:a|ont|est|sont|avons|ai) change\w*|"
    r"(?:est|a) passee?|actuellement|demenage\w*|"
    r"remplace\w*|nouve(?:au|lle)|changee?s?|augmente\w*|baissee?|monte a|descendu|commence\w*|dorenavant|a quitte|"
    r"jetzt|nun|nicht mehr|seit|gewechselt|umgestiegen|umgezogen|mittlerweile|inzwischen|derzeit|"
    r"stattdessen|ersetzt|neue[nrsm]?|geandert|erhoht|gesenkt|gestiegen|gesunken|erst ab|neuerdings|ubernommen|"
    r"begonnen|angefangen|aufgehort|umbenannt|"
    r"adesso|ora|non \w+ piu|da quando|cambiat[oa]|passat[oa] a|attualmente|trasferit[oa]|ormai|invece|"
    r"nuov[oa]|salit[oa]|sces[oa]|aumentat[oa]|ridott[oa]|sostituit[oa]|iniziato|cominciato|da poco)\b|"
    r"(?:^|\s)ו?(?:עכשיו|כעת|כיום|כבר לא|מאז|עבר\w*|החליפ?\w*|השתנ\w*|במקום|מעתה|התחיל\w*|הועלה|עלה ל\w*|ירד ל\w*|"
    r"עודכנ?\w*|שונה|חדש|חדשה|לאחרונה)(?:\s|$|[,.])"
)

# --- how much is asked for ---------------------------------------------------------------------------------------
_ASKING: Final = (
    "who|what|when|where|which|why|how|quien|que|cuando|donde|cual|por que|como|qui|quand|ou|quel|quelle|pourquoi|"
    "comment|wer|was|wann|wo|welche[rsn]?|warum|wie|chi|cosa|quando|dove|quale|perche|come|מי|מה|מתי|איפה|איך|למה"
)
_ACCENTED: Final = str.maketrans({"a": "[aá]", "e": "[eéè]", "o": "[oó]", "u": "[uúù]"})
_ASKING_AS_WRITTEN: Final = _ASKING.replace("[rsn]", "\\w").translate(_ACCENTED)
"""For texts whose accents are not folded, because they are cut there."""
BETWEEN_QUESTIONS: Final = re.compile(
    rf"(?<=[?])\s+(?=\S)|(?:[,;]?\s+(?:and|y|et|und|e)|;)\s+¿?(?=(?:{_ASKING_AS_WRITTEN})\b)|"
    rf"\s+ו(?=(?:{_ASKING})\b)",
    re.IGNORECASE,
)
WANTS_ALL: Final = re.compile(
    r"\b(?:all|every(?:thing|one)?|list|overview|summar\w+|everything about|"
    r"tod[oa]s?|lista|resum\w+|tous|toutes|tout ce|liste|alle[ns]?|uberblick|zusammenfass\w+|"
    r"tutt[oiae]|elenc\w+|riassum\w+)\b|\bכל (?:ה|מה)|\bרשימ|\bסכמ"
)
WANTS_SOME: Final = re.compile(
    r"\b(?:which \w+s|what (?:kinds?|types?|sorts?|are|were|things|activities|hobbies)|how many|how often|several|"
    r"various|"
    r"compare|difference|both|cuant[oa]s|cuales|combien|quels|quelles|wie viele|welche|quant[iae]|quali)\b|"
    r"\b(?:כמה|אילו)\b"
)

OPENS_ASKING: Final = re.compile(
    rf"^\W*(?:(?:of|from|with|for|in|on|a|de|en|con|para|da|di|per|von|mit|fur|zu|aus) )?(?:{_ASKING}|whose|whom|"
    r"wessen|wem|wen|worum|wovor|worauf|wofur|woher|wohin|welches|quelles|quels|cuales|cuanto|cuanta|quanto|quanta|"
    r"combien|a quoi|de quoi|quali|che|wieso|weshalb|"
    r"איזה|איזו|אילו|כמה|היכן|לאן|מאיפה|במה|על מה|ממה|באיזה|באיזו|מדוע)\b|^\W*(?:מה|מי|איפה|היכן|איך) ש"
)


@lru_cache(maxsize=16_384)
def is_heading(bare: str) -> bool:
    """Whether a plain text begins as questions do without being one."""
    return OPENS_ASKING.search(bare) is not None and not bare.rstrip().endswith("?")


# --- whom it is asked about ---------------------------------------------------------------------------------------
ABOUT_ME: Final = re.compile(
    r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|the user|user(?:'s)?|we|our|us|"
    r"yo|mi|mis|me|conmigo|el usuario|la usuaria|usuari[oa]|nuestr[oa]s?|"
    r"je|j'\w+|moi|mon|ma|mes|l'utilisateur|l'utilisatrice|utilisat(?:eur|rice)|notre|nos|nous|"
    r"ich|mir|mich|mein(?:e[nmrs]?)?|der nutzer|die nutzerin|nutzer(?:s|in)?|benutzer(?:s|in)?|unser\w*|wir|"
    r"io|mio|mia|miei|mie|l'utente|dell'utente|utente|nostr[oaie]|noi)\b|"
    r"(?:^|\s)(?:אני|שלי|לי|אותי|ממני|אצלי|ה?משתמש(?:ת)?|ל?משתמש(?:ת)?|שלנו|אנחנו|לנו)(?:\s|[?.!,]|$)"
)
_USER_WORDS: Final = (
    "user users nutzer nutzerin nutzers benutzer utilisateur utilisatrice usuario usuaria utente dell "
    "משתמש משתמשת המשתמש המשתמשת למשתמש למשתמשת"
)
USER_WORDS: Final = frozenset(_USER_WORDS.split())
THE_USER: Final = re.compile(
    r"\b(?:the )?user(?!'s)\b|\b(?:el |la )?usuari[oa]\b|\butilisat(?:eur|rice)\b|\b(?:be)?nutzer(?:in)?\b|\butente\b|"
    r"(?:^|\s)[להש]?(?:ל)?משתמשת?(?:\s|$|[,.:])"
)
SAYS_I: Final = re.compile(
    r"\b(?:soy|estoy|tengo|voy|puedo|debo|quiero|vivo|suelo|aprendo|sono nat[oa]|sono allergic[oa]|sto|devo|posso|"
    r"voglio|"
    r"ho (?:comprato|detto|deciso|fatto|ordinato|imparato)|he (?:comprado|dicho|decidido|hecho|pedido|aprendido))\b|"
    r"\b(?:que|donde|cuando|a que hora|che|cosa|dove|quando|a che ora|quale)(?: \w+)? (?:trabajo|colecciono|estudio|"
    r"juego|toco|hago|lavoro|suono|studio|gioco|abito|colleziono|imparo|faccio|mangio|bevo)\W*$"
)
HOW_TO: Final = re.compile(
    r"^\W*(?:how (?:do|did|can|could|should|would|to|come)|what helps|what makes|como|comment|"
    r"wie (?!alt|viel|lange|oft|gross|heiss|schwer|hoch)|come|איך|כיצד)\b"
)
PAST_DEED: Final = re.compile(
    r"\b(?:did|has|have|had|was|were|hat|haben|hatte|hatten|wurde|ha|han|hanno|a|ont|avait|avaient)\b|"
    r"\b\w{2,}(?:aron|ieron)\b|\b(?:presto|dijo|dio|vendio|compro|regalo|pidio|conto|decidio)\b|"
    r"^(?:מה|מי|למי|ממי) \w+ [א-ת]+ ל[א-ת]+"
)
QUALIFIED_NAME: Final = re.compile(
    r"\b[A-ZÀ-Þ]\w+,? (?:(?:la|el|l[ae]|der|die) )?(?:from|of|at|in|du|de|del|della|dello|dal|dalla|vom|von|aus|im) "
    r"(?:the |la |le |el |der |dem )?\w|[א-ת]{2,} מה[א-ת]{3,}"
)
WHO_AM_I: Final = re.compile(
    r"\b(?:who (?:i am|am i)|about me|know me|remember me|my (?:full |first |last )?name|my (?:job|profession|"
    r"occupation|"
    r"work|birthday|age|nationality|address|home|hometown|family name|mother tongue|native language)|am i called|"
    r"where (?:do|did) i (?:live|grow up|come from|work)|where i (?:live|work|grew up)|where am i from|how old am i|"
    r"what do i do for a living|"
    r"quien soy|como me llamo|mi (?:nombre|trabajo|profesion|oficio|cumpleanos|edad|direccion)|donde (?:vivo|trabajo|"
    r"creci|naci)|"
    r"qui (?:suis-je|je suis)|comment je m'appelle|mon (?:nom|metier|travail|age|adresse|anniversaire|prenom)|"
    r"ma profession|"
    r"ou (?:est-ce que )?(?:j'habite|je vis|je travaille|j'ai grandi)|"
    r"wer (?:bin ich|ich bin)|wie heisse ich|mein (?:name|beruf|job|alter|geburtstag)|meine adresse|wo (?:wohne|"
    r"arbeite|lebe) ich|"
    r"wo bin ich (?:aufgewachsen|geboren)|"
    r"chi sono|come mi chiamo|il mio (?:nome|lavoro|mestiere|compleanno|indirizzo)|la mia (?:professione|eta)|"
    r"dove (?:vivo|abito|lavoro|sono (?:nato|nata|cresciuto|cresciuta)))\b|"
    r"מי אני|איך קוראים לי|מה (?:ה)?שם שלי|השם שלי|המקצוע שלי|העבודה שלי|איפה אני (?:גר|גרה|עובד|עובדת)|"
    r"איפה (?:גדלתי|נולדתי)|במה אני (?:עובד|עובדת|עוסק|עוסקת)|בן כמה אני|בת כמה אני"
)


def _relations() -> dict[str, int]:
    lines = (Path(__file__).parent / "data" / "relations.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in "" if line.startswith("#") else line.replace("|", " ").split():
            found.setdefault(fold_text(name), number)
    return found


RELATIONS: Final = _relations()
_RELATION_NAMES: Final = frozenset(RELATIONS)
_HYPHENED: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HEBREW_PREFIX: Final = re.compile(r"^[ושהבלמכ]{1,2}(?=[א-ת]{2,}$)")


@lru_cache(maxsize=16_384)
def find_relations(bare: str) -> frozenset[int]:
    """The kinds of people a plain text speaks of by what they are to somebody: wife, neighbour, colleague."""
    words = set((_HYPHENED if "-" in bare else WORD).findall(bare))
    if not bare.isascii():
        words |= {_HEBREW_PREFIX.sub("", word) for word in words}
    return frozenset([RELATIONS[word] for word in words & _RELATION_NAMES])


# --- how it is said -----------------------------------------------------------------------------------------------
NEGATED: Final = re.compile(
    r"\b(?:not|n't|\w+n't|no|never|none|nothing|neither|nor|cannot|without|"
    r"no|nunca|ningun[oa]?|nada|tampoco|sin|"
    r"ni|ne|n'\w+|pas|jamais|aucun|aucune|rien|sans|"
    r"nicht|kein(?:e[nmrs]?)?|nie|niemals|nichts|ohne|"
    r"non|mai|nessun[oa]?|niente|senza)\b|"
    r"(?:^|\s)ו?(?:לא|אין|אינו|אינה|אסור|בלי|אף|אל|מעולם|לעולם)(?:\s|$)"
)
UNDONE: Final = re.compile(
    r"\b(?:still (?:missing|open|unpaid|to (?:be |do)|un\w+|left|outstanding|owed|wait\w+)|yet to|left to (?:do|be)|"
    r"remain(?:s|ing)?|outstanding|missing|unfinished|incomplete|"
    r"falta\w*|queda\w* por|pendientes?|aun por|reste\w* a|manque\w*|encore a|"
    r"noch (?:\w+ )?(?:offen|fehlt|fehlen|zu)|fehlt|fehlen|steht noch aus|"
    r"ancora da|da fare|manca|mancano|resta\w* da)\b|(?:^|\s)(?:חסר\w*|נשאר\w*|עוד לא|טרם|עדיין)(?:\s|$|[?])"
)
UNABLE: Final = re.compile(
    r"\b(?:beyond|unable|avoid\w*|keep \w+(?: \w+){0,4} (?:out|away|off)|out of|except\w*|forbidden|banned|allergic|"
    r"hates?|"
    r"dislikes?|refus\w+|fail\w*|struggl\w+|stumbl\w+|trouble|difficult\w*|hard for|lacks?|missing|skip\w*|"
    r"intoleran\w+|"
    r"stay away|leave out|leaves? out|off limits|taboo|can do without|gave up|quit|stopped|exclu\w+|regrets|declin\w+|"
    r"cancel\w+|sends? apologies|hives|bare|against|instead of|rather than|harmful|poison\w*|toxic|unsuitable|"
    r"reject\w+|"
    r"still (?:to|open|un\w+)|yet to|minus|apart from|but for|rules? out|ruled out|"
    r"evit\w+|prohibid\w+|alergi\w+|odia|excepto|salvo|fuera de|tropez\w+|tropiez\w+|cuesta\w*|dificil\w*|falta\w*|"
    r"exclui\w+|bajas|cancel\w+|rechaz\w+|sientan? mal|urticaria|aun por|pendiente\w*|"
    r"interdit\w*|allergi\w+|deteste|sauf|hors de|peine|difficil\w*|manque\w*|exclu\w*|annul\w+|urticaire|refus\w+|"
    r"evite\w*|desist\w+|proscri\w+|"
    r"vermeid\w+|verboten|allergi\w+|hasst|ausser|unfahig|schwer|schwierig\w*|fehlt|meidet|raus|tabu|absagen?|"
    r"abgesagt|verhindert|ausgeschlossen|weglassen|bloss|lieber|unvertraglich|vertragt|"
    r"vietat\w+|allergic\w+|odia|tranne|eccetto|fuori|fatica|difficil\w*|manca\w*|esclus\w+|disdett\w+|rinunci\w+|"
    r"evit\w+|proibit\w+)\b|"
    r"(?:^|\s)ו?(?:נמנע\w*|אלרגי\w*|שונא\w*|חוץ|קשה|מתקש\w*|חסר\w*|להימנע|מחוץ|נכשל\w*|למעט|ביטל\w*|סירב\w*|"
    r"ויתר\w*|הסתייג\w*|לדלג|נמנעת)(?:\s|$|[,.])"
)
REPORTED_QUESTION: Final = re.compile(
    r"\b(?:asked|asks|asking|wonder(?:s|ed)|wanted to know|wants to know|"
    r"pregunt\w+|demand(?:e|ait)|se demande|fragt\w*|wollte wissen|ha chiesto|chiede\w*|si chiede|domand\w+) "
    r"(?:\w+ ){0,2}?(?:who|what|when|where|which|why|how|whether|if|"
    r"quien|que|cuando|donde|cual|por que|como|si|qui|quoi|quand|ou|quel|quelle|pourquoi|comment|"
    r"wer|was|wann|wo|welche\w*|warum|wie|ob|chi|che|cosa|quando|dove|quale|perche|come|se)\b|"
    r"(?:^|\s)(?:שאל|שאלה|שואל|שואלת|תהה|תהתה)\s(?:מי|מה|מתי|איפה|איך|למה|אם|האם|כמה|איזה)"
)
_ASKING_VERBS: Final = (
    "ask",
    "wonder",
    "want",
    "pregunt",
    "demand",
    "frag",
    "wollte",
    "chie",
    "domand",
    "שאל",
    "שוא",
    "תה",
)
"""One of these is in whatever the pattern finds; to look for them takes a tenth of the time."""


@lru_cache(maxsize=16_384)
def is_reported_question(bare: str) -> bool:
    """Whether a plain text tells that somebody asked. Read for every candidate of every search, hence remembered."""
    return any(part in bare for part in _ASKING_VERBS) and REPORTED_QUESTION.search(bare) is not None


ASKS_FAILURE: Final = re.compile(
    r"\b(?:did(?:n't| not) work|does(?:n't| not) work|fail(?:ed|ure|ures)?|went wrong|mistakes?|avoid|"
    r"no funcion\w+|fallo|fallaron|salio mal|errores|evitar|"
    r"n'a pas marche|echou\w*|echec|rate|eviter|erreurs?|"
    r"nicht (?:geklappt|funktioniert)|schiefgegangen|gescheitert|vermeiden|fehler|"
    r"non ha funzionato|fallit[oa]|andato male|evitare|error[ei])\b|לא עבד|נכשל|השתבש|להימנע|טעויות"
)

# --- where it stands written --------------------------------------------------------------------------------------
IN_BOOKS: Final = re.compile(
    r"\b(?:(?:rule|hand|cook|text|guide|work)?[ -]?books?|manual|handbook|guide|chapter|textbook|documentation|docs|"
    r"primer|almanac|encyclop\w+|catalogue|brochure|"
    r"pdf|"
    r"article|paper|instructions|user guide|leaflet|reference|"
    r"libros?|manual(?:es)?|capitulo|guia|recetario|reglamento|instrucciones|folleto|articulo|documentacion|"
    r"livres?|manuel|chapitre|guide|reglement|notice|mode d'emploi|documentation|"
    r"\w*buch|\w*buches|handbuch|kapitel|anleitung|leitfaden|regelwerk|\w*anleitung|ratgeber|lehrbuch|"
    r"libr[oi]|manuale|capitolo|guida|regolamento|istruzioni|ricettario|dispensa)\b|"
    r"(?:^|\s)[ושהבלמכ]{0,2}(?:ספר|מדריך|פרק|חוברת|תקנון|הוראות|מסמך|מאמר)(?:\s|$|[?])"
)
OWN_VIEW: Final = re.compile(
    r"\b(?:(?:did|do|have|had|was|what|that) (?:i|we)|i (?:conclude|concluded|think|thought|learned|took|noted|said|"
    r"decided|liked)|my (?:takeaway|conclusion|opinion|notes?|view|summary|impression)|"
    r"(?:mi|mis) (?:conclusion|opinion|notas?|resumen)|saque|aprendi|conclui|pense|apunte|"
    r"(?:ma|mon|mes) (?:conclusion|avis|notes?|resume|opinion)|j'ai (?:retenu|conclu|pense|note|appris|tire)|"
    r"ai-je (?:retenu|conclu|pense|note|appris|tire)|"
    r"(?:mein|meine) (?:fazit|meinung|notizen?|schlussfolgerung|eindruck)|habe ich|ich (?:gelernt|mitgenommen)|"
    r"(?:la mia|il mio|le mie) (?:conclusione|opinione|note|riassunto)|ho (?:concluso|imparato|pensato|annotato|"
    r"tratto))\b|"
    r"המסקנה שלי|הסקתי|למדתי|חשבתי|רשמתי|סיכמתי"
)
