"""Secrets of endpoints: made here, shown once, kept so that they can sign.

A digest, as of a bearer key, could sign nothing. So they are encrypted (Fernet: AES-128-CBC with HMAC-SHA256) with a
key that is derived from SECRET_KEY and stands in no table: a copy of the database or a backup signs nothing.
"""

import base64
import secrets
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from memory.webhooks.conf import webhook_conf

PREFIX: Final = "whsec_"
# The scheme asks for 24 to 64.
SECRET_BYTES: Final = 32


class SecretUnreadable(Exception):
    """SECRET_KEY is another than when the secret was made: it has to be rotated."""


def generate_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def seal_secret(secret: str) -> str:
    return build_box().encrypt(secret.encode()).decode()


def open_secret(sealed: str) -> str:
    try:
        return build_box().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable from error


def build_box() -> MultiFernet:
    """Seals with the key of this installation, and opens with the ones before too."""
    return MultiFernet([Fernet(derive_key(key.encode())) for key in webhook_conf().secret_keys])


def derive_key(key: bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"commonplace webhook secrets").derive(key)
    return base64.urlsafe_b64encode(derived)
