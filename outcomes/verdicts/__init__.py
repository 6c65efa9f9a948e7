"""What an outcome does: the ledger of verdicts, recording, withdrawal, actions."""
