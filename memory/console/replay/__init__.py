"""A turn looked at again: what it handed to the model, and what another setting would have found."""
