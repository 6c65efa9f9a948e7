"""What ids look like, as patterns for the schema and in words for whoever sent something else."""

from memory.access.confinement import SCOPE_ID_PATTERN, SCOPE_ID_RULE
from memory.access.users import EXTERNAL_ID_PATTERN

UUID_PATTERN = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
# Of what waits in the inbox: a verdict has a number.
MATTER_PATTERN = rf"(?:{UUID_PATTERN})|(?:^[0-9]{{1,18}}$)"
USER_PATTERN = rf"^{EXTERNAL_ID_PATTERN.pattern}$"
SCOPE_ID = rf"^{SCOPE_ID_PATTERN.pattern}$"
# As in a body, where it is a name like any other: with a slash as well, "proj/1".
THREAD_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]+$"

RELATION_PATTERN = r"^[a-z][a-z0-9_]{0,63}$"
LANGUAGE_PATTERN = r"^[a-z]{2}$"

# A regular expression tells nobody what to send instead.
PATTERN_RULES = {
    UUID_PATTERN: "must be a UUID",
    MATTER_PATTERN: "must be a UUID, or a number",
    USER_PATTERN: "must be 1-128 of A-Z a-z 0-9 _ . @ : + | -",
    SCOPE_ID: SCOPE_ID_RULE,
    RELATION_PATTERN: "must be 1-64 of a-z 0-9 _ and begin with a letter, as in favorite_tea",
    LANGUAGE_PATTERN: "must be the two letters of a language, as in en",
    THREAD_PATTERN: "must not contain a control character",
}
