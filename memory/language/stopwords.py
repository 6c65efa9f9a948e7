"""Words that carry grammar rather than content, by language, without their accents."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """
a about above after again against all am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers herself him
himself his how i if in into is it its itself just me more most much my myself no nor not of off on once only or other
ought our ours ourselves out over own same shall she should so some such than that the their theirs them themselves
then there these they this those through to too under until up us very was we were what when where which while who
whom whose why will with would yet you your yours yourself yourselves
"""

_SPANISH: Final = """
a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquello aun aunque asi cada como con contra
cual cuales cuando cuanto cuantos de del desde donde dos durante e el ella ellas ello ellos en entre era eran eres es
esa esas ese eso esos esta estaba estado estamos estan estar estas este esto estos estoy estuvo fue fueron fui ha han
hace hacia hasta hay he hemos la las le les lo los mas me mi mis mia mio mucho muy nada ni no nos nosotros nuestra
nuestro o os otra otro otros para pero poco por porque pues que quien quienes se sea ser si sido sin sobre son soy su
sus suyo tal tambien tan tanto te tener tengo tenia ti tiene tienen tu tus un una unas uno unos usted ustedes y ya yo
"""

_FRENCH: Final = """
a ai aie ait as au aucun aucune aujourd aussi aux avait avec avez avoir avons c ca car ce ceci cela celle celui ces
cet cette ceux chez comme comment d dans de depuis des donc dont du elle elles en encore entre est et etait etaient
ete etes etre eu eux fait il ils j je jusqu l la laquelle le lequel les leur leurs lorsqu lui m ma mais me meme mes moi
moins mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus pour pourquoi puis puisqu qu quand que
quel quelle quelles quels qui quoi s sa sans se sera ses si son sont suis sur t ta te tes toi ton tous tout toute
toutes tres trop tu un une vers voici vos votre vous y
"""

_GERMAN: Final = """
ab aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da damit
dann das dass dein deine deinem deinen deiner dem den denn der des dessen dich die dies diese diesem diesen dieser
dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen habe haben habt hat
hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes
jene kann kein keine keinem keinen keiner konnen man mein meine meinem meinen meiner mich mir mit muss nach nicht noch
nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sonst uber um und uns
unser unsere unter viel vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn
wer werde werden wie wieder will wir wird wo woher wohin wurde wurden zu zum zur zwar zwischen
"""

_ITALIAN: Final = """
a abbiamo agli ai al all alla alle allo anche ancora avere aveva c che chi ci cio coi col come con contro cosa cosi
cui d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello di dopo dove due e ed era erano
essere fra gia gli ha hai hanno ho i il in io l la le lei li lo loro lui m ma me mi mia mie miei mio molto ne negli nei
nel nell nella nelle nello no noi non nostra nostro o ogni per perche pero piu poco poi qual quale quali quando quanto
quella quelle quelli quello quest questa queste questi questo qui s sara se sei senza si sia siamo siete sono sopra
sotto sta stata stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi t ti tra tu tua tue tuo tuoi tutti tutto
un una uno v vi voi
"""

_HEBREW: Final = """
אבל או אז אחרי אותה אותו אותי אותך אותם אותן אותנו אחר אחרת איזה איזו אין אינו איך איפה אל אלה אלו
אם אנחנו אני אף אפשר אצל אשר את אתה אתם אתן בגלל בין בלי גם האם הוא היא היה היו היתה הייתה הייתי הם
הן הנה הזה הזאת הזו הרבה זאת זה זו יהיה יותר יש כאשר כאן ככה כי כל כמה כמו כן כבר לא לאן לה להם להן
לו לי לך לכם לנו לפני מאוד מאד מה מהם מי מאיפה מדוע מתי נגד ממני ממנו ממנה עד עוד על עליו עליה עם
עכשיו פה רק של שלה שלהם שלהן שלו שלי שלך שלכם שלנו תחת
"""

STOP_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset(_ENGLISH.split()),
    "es": frozenset(_SPANISH.split()),
    "fr": frozenset(_FRENCH.split()),
    "de": frozenset(_GERMAN.split()),
    "it": frozenset(_ITALIAN.split()),
}

HEBREW_STOP_WORDS: Final = frozenset(_HEBREW.split())
